#include "Library.h"

#include <stdio.h>

enum libsecret_outcome libsecret_owner(struct libsecret_reason *owner, int milliseconds) {
  GError *error = NULL;
  const char *bus = "org.freedesktop.DBus";
  void *connection = libsecret.bus_get_sync(SESSION_BUS, NULL, &error);
  if (connection == NULL) return error != NULL ? libsecret_outcome_of(error, owner) : LIBSECRET_ABSENT;
  void *name = libsecret.variant_new("(s)", "org.freedesktop.secrets");
  void *reply = libsecret.connection_call_sync(connection, bus, "/org/freedesktop/DBus", bus, "GetNameOwner", name,
                                               NULL, 0, milliseconds, NULL, &error);
  libsecret.object_unref(connection);
  if (reply == NULL) return error != NULL ? libsecret_outcome_of(error, owner) : LIBSECRET_ABSENT;
  const char *found = "";
  libsecret.variant_get(reply, "(&s)", &found);
  snprintf(owner->text, sizeof owner->text, "%s", found);
  libsecret.variant_unref(reply);
  return LIBSECRET_DONE;
}

// Whether the item is there, and only for somebody who unlocks it.
static bool is_item_locked(void *service, const struct libsecret_item *item, void *cancellable, GError **error) {
  SecretSchema schema;
  char **open = NULL;
  char **locked = NULL;
  void *attributes = libsecret_attributes(item, &schema);
  libsecret.search_paths_sync(service, &schema, attributes, cancellable, &open, &locked, error);
  libsecret.hash_table_unref(attributes);
  bool is_locked = (open == NULL || open[0] == NULL) && locked != NULL && locked[0] != NULL;
  libsecret.strfreev(open);
  libsecret.strfreev(locked);
  return is_locked;
}

static void *collection_of(void *service, const struct libsecret_item *item, void *cancellable, GError **error) {
  const char *name = item->collection;
  return name[0] == '/' ? libsecret.collection_new_sync(service, name, 0, cancellable, error)
                        : libsecret.collection_for_alias_sync(service, name, 0, cancellable, error);
}

enum libsecret_outcome libsecret_state(const struct libsecret_item *item, void *cancellable,
                                       struct libsecret_reason *reason) {
  GError *error = NULL;
  void *service = libsecret.service_get_sync(0, cancellable, &error);
  if (service == NULL) return error != NULL ? libsecret_outcome_of(error, reason) : LIBSECRET_ABSENT;
  void *collection = collection_of(service, item, cancellable, &error);
  bool is_there = collection != NULL;
  bool is_locked = is_there && libsecret.collection_get_locked(collection);
  // Some keyrings unlock each item for itself; and what was stored may be in another collection.
  if (error == NULL && !is_locked) is_locked = is_item_locked(service, item, cancellable, &error);
  if (is_there) libsecret.object_unref(collection);
  libsecret.object_unref(service);
  if (error != NULL) return libsecret_outcome_of(error, reason);
  if (is_locked) return LIBSECRET_LOCKED;
  return is_there ? LIBSECRET_DONE : LIBSECRET_NONE;
}

enum libsecret_outcome libsecret_unlock(const struct libsecret_item *item, void *cancellable,
                                        struct libsecret_reason *reason) {
  GError *error = NULL;
  void *service = libsecret.service_get_sync(0, cancellable, &error);
  if (service == NULL) return error != NULL ? libsecret_outcome_of(error, reason) : LIBSECRET_ABSENT;
  GList collection = {.data = collection_of(service, item, cancellable, &error)};
  bool is_open = collection.data == NULL || !libsecret.collection_get_locked(collection.data);
  if (!is_open) is_open = libsecret.unlock_sync(service, &collection, cancellable, NULL, &error) > 0;
  if (collection.data != NULL) libsecret.object_unref(collection.data);
  libsecret.object_unref(service);
  if (error != NULL) return libsecret_outcome_of(error, reason);
  return is_open ? LIBSECRET_DONE : LIBSECRET_DISMISSED;
}
