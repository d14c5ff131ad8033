#include "GLib.h"

#include <stdio.h>
#include <string.h>

// What GLib's and libsecret's errors mean, by domain and code.
static const struct {
  const char *domain;
  int first, last;
  enum libsecret_outcome outcome;
} outcomes[] = {
  {"g-dbus-error-quark", 2, 4, LIBSECRET_ABSENT},      // SERVICE_UNKNOWN, NAME_HAS_NO_OWNER, NO_REPLY (it exited)
  {"g-dbus-error-quark", 11, 11, LIBSECRET_ABSENT},    // NO_SERVER
  {"g-dbus-error-quark", 12, 12, LIBSECRET_CANCELLED}, // TIMEOUT
  {"g-dbus-error-quark", 15, 15, LIBSECRET_ABSENT},    // DISCONNECTED
  {"g-dbus-error-quark", 20, 20, LIBSECRET_CANCELLED}, // TIMED_OUT
  {"g-dbus-error-quark", 23, 34, LIBSECRET_ABSENT},    // SPAWN_…: the bus couldn't start the service
  {"g-io-error-quark", 1, 1, LIBSECRET_ABSENT},        // NOT_FOUND: no bus address, or no socket
  {"g-io-error-quark", 14, 14, LIBSECRET_ABSENT},      // PERMISSION_DENIED
  {"g-io-error-quark", 18, 18, LIBSECRET_ABSENT},      // CLOSED
  {"g-io-error-quark", 19, 19, LIBSECRET_CANCELLED},   // CANCELLED
  {"g-io-error-quark", 24, 24, LIBSECRET_CANCELLED},   // TIMED_OUT
  {"g-io-error-quark", 39, 39, LIBSECRET_ABSENT},      // CONNECTION_REFUSED
  {"g-io-error-quark", 44, 44, LIBSECRET_ABSENT},      // BROKEN_PIPE
  {"secret-error", 2, 2, LIBSECRET_LOCKED},            // IS_LOCKED
};

enum libsecret_outcome outcome_of_error(GError *error, struct glib_reason *reason) {
  const char *name = glib.g_quark_to_string(error->domain);
  const char *domain = name != NULL ? name : "";
  const char *message = error->message != NULL ? error->message : "";
  snprintf(reason->text, sizeof reason->text, "%s", message);
  enum libsecret_outcome result = LIBSECRET_FAILED;
  for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++) {
    bool matches = error->code >= outcomes[i].first && error->code <= outcomes[i].last;
    if (matches && strcmp(domain, outcomes[i].domain) == 0) result = outcomes[i].outcome;
  }
  if (result == LIBSECRET_FAILED) {
    if (strstr(message, "Secret.Error.IsLocked") != NULL) result = LIBSECRET_LOCKED;
    if (strstr(message, "dismissed") != NULL) result = LIBSECRET_DISMISSED;
  }
  glib.g_error_free(error);
  return result;
}

// The outcome of a call that failed with this error, which is freed; `otherwise` without an error.
static enum libsecret_outcome outcome_of(GError *error, struct glib_reason *reason, enum libsecret_outcome otherwise) {
  return error != NULL ? outcome_of_error(error, reason) : otherwise;
}

static void *attributes_of(const struct libsecret_item *item, SecretSchema *schema) {
  memset(schema, 0, sizeof *schema);
  schema->name = item->schema;
  schema->flags = item->matches_any_schema ? DONT_MATCH_NAME : 0;
  void *table = glib.g_hash_table_new(glib.g_str_hash, glib.g_str_equal);
  // An empty entry marks the end.
  for (size_t index = 0; index < item->count && index < MOST_ATTRIBUTES - 1; index++) {
    const char *const *attribute = item->attributes + 2 * index;
    schema->attributes[index].name = attribute[0];
    schema->attributes[index].type = STRING_ATTRIBUTE;
    glib.g_hash_table_insert(table, attribute[0], attribute[1]);
  }
  return table;
}

// Replaces the secret of an existing item: storing a new item would leave one with another schema beside it.
static bool replaced(void *service, const struct libsecret_item *item, void *value, void *cancellable, GError **error) {
  SecretSchema schema;
  void *attributes = attributes_of(item, &schema);
  GList *found = glib.secret_service_search_sync(service, &schema, attributes, 0, cancellable, error);
  glib.g_hash_table_unref(attributes);
  if (found == NULL) return false;
  bool is_done = glib.secret_item_set_secret_sync(found->data, value, cancellable, error);
  glib.g_object_unref(found->data);
  glib.g_list_free(found);
  return is_done;
}

// Not secret_password_…: in Flatpak, those use another store, and in a locked keyring, their lookup prompts.
enum libsecret_outcome libsecret_store(struct libsecret_item *item, const char *secret, void *cancellable,
                                       struct glib_reason *reason) {
  SecretSchema schema;
  GError *error = NULL;
  void *service = glib.secret_service_get_sync(0, cancellable, &error);
  if (service == NULL) return outcome_of(error, reason, LIBSECRET_ABSENT);
  void *value = glib.secret_value_new(secret, -1, "text/plain");
  bool is_done = item->matches_any_schema && replaced(service, item, value, cancellable, &error);
  if (!is_done && error == NULL) {
    void *attributes = attributes_of(item, &schema);
    is_done = glib.secret_service_store_sync(service, &schema, attributes, item->collection, item->label, value,
                                             cancellable, &error);
    glib.g_hash_table_unref(attributes);
  }
  glib.secret_value_unref(value);
  glib.g_object_unref(service);
  // Failure without an error means a dismissed prompt.
  return outcome_of(error, reason, is_done ? LIBSECRET_DONE : LIBSECRET_DISMISSED);
}

// The paths of the matching items, which the caller frees.
struct paths {
  char **open, **locked;
};

static struct paths paths_of(void *service, const struct libsecret_item *item, void *cancellable, GError **error) {
  SecretSchema schema;
  struct paths paths = {NULL, NULL};
  void *attributes = attributes_of(item, &schema);
  glib.secret_service_search_for_dbus_paths_sync(service, &schema, attributes, cancellable, &paths.open, &paths.locked,
                                                 error);
  glib.g_hash_table_unref(attributes);
  return paths;
}

static bool has_only_locked(struct paths paths) {
  return (paths.open == NULL || paths.open[0] == NULL) && paths.locked != NULL && paths.locked[0] != NULL;
}

static void free_paths(struct paths paths) {
  glib.g_strfreev(paths.open);
  glib.g_strfreev(paths.locked);
}

enum libsecret_outcome libsecret_lookup(struct libsecret_item *item, void *cancellable, struct glib_reason *reason) {
  GError *error = NULL;
  void *service = glib.secret_service_get_sync(0, cancellable, &error);
  if (service == NULL) return outcome_of(error, reason, LIBSECRET_ABSENT);
  struct paths paths = paths_of(service, item, cancellable, &error);
  enum libsecret_outcome outcome = has_only_locked(paths) ? LIBSECRET_LOCKED : LIBSECRET_NONE;
  if (paths.open != NULL && paths.open[0] != NULL) {
    void *value = glib.secret_service_get_secret_for_dbus_path_sync(service, paths.open[0], cancellable, &error);
    if (value != NULL) item->secret = glib.secret_value_unref_to_password(value, NULL);
    if (item->secret != NULL) outcome = LIBSECRET_DONE;
  }
  free_paths(paths);
  glib.g_object_unref(service);
  return outcome_of(error, reason, outcome);
}

enum libsecret_outcome libsecret_clear(struct libsecret_item *item, void *cancellable, struct glib_reason *reason) {
  SecretSchema schema;
  GError *error = NULL;
  void *service = glib.secret_service_get_sync(0, cancellable, &error);
  if (service == NULL) return outcome_of(error, reason, LIBSECRET_ABSENT);
  void *attributes = attributes_of(item, &schema);
  bool is_done = glib.secret_service_clear_sync(service, &schema, attributes, cancellable, &error);
  glib.g_hash_table_unref(attributes);
  glib.g_object_unref(service);
  return outcome_of(error, reason, is_done ? LIBSECRET_DONE : LIBSECRET_NONE);
}

enum libsecret_outcome libsecret_owner(struct glib_reason *owner, int milliseconds) {
  GError *error = NULL;
  void *connection = glib.g_bus_get_sync(SESSION_BUS, NULL, &error);
  if (connection == NULL) return outcome_of(error, owner, LIBSECRET_ABSENT);
  void *name = glib.g_variant_new("(s)", "org.freedesktop.secrets");
  void *reply = bus_call(connection, "GetNameOwner", name, milliseconds, NULL, &error);
  glib.g_object_unref(connection);
  if (reply == NULL) return outcome_of(error, owner, LIBSECRET_ABSENT);
  const char *found = "";
  glib.g_variant_get(reply, "(&s)", &found);
  snprintf(owner->text, sizeof owner->text, "%s", found);
  glib.g_variant_unref(reply);
  return LIBSECRET_DONE;
}

// The path of the item's collection, which the caller frees; NULL if there is none yet.
static char *collection_of(void *service, const struct libsecret_item *item, void *cancellable, GError **error) {
  const char *name = item->collection;
  return name[0] == '/' ? glib.g_strdup(name)
                        : glib.secret_service_read_alias_dbus_path_sync(service, name, cancellable, error);
}

// Reads one property: a SecretCollection would take eight more messages.
static bool is_locked(const char *collection, void *cancellable, GError **error) {
  void *connection = glib.g_bus_get_sync(SESSION_BUS, cancellable, error);
  if (connection == NULL) return false;
  void *property = glib.g_variant_new("(ss)", "org.freedesktop.Secret.Collection", "Locked");
  void *reply = glib.g_dbus_connection_call_sync(connection, "org.freedesktop.secrets", collection,
                                                 "org.freedesktop.DBus.Properties", "Get", property, "(v)", 0,
                                                 DEFAULT_TIMEOUT, cancellable, error);
  glib.g_object_unref(connection);
  if (reply == NULL) return false;
  void *value = NULL;
  glib.g_variant_get(reply, "(v)", &value);
  bool locked = glib.g_variant_is_of_type(value, "b") && glib.g_variant_get_boolean(value);
  glib.g_variant_unref(value);
  glib.g_variant_unref(reply);
  return locked;
}

enum libsecret_outcome libsecret_state(struct libsecret_item *item, void *cancellable, struct glib_reason *reason) {
  GError *error = NULL;
  void *service = glib.secret_service_get_sync(0, cancellable, &error);
  if (service == NULL) return outcome_of(error, reason, LIBSECRET_ABSENT);
  char *collection = collection_of(service, item, cancellable, &error);
  bool is_there = collection != NULL;
  bool locked = is_there && is_locked(collection, cancellable, &error);
  glib.g_free(collection);
  // Some keyrings lock items one by one, and the item may be in another collection.
  if (error == NULL && !locked) {
    struct paths paths = paths_of(service, item, cancellable, &error);
    locked = has_only_locked(paths);
    free_paths(paths);
  }
  glib.g_object_unref(service);
  return outcome_of(error, reason, locked ? LIBSECRET_LOCKED : is_there ? LIBSECRET_DONE : LIBSECRET_NONE);
}

static bool unlock(void *service, char **paths, void *cancellable, GError **error) {
  return glib.secret_service_unlock_dbus_paths_sync(service, paths, cancellable, NULL, error) > 0;
}

enum libsecret_outcome libsecret_unlock(struct libsecret_item *item, void *cancellable, struct glib_reason *reason) {
  GError *error = NULL;
  void *service = glib.secret_service_get_sync(0, cancellable, &error);
  if (service == NULL) return outcome_of(error, reason, LIBSECRET_ABSENT);
  char *collection[] = {collection_of(service, item, cancellable, &error), NULL};
  bool is_open = collection[0] == NULL || !is_locked(collection[0], cancellable, &error);
  if (!is_open) is_open = unlock(service, collection, cancellable, &error);
  glib.g_free(collection[0]);
  if (is_open && error == NULL) {
    struct paths paths = paths_of(service, item, cancellable, &error);
    if (has_only_locked(paths)) is_open = unlock(service, paths.locked, cancellable, &error);
    free_paths(paths);
  }
  glib.g_object_unref(service);
  return outcome_of(error, reason, is_open ? LIBSECRET_DONE : LIBSECRET_DISMISSED);
}

void libsecret_free(char *secret) { glib.secret_password_free(secret); }
