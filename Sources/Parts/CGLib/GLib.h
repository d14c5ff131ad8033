#pragma once

#include "CGLib.h"

#include <stdint.h>

// These structs are the stable ABI of glib-2.0 (since 2.26) and libsecret-1 (since 0.19).
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
enum { AUTHENTICATION_CLIENT = 1 << 0, MESSAGE_BUS_CONNECTION = 1 << 3, NO_AUTO_START = 1 << 0, DEFAULT_TIMEOUT = -1 };

typedef struct {
  const char *name;
  int flags;
  struct {
    const char *name;
    int type;
  } attributes[MOST_ATTRIBUTES];
  int reserved;
  void *reserved_pointers[7];
} SecretSchema;

typedef void GDBusSignalCallback(void *connection, const char *sender, const char *path, const char *interface,
                                 const char *signal, void *parameters, void *data);

// The functions of GIO and GLib that are called: result, name, parameters.
#define GLIB_FUNCTIONS(DO) \
  DO(void *, g_bus_get_sync, (int type, void *cancellable, GError **)) \
  DO(void *, g_dbus_connection_new_for_address_sync, \
     (const char *address, int flags, void *observer, void *cancellable, GError **)) \
  DO(const char *, g_dbus_connection_get_unique_name, (void *connection)) \
  DO(unsigned, g_dbus_connection_signal_subscribe, \
     (void *connection, const char *sender, const char *interface, const char *member, const char *path, \
      const char *argument, int flags, GDBusSignalCallback *, void *data, void *free_data)) \
  DO(void, g_dbus_connection_signal_unsubscribe, (void *connection, unsigned subscription)) \
  DO(void *, g_dbus_connection_call_sync, \
     (void *connection, const char *name, const char *path, const char *interface, const char *method, \
      void *parameters, const void *reply_type, int flags, int milliseconds, void *cancellable, GError **)) \
  DO(void, g_dbus_connection_close, (void *connection, void *cancellable, void *callback, void *data)) \
  DO(int, g_dbus_connection_close_sync, (void *connection, void *cancellable, GError **error)) \
  DO(void *, g_variant_new, (const char *format, ...)) \
  DO(void *, g_variant_new_parsed, (const char *format, ...)) \
  DO(void, g_variant_get, (void *, const char *format, ...)) \
  DO(void, g_variant_get_child, (void *, size_t index, const char *format, ...)) \
  DO(int, g_variant_is_of_type, (void *, const void *type)) \
  DO(int, g_variant_get_boolean, (void *)) \
  DO(void, g_variant_unref, (void *)) \
  DO(void *, g_cancellable_new, (void)) \
  DO(void, g_cancellable_cancel, (void *)) \
  DO(void, g_object_unref, (void *)) \
  DO(void, g_error_free, (GError *)) \
  DO(const char *, g_quark_to_string, (uint32_t)) \
  DO(void *, g_hash_table_new, (void *hash, void *equal)) \
  DO(int, g_hash_table_insert, (void *, const void *key, const void *value)) \
  DO(void, g_hash_table_unref, (void *)) \
  DO(unsigned, g_str_hash, (const void *)) \
  DO(int, g_str_equal, (const void *, const void *)) \
  DO(char *, g_strdup, (const char *)) \
  DO(void, g_free, (void *)) \
  DO(void, g_strfreev, (char **)) \
  DO(void, g_list_free, (void *)) \
  DO(void *, g_main_context_new, (void)) \
  DO(void, g_main_context_push_thread_default, (void *)) \
  DO(void, g_main_context_pop_thread_default, (void *)) \
  DO(int, g_main_context_iteration, (void *, int may_block)) \
  DO(void, g_main_context_unref, (void *)) \
  DO(void *, g_timeout_source_new, (unsigned milliseconds)) \
  DO(void, g_source_set_callback, (void *source, int (*callback)(void *), void *data, void *free_data)) \
  DO(unsigned, g_source_attach, (void *source, void *context)) \
  DO(void, g_source_destroy, (void *source)) \
  DO(void, g_source_unref, (void *source))

// The functions of libsecret.
#define SECRET_FUNCTIONS(DO) \
  DO(void *, secret_service_get_sync, (int flags, void *cancellable, GError **)) \
  DO(char *, secret_service_read_alias_dbus_path_sync, \
     (void *service, const char *alias, void *cancellable, GError **)) \
  DO(int, secret_service_search_for_dbus_paths_sync, \
     (void *service, const SecretSchema *, void *attributes, void *cancellable, char ***unlocked, char ***locked, \
      GError **)) \
  DO(GList *, secret_service_search_sync, \
     (void *service, const SecretSchema *, void *attributes, int flags, void *cancellable, GError **)) \
  DO(int, secret_item_set_secret_sync, (void *item, void *value, void *cancellable, GError **)) \
  DO(void *, secret_value_new, (const char *secret, ptrdiff_t length, const char *type)) \
  DO(void, secret_value_unref, (void *)) \
  DO(int, secret_service_unlock_dbus_paths_sync, \
     (void *service, char **paths, void *cancellable, char ***unlocked, GError **)) \
  DO(void *, secret_service_get_secret_for_dbus_path_sync, \
     (void *service, const char *path, void *cancellable, GError **)) \
  DO(int, secret_service_store_sync, \
     (void *service, const SecretSchema *, void *attributes, const char *collection, const char *label, void *value, \
      void *cancellable, GError **)) \
  DO(int, secret_service_clear_sync, \
     (void *service, const SecretSchema *, void *attributes, void *cancellable, GError **)) \
  DO(char *, secret_value_unref_to_password, (void *, size_t *length)) \
  DO(void, secret_password_free, (char *))

// The functions under their own names: valid once their library is open.
extern struct glib {
#define GLIB_MEMBER(result, name, parameters) result(*name) parameters;
  GLIB_FUNCTIONS(GLIB_MEMBER)
  SECRET_FUNCTIONS(GLIB_MEMBER)
#undef GLIB_MEMBER
} glib;

// Connects to a bus at an address; the caller closes the connection.
void *bus_connect(const char *bus, void *cancellable, GError **error);

// Calls a method of the bus itself.
void *bus_call(void *connection, const char *method, void *parameters, int milliseconds, void *cancellable,
               GError **error);

// What an error of GLib or libsecret means; frees the error.
enum libsecret_outcome outcome_of_error(GError *error, struct glib_reason *reason);
