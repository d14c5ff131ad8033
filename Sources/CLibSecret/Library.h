#pragma once

#include "CLibSecret.h"

#include <stddef.h>
#include <stdint.h>

// The shapes below are libsecret's and GLib's stable ABI (libsecret-1, since 0.18; glib-2.0).
typedef struct {
  uint32_t domain;
  int code;
  char *message;
} GError;

typedef struct {
  void *data;
  void *next;
  void *previous;
} GList;

enum { SESSION_BUS = 2, DONT_MATCH_NAME = 2, STRING_ATTRIBUTE = 0, MOST_ATTRIBUTES = 32 };

typedef struct {
  const char *name;
  int flags; // without any the schema's name is matched too
  struct {
    const char *name;
    int type;
  } attributes[MOST_ATTRIBUTES];
  int reserved;
  void *reserved_pointers[7];
} SecretSchema;

struct libsecret_functions {
  void *(*bus_get_sync)(int type, void *cancellable, GError **);
  void *(*connection_call_sync)(void *connection, const char *name, const char *path, const char *interface,
                                const char *method, void *parameters, const void *type, int flags, int milliseconds,
                                void *cancellable, GError **);
  void *(*variant_new)(const char *format, ...);
  void (*variant_get)(void *, const char *format, ...);
  void (*variant_unref)(void *);
  void *(*cancellable_new)(void);
  void (*cancellable_cancel)(void *);
  void (*object_unref)(void *);
  void (*error_free)(GError *);
  const char *(*quark_to_string)(uint32_t);
  void *(*hash_table_new)(void *hash, void *equal);
  int (*hash_table_insert)(void *, const void *, const void *);
  void (*hash_table_unref)(void *);
  void *str_hash;
  void *str_equal;
  void *(*service_get_sync)(int flags, void *cancellable, GError **);
  void *(*collection_for_alias_sync)(void *service, const char *alias, int flags, void *cancellable, GError **);
  void *(*collection_new_sync)(void *service, const char *path, int flags, void *cancellable, GError **);
  int (*collection_get_locked)(void *);
  int (*search_paths_sync)(void *service, const SecretSchema *, void *, void *, char ***open, char ***locked,
                           GError **);
  void (*strfreev)(char **);
  GList *(*search_sync)(void *service, const SecretSchema *, void *, int flags, void *cancellable, GError **);
  void (*list_free)(GList *);
  int (*item_set_secret_sync)(void *item, void *value, void *cancellable, GError **);
  void *(*value_new)(const char *secret, ptrdiff_t length, const char *type);
  void (*value_unref)(void *);
  int (*unlock_sync)(void *service, const GList *objects, void *cancellable, void **unlocked, GError **);
  int (*password_storev_sync)(const SecretSchema *, void *, const char *, const char *, const char *, void *,
                              GError **);
  char *(*password_lookupv_sync)(const SecretSchema *, void *, void *, GError **);
  int (*password_clearv_sync)(const SecretSchema *, void *, void *, GError **);
  void (*password_free)(char *);
};

// libsecret's and GLib's functions, once the library is open.
extern struct libsecret_functions libsecret;

// Takes the error, and says which outcome it is.
enum libsecret_outcome libsecret_outcome_of(GError *error, struct libsecret_reason *reason);

// Makes the schema and the table of attributes that libsecret looks for an item by; the table is the caller's.
void *libsecret_attributes(const struct libsecret_item *item, SecretSchema *schema);
