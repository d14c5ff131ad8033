#include "Library.h"

#include <string.h>

void *libsecret_attributes(const struct libsecret_item *item, SecretSchema *schema) {
  memset(schema, 0, sizeof *schema);
  schema->name = item->schema;
  schema->flags = item->matches_any_schema ? DONT_MATCH_NAME : 0;
  void *table = libsecret.hash_table_new(libsecret.str_hash, libsecret.str_equal);
  // The last place stays empty: it marks the end.
  for (size_t index = 0; index < item->count && index < MOST_ATTRIBUTES - 1; index++) {
    schema->attributes[index].name = item->names[index];
    schema->attributes[index].type = STRING_ATTRIBUTE;
    libsecret.hash_table_insert(table, item->names[index], item->values[index]);
  }
  return table;
}

// Gives the item another secret, if it is there: to store it anew would leave one of another schema beside the new one.
static bool replaced(const struct libsecret_item *item, const char *secret, void *cancellable, GError **error) {
  SecretSchema schema;
  void *service = libsecret.service_get_sync(0, cancellable, error);
  if (service == NULL) return false;
  void *attributes = libsecret_attributes(item, &schema);
  GList *found = libsecret.search_sync(service, &schema, attributes, 0, cancellable, error);
  libsecret.hash_table_unref(attributes);
  bool is_done = false;
  if (found != NULL) {
    void *value = libsecret.value_new(secret, -1, "text/plain");
    is_done = libsecret.item_set_secret_sync(found->data, value, cancellable, error);
    libsecret.value_unref(value);
    libsecret.object_unref(found->data);
    libsecret.list_free(found);
  }
  libsecret.object_unref(service);
  return is_done;
}

enum libsecret_outcome libsecret_store(const struct libsecret_item *item, const char *secret, void *cancellable,
                                       struct libsecret_reason *reason) {
  SecretSchema schema;
  GError *error = NULL;
  if (item->matches_any_schema) {
    if (replaced(item, secret, cancellable, &error)) return LIBSECRET_DONE;
    if (error != NULL) return libsecret_outcome_of(error, reason);
  }
  void *attributes = libsecret_attributes(item, &schema);
  int done =
      libsecret.password_storev_sync(&schema, attributes, item->collection, item->label, secret, cancellable, &error);
  libsecret.hash_table_unref(attributes);
  if (error != NULL) return libsecret_outcome_of(error, reason);
  // A failure without an error is a prompt that was dismissed.
  return done ? LIBSECRET_DONE : LIBSECRET_DISMISSED;
}

enum libsecret_outcome libsecret_lookup(const struct libsecret_item *item, char **secret, void *cancellable,
                                        struct libsecret_reason *reason) {
  SecretSchema schema;
  GError *error = NULL;
  void *attributes = libsecret_attributes(item, &schema);
  *secret = libsecret.password_lookupv_sync(&schema, attributes, cancellable, &error);
  libsecret.hash_table_unref(attributes);
  if (error != NULL) return libsecret_outcome_of(error, reason);
  return *secret != NULL ? LIBSECRET_DONE : LIBSECRET_NONE;
}

enum libsecret_outcome libsecret_clear(const struct libsecret_item *item, void *cancellable,
                                       struct libsecret_reason *reason) {
  SecretSchema schema;
  GError *error = NULL;
  void *attributes = libsecret_attributes(item, &schema);
  int done = libsecret.password_clearv_sync(&schema, attributes, cancellable, &error);
  libsecret.hash_table_unref(attributes);
  if (error != NULL) return libsecret_outcome_of(error, reason);
  return done ? LIBSECRET_DONE : LIBSECRET_NONE;
}
