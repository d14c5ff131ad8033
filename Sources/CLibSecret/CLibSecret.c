#include "CLibSecret.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

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

static struct {
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
  int (*search_paths_sync)(void *service, const SecretSchema *, void *, void *, char ***open, char ***locked, GError **);
  void (*strfreev)(char **);
  GList *(*search_sync)(void *service, const SecretSchema *, void *, int flags, void *cancellable, GError **);
  void (*list_free)(GList *);
  int (*item_set_secret_sync)(void *item, void *value, void *cancellable, GError **);
  void *(*value_new)(const char *secret, ptrdiff_t length, const char *type);
  void (*value_unref)(void *);
  int (*unlock_sync)(void *service, const GList *objects, void *cancellable, void **unlocked, GError **);
  int (*password_storev_sync)(const SecretSchema *, void *, const char *, const char *, const char *, void *, GError **);
  char *(*password_lookupv_sync)(const SecretSchema *, void *, void *, GError **);
  int (*password_clearv_sync)(const SecretSchema *, void *, void *, GError **);
  void (*password_free)(char *);
} lib;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_open;
static struct libsecret_reason open_failure;

static void open_once(void) {
  void *handle = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    const char *text = dlerror();
    snprintf(open_failure.text, sizeof open_failure.text, "%s", text != NULL ? text : "libsecret-1.so.0");
    return;
  }
  // A look-up by the handle also searches the libraries that libsecret needs, GLib among them.
  const struct {
    const char *name;
    void **place;
  } functions[] = {
      {"g_bus_get_sync", (void **)&lib.bus_get_sync},
      {"g_dbus_connection_call_sync", (void **)&lib.connection_call_sync},
      {"g_variant_new", (void **)&lib.variant_new},
      {"g_variant_get", (void **)&lib.variant_get},
      {"g_variant_unref", (void **)&lib.variant_unref},
      {"g_cancellable_new", (void **)&lib.cancellable_new},
      {"g_cancellable_cancel", (void **)&lib.cancellable_cancel},
      {"g_object_unref", (void **)&lib.object_unref},
      {"g_error_free", (void **)&lib.error_free},
      {"g_quark_to_string", (void **)&lib.quark_to_string},
      {"g_hash_table_new", (void **)&lib.hash_table_new},
      {"g_hash_table_insert", (void **)&lib.hash_table_insert},
      {"g_hash_table_unref", (void **)&lib.hash_table_unref},
      {"g_str_hash", &lib.str_hash},
      {"g_str_equal", &lib.str_equal},
      {"secret_service_get_sync", (void **)&lib.service_get_sync},
      {"secret_collection_for_alias_sync", (void **)&lib.collection_for_alias_sync},
      {"secret_collection_new_for_dbus_path_sync", (void **)&lib.collection_new_sync},
      {"secret_collection_get_locked", (void **)&lib.collection_get_locked},
      {"secret_service_search_for_dbus_paths_sync", (void **)&lib.search_paths_sync},
      {"g_strfreev", (void **)&lib.strfreev},
      {"secret_service_search_sync", (void **)&lib.search_sync},
      {"g_list_free", (void **)&lib.list_free},
      {"secret_item_set_secret_sync", (void **)&lib.item_set_secret_sync},
      {"secret_value_new", (void **)&lib.value_new},
      {"secret_value_unref", (void **)&lib.value_unref},
      {"secret_service_unlock_sync", (void **)&lib.unlock_sync},
      {"secret_password_storev_sync", (void **)&lib.password_storev_sync},
      {"secret_password_lookupv_sync", (void **)&lib.password_lookupv_sync},
      {"secret_password_clearv_sync", (void **)&lib.password_clearv_sync},
      {"secret_password_free", (void **)&lib.password_free},
  };
  for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
    *functions[index].place = dlsym(handle, functions[index].name);
    if (*functions[index].place == NULL) {
      snprintf(open_failure.text, sizeof open_failure.text, "libsecret-1.so.0 has no %s", functions[index].name);
      return;
    }
  }
  is_open = true;
}

bool libsecret_open(struct libsecret_reason *reason) {
  pthread_once(&once, open_once);
  if (!is_open) *reason = open_failure;
  return is_open;
}

void *libsecret_cancellable_new(void) { return lib.cancellable_new(); }
void libsecret_cancel(void *cancellable) { lib.cancellable_cancel(cancellable); }
void libsecret_cancellable_free(void *cancellable) { lib.object_unref(cancellable); }
void libsecret_free(char *secret) { lib.password_free(secret); }

// Takes the error, and says which outcome it is.
static enum libsecret_outcome outcome(GError *error, struct libsecret_reason *reason) {
  if (error == NULL) return LIBSECRET_DONE;
  const char *name = lib.quark_to_string(error->domain);
  const char *domain = name != NULL ? name : "";
  const char *message = error->message != NULL ? error->message : "";
  snprintf(reason->text, sizeof reason->text, "%s", message);
  enum libsecret_outcome result = LIBSECRET_FAILED;
  if (strcmp(domain, "g-dbus-error-quark") == 0) {
    switch (error->code) {
    case 2:  // G_DBUS_ERROR_SERVICE_UNKNOWN
    case 3:  // G_DBUS_ERROR_NAME_HAS_NO_OWNER
    case 4:  // G_DBUS_ERROR_NO_REPLY: it left, or died, before it answered
    case 11: // G_DBUS_ERROR_NO_SERVER
    case 15: // G_DBUS_ERROR_DISCONNECTED
      result = LIBSECRET_ABSENT;
      break;
    case 12: // G_DBUS_ERROR_TIMEOUT
    case 20: // G_DBUS_ERROR_TIMED_OUT
      result = LIBSECRET_CANCELLED;
      break;
    }
    if (error->code >= 23 && error->code <= 34) result = LIBSECRET_ABSENT; // the bus could not start the service
  } else if (strcmp(domain, "g-io-error-quark") == 0) {
    switch (error->code) {
    case 19: // G_IO_ERROR_CANCELLED
    case 24: // G_IO_ERROR_TIMED_OUT
      result = LIBSECRET_CANCELLED;
      break;
    case 1:  // G_IO_ERROR_NOT_FOUND: no address of a bus, no socket there
    case 14: // G_IO_ERROR_PERMISSION_DENIED
    case 18: // G_IO_ERROR_CLOSED
    case 39: // G_IO_ERROR_CONNECTION_REFUSED
    case 44: // G_IO_ERROR_BROKEN_PIPE
      result = LIBSECRET_ABSENT;
      break;
    }
  } else if (strcmp(domain, "secret-error") == 0 && error->code == 2) { // SECRET_ERROR_IS_LOCKED
    result = LIBSECRET_LOCKED;
  }
  if (result == LIBSECRET_FAILED) {
    if (strstr(message, "Secret.Error.IsLocked") != NULL) result = LIBSECRET_LOCKED;
    if (strstr(message, "dismissed") != NULL) result = LIBSECRET_DISMISSED;
  }
  lib.error_free(error);
  return result;
}

enum libsecret_outcome libsecret_owner(struct libsecret_reason *owner, int milliseconds) {
  GError *error = NULL;
  const char *bus = "org.freedesktop.DBus";
  void *connection = lib.bus_get_sync(SESSION_BUS, NULL, &error);
  if (connection == NULL) return error != NULL ? outcome(error, owner) : LIBSECRET_ABSENT;
  void *reply = lib.connection_call_sync(connection, bus, "/org/freedesktop/DBus", bus, "GetNameOwner",
                                         lib.variant_new("(s)", "org.freedesktop.secrets"), NULL, 0, milliseconds, NULL,
                                         &error);
  lib.object_unref(connection);
  if (reply == NULL) return error != NULL ? outcome(error, owner) : LIBSECRET_ABSENT;
  const char *name = "";
  lib.variant_get(reply, "(&s)", &name);
  snprintf(owner->text, sizeof owner->text, "%s", name);
  lib.variant_unref(reply);
  return LIBSECRET_DONE;
}

static void *attributes_of(const struct libsecret_item *item, SecretSchema *schema) {
  memset(schema, 0, sizeof *schema);
  schema->name = item->schema;
  schema->flags = item->matches_any_schema ? DONT_MATCH_NAME : 0;
  void *table = lib.hash_table_new(lib.str_hash, lib.str_equal);
  // The last place stays empty: it marks the end.
  for (size_t index = 0; index < item->count && index < MOST_ATTRIBUTES - 1; index++) {
    schema->attributes[index].name = item->names[index];
    schema->attributes[index].type = STRING_ATTRIBUTE;
    lib.hash_table_insert(table, item->names[index], item->values[index]);
  }
  return table;
}

// Whether the item is there, and only for somebody who unlocks it.
static bool is_item_locked(void *service, const struct libsecret_item *item, void *cancellable, GError **error) {
  SecretSchema schema;
  char **open = NULL;
  char **locked = NULL;
  void *attributes = attributes_of(item, &schema);
  lib.search_paths_sync(service, &schema, attributes, cancellable, &open, &locked, error);
  lib.hash_table_unref(attributes);
  bool is_locked = (open == NULL || open[0] == NULL) && locked != NULL && locked[0] != NULL;
  lib.strfreev(open);
  lib.strfreev(locked);
  return is_locked;
}

static void *collection_of(void *service, const struct libsecret_item *item, void *cancellable, GError **error) {
  return item->collection[0] == '/' ? lib.collection_new_sync(service, item->collection, 0, cancellable, error)
                                    : lib.collection_for_alias_sync(service, item->collection, 0, cancellable, error);
}

enum libsecret_outcome libsecret_state(const struct libsecret_item *item, void *cancellable,
                                       struct libsecret_reason *reason) {
  GError *error = NULL;
  void *service = lib.service_get_sync(0, cancellable, &error);
  if (service == NULL) return error != NULL ? outcome(error, reason) : LIBSECRET_ABSENT;
  void *collection = collection_of(service, item, cancellable, &error);
  bool is_there = collection != NULL;
  bool is_locked = is_there && lib.collection_get_locked(collection);
  // Some keyrings unlock each item for itself; and what was stored may be in another collection.
  if (error == NULL && !is_locked) is_locked = is_item_locked(service, item, cancellable, &error);
  if (is_there) lib.object_unref(collection);
  lib.object_unref(service);
  if (error != NULL) return outcome(error, reason);
  if (is_locked) return LIBSECRET_LOCKED;
  return is_there ? LIBSECRET_DONE : LIBSECRET_NONE;
}

enum libsecret_outcome libsecret_unlock(const struct libsecret_item *item, void *cancellable,
                                        struct libsecret_reason *reason) {
  GError *error = NULL;
  void *service = lib.service_get_sync(0, cancellable, &error);
  if (service == NULL) return error != NULL ? outcome(error, reason) : LIBSECRET_ABSENT;
  GList collection = {.data = collection_of(service, item, cancellable, &error)};
  bool is_open = collection.data == NULL || !lib.collection_get_locked(collection.data);
  if (!is_open) is_open = lib.unlock_sync(service, &collection, cancellable, NULL, &error) > 0;
  if (collection.data != NULL) lib.object_unref(collection.data);
  lib.object_unref(service);
  if (error != NULL) return outcome(error, reason);
  return is_open ? LIBSECRET_DONE : LIBSECRET_DISMISSED;
}

// Gives the item another secret, if it is there: to store it anew would leave one of another schema beside the new one.
static bool replaced(const struct libsecret_item *item, const char *secret, void *cancellable, GError **error) {
  SecretSchema schema;
  void *service = lib.service_get_sync(0, cancellable, error);
  if (service == NULL) return false;
  void *attributes = attributes_of(item, &schema);
  GList *found = lib.search_sync(service, &schema, attributes, 0, cancellable, error);
  lib.hash_table_unref(attributes);
  bool is_done = false;
  if (found != NULL) {
    void *value = lib.value_new(secret, -1, "text/plain");
    is_done = lib.item_set_secret_sync(found->data, value, cancellable, error);
    lib.value_unref(value);
    lib.object_unref(found->data);
    lib.list_free(found);
  }
  lib.object_unref(service);
  return is_done;
}

enum libsecret_outcome libsecret_store(const struct libsecret_item *item, const char *secret, void *cancellable,
                                       struct libsecret_reason *reason) {
  SecretSchema schema;
  GError *error = NULL;
  if (item->matches_any_schema) {
    if (replaced(item, secret, cancellable, &error)) return LIBSECRET_DONE;
    if (error != NULL) return outcome(error, reason);
  }
  void *attributes = attributes_of(item, &schema);
  int done =
      lib.password_storev_sync(&schema, attributes, item->collection, item->label, secret, cancellable, &error);
  lib.hash_table_unref(attributes);
  if (error != NULL) return outcome(error, reason);
  // A failure without an error is a prompt that was dismissed.
  return done ? LIBSECRET_DONE : LIBSECRET_DISMISSED;
}

enum libsecret_outcome libsecret_lookup(const struct libsecret_item *item, char **secret, void *cancellable,
                                        struct libsecret_reason *reason) {
  SecretSchema schema;
  GError *error = NULL;
  void *attributes = attributes_of(item, &schema);
  *secret = lib.password_lookupv_sync(&schema, attributes, cancellable, &error);
  lib.hash_table_unref(attributes);
  if (error != NULL) return outcome(error, reason);
  return *secret != NULL ? LIBSECRET_DONE : LIBSECRET_NONE;
}

enum libsecret_outcome libsecret_clear(const struct libsecret_item *item, void *cancellable,
                                       struct libsecret_reason *reason) {
  SecretSchema schema;
  GError *error = NULL;
  void *attributes = attributes_of(item, &schema);
  int done = lib.password_clearv_sync(&schema, attributes, cancellable, &error);
  lib.hash_table_unref(attributes);
  if (error != NULL) return outcome(error, reason);
  return done ? LIBSECRET_DONE : LIBSECRET_NONE;
}
