#include "GLib.h"

#include <stdio.h>
#include <string.h>

// The outcome of a call that failed with this error, or `otherwise` if there is none.
static enum libsecret_outcome outcome_of(GError *error, struct glib_reason *reason, enum libsecret_outcome otherwise) {
  if (error == NULL) return otherwise;
  const char *name = glib.g_quark_to_string(error->domain);
  const char *domain = name != NULL ? name : "";
  const char *message = error->message != NULL ? error->message : "";
  snprintf(reason->text, sizeof reason->text, "%s", message);
  enum libsecret_outcome result = LIBSECRET_FAILED;
  if (strcmp(domain, "g-dbus-error-quark") == 0) {
    switch (error->code) {
    case 2:  // G_DBUS_ERROR_SERVICE_UNKNOWN
    case 3:  // G_DBUS_ERROR_NAME_HAS_NO_OWNER
    case 4:  // G_DBUS_ERROR_NO_REPLY: it exited before it replied
    case 11: // G_DBUS_ERROR_NO_SERVER
    case 15: // G_DBUS_ERROR_DISCONNECTED
      result = LIBSECRET_ABSENT;
      break;
    case 12: // G_DBUS_ERROR_TIMEOUT
    case 20: // G_DBUS_ERROR_TIMED_OUT
      result = LIBSECRET_CANCELLED;
      break;
    }
    if (error->code >= 23 && error->code <= 34) result = LIBSECRET_ABSENT; // the bus couldn't start the service
  } else if (strcmp(domain, "g-io-error-quark") == 0) {
    switch (error->code) {
    case 19: // G_IO_ERROR_CANCELLED
    case 24: // G_IO_ERROR_TIMED_OUT
      result = LIBSECRET_CANCELLED;
      break;
    case 1:  // G_IO_ERROR_NOT_FOUND: no bus address, or no socket
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
  glib.g_error_free(error);
  return result;
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
static bool replaced(const struct libsecret_item *item, const char *secret, void *cancellable, GError **error) {
  SecretSchema schema;
  void *service = glib.secret_service_get_sync(0, cancellable, error);
  if (service == NULL) return false;
  void *attributes = attributes_of(item, &schema);
  GList *found = glib.secret_service_search_sync(service, &schema, attributes, 0, cancellable, error);
  glib.g_hash_table_unref(attributes);
  bool is_done = false;
  if (found != NULL) {
    void *value = glib.secret_value_new(secret, -1, "text/plain");
    is_done = glib.secret_item_set_secret_sync(found->data, value, cancellable, error);
    glib.secret_value_unref(value);
    glib.g_object_unref(found->data);
    glib.g_list_free(found);
  }
  glib.g_object_unref(service);
  return is_done;
}

enum libsecret_outcome libsecret_store(struct libsecret_item *item, const char *secret, void *cancellable,
                                       struct glib_reason *reason) {
  SecretSchema schema;
  GError *error = NULL;
  if (item->matches_any_schema) {
    bool is_done = replaced(item, secret, cancellable, &error);
    if (is_done || error != NULL) return outcome_of(error, reason, LIBSECRET_DONE);
  }
  void *attributes = attributes_of(item, &schema);
  int done =
      glib.secret_password_storev_sync(&schema, attributes, item->collection, item->label, secret, cancellable, &error);
  glib.g_hash_table_unref(attributes);
  // Failure without an error means a dismissed prompt.
  return outcome_of(error, reason, done ? LIBSECRET_DONE : LIBSECRET_DISMISSED);
}

enum libsecret_outcome libsecret_lookup(struct libsecret_item *item, void *cancellable, struct glib_reason *reason) {
  SecretSchema schema;
  GError *error = NULL;
  void *attributes = attributes_of(item, &schema);
  item->secret = glib.secret_password_lookupv_sync(&schema, attributes, cancellable, &error);
  glib.g_hash_table_unref(attributes);
  return outcome_of(error, reason, item->secret != NULL ? LIBSECRET_DONE : LIBSECRET_NONE);
}

enum libsecret_outcome libsecret_clear(struct libsecret_item *item, void *cancellable, struct glib_reason *reason) {
  SecretSchema schema;
  GError *error = NULL;
  void *attributes = attributes_of(item, &schema);
  int done = glib.secret_password_clearv_sync(&schema, attributes, cancellable, &error);
  glib.g_hash_table_unref(attributes);
  return outcome_of(error, reason, done ? LIBSECRET_DONE : LIBSECRET_NONE);
}

enum libsecret_outcome libsecret_owner(struct glib_reason *owner, int milliseconds) {
  GError *error = NULL;
  const char *bus = "org.freedesktop.DBus";
  void *connection = glib.g_bus_get_sync(SESSION_BUS, NULL, &error);
  if (connection == NULL) return outcome_of(error, owner, LIBSECRET_ABSENT);
  void *name = glib.g_variant_new("(s)", "org.freedesktop.secrets");
  void *reply = glib.g_dbus_connection_call_sync(connection, bus, "/org/freedesktop/DBus", bus, "GetNameOwner", name,
                                               NULL, 0, milliseconds, NULL, &error);
  glib.g_object_unref(connection);
  if (reply == NULL) return outcome_of(error, owner, LIBSECRET_ABSENT);
  const char *found = "";
  glib.g_variant_get(reply, "(&s)", &found);
  snprintf(owner->text, sizeof owner->text, "%s", found);
  glib.g_variant_unref(reply);
  return LIBSECRET_DONE;
}

// Whether the item exists but is locked.
static bool is_item_locked(void *service, const struct libsecret_item *item, void *cancellable, GError **error) {
  SecretSchema schema;
  char **open = NULL;
  char **locked = NULL;
  void *attributes = attributes_of(item, &schema);
  glib.secret_service_search_for_dbus_paths_sync(service, &schema, attributes, cancellable, &open, &locked, error);
  glib.g_hash_table_unref(attributes);
  bool is_locked = (open == NULL || open[0] == NULL) && locked != NULL && locked[0] != NULL;
  glib.g_strfreev(open);
  glib.g_strfreev(locked);
  return is_locked;
}

static void *collection_of(void *service, const struct libsecret_item *item, void *cancellable, GError **error) {
  const char *name = item->collection;
  return name[0] == '/' ? glib.secret_collection_new_for_dbus_path_sync(service, name, 0, cancellable, error)
                        : glib.secret_collection_for_alias_sync(service, name, 0, cancellable, error);
}

enum libsecret_outcome libsecret_state(struct libsecret_item *item, void *cancellable, struct glib_reason *reason) {
  GError *error = NULL;
  void *service = glib.secret_service_get_sync(0, cancellable, &error);
  if (service == NULL) return outcome_of(error, reason, LIBSECRET_ABSENT);
  void *collection = collection_of(service, item, cancellable, &error);
  bool is_there = collection != NULL;
  bool is_locked = is_there && glib.secret_collection_get_locked(collection);
  // Some keyrings lock items one by one, and the item may be in another collection.
  if (error == NULL && !is_locked) is_locked = is_item_locked(service, item, cancellable, &error);
  if (is_there) glib.g_object_unref(collection);
  glib.g_object_unref(service);
  return outcome_of(error, reason, is_locked ? LIBSECRET_LOCKED : is_there ? LIBSECRET_DONE : LIBSECRET_NONE);
}

enum libsecret_outcome libsecret_unlock(struct libsecret_item *item, void *cancellable, struct glib_reason *reason) {
  GError *error = NULL;
  void *service = glib.secret_service_get_sync(0, cancellable, &error);
  if (service == NULL) return outcome_of(error, reason, LIBSECRET_ABSENT);
  GList collection = {.data = collection_of(service, item, cancellable, &error)};
  bool is_open = collection.data == NULL || !glib.secret_collection_get_locked(collection.data);
  if (!is_open) is_open = glib.secret_service_unlock_sync(service, &collection, cancellable, NULL, &error) > 0;
  if (collection.data != NULL) glib.g_object_unref(collection.data);
  glib.g_object_unref(service);
  return outcome_of(error, reason, is_open ? LIBSECRET_DONE : LIBSECRET_DISMISSED);
}

void *libsecret_cancellable_new(void) { return glib.g_cancellable_new(); }
void libsecret_cancel(void *cancellable) { glib.g_cancellable_cancel(cancellable); }
void libsecret_cancellable_free(void *cancellable) { glib.g_object_unref(cancellable); }
void libsecret_free(char *secret) { glib.secret_password_free(secret); }
