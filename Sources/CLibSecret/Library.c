#include "Library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct libsecret_functions libsecret;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_open;
static struct libsecret_reason open_failure;

static void open_once(void) {
  // GLib belongs to the application if that has it already; then its messages go where the application wants them.
  void *glib = dlopen("libglib-2.0.so.0", RTLD_NOW | RTLD_NOLOAD);
  bool is_ours = glib == NULL;
  if (glib != NULL) dlclose(glib);
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
      {"g_bus_get_sync", (void **)&libsecret.bus_get_sync},
      {"g_dbus_connection_call_sync", (void **)&libsecret.connection_call_sync},
      {"g_variant_new", (void **)&libsecret.variant_new},
      {"g_variant_get", (void **)&libsecret.variant_get},
      {"g_variant_unref", (void **)&libsecret.variant_unref},
      {"g_cancellable_new", (void **)&libsecret.cancellable_new},
      {"g_cancellable_cancel", (void **)&libsecret.cancellable_cancel},
      {"g_object_unref", (void **)&libsecret.object_unref},
      {"g_error_free", (void **)&libsecret.error_free},
      {"g_quark_to_string", (void **)&libsecret.quark_to_string},
      {"g_hash_table_new", (void **)&libsecret.hash_table_new},
      {"g_hash_table_insert", (void **)&libsecret.hash_table_insert},
      {"g_hash_table_unref", (void **)&libsecret.hash_table_unref},
      {"g_str_hash", &libsecret.str_hash},
      {"g_str_equal", &libsecret.str_equal},
      {"secret_service_get_sync", (void **)&libsecret.service_get_sync},
      {"secret_collection_for_alias_sync", (void **)&libsecret.collection_for_alias_sync},
      {"secret_collection_new_for_dbus_path_sync", (void **)&libsecret.collection_new_sync},
      {"secret_collection_get_locked", (void **)&libsecret.collection_get_locked},
      {"secret_service_search_for_dbus_paths_sync", (void **)&libsecret.search_paths_sync},
      {"g_strfreev", (void **)&libsecret.strfreev},
      {"secret_service_search_sync", (void **)&libsecret.search_sync},
      {"g_list_free", (void **)&libsecret.list_free},
      {"secret_item_set_secret_sync", (void **)&libsecret.item_set_secret_sync},
      {"secret_value_new", (void **)&libsecret.value_new},
      {"secret_value_unref", (void **)&libsecret.value_unref},
      {"secret_service_unlock_sync", (void **)&libsecret.unlock_sync},
      {"secret_password_storev_sync", (void **)&libsecret.password_storev_sync},
      {"secret_password_lookupv_sync", (void **)&libsecret.password_lookupv_sync},
      {"secret_password_clearv_sync", (void **)&libsecret.password_clearv_sync},
      {"secret_password_free", (void **)&libsecret.password_free},
  };
  for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
    *functions[index].place = dlsym(handle, functions[index].name);
    if (*functions[index].place == NULL) {
      snprintf(open_failure.text, sizeof open_failure.text, "libsecret-1.so.0 has no %s", functions[index].name);
      return;
    }
  }
  if (is_ours) {
    // With G_MESSAGES_DEBUG it would write to stdout, before the token (since GLib 2.68; earlier ones cannot help it).
    void (*use_stderr)(int) = NULL;
    *(void **)&use_stderr = dlsym(handle, "g_log_writer_default_set_use_stderr");
    if (use_stderr != NULL) use_stderr(1);
  }
  is_open = true;
}

bool libsecret_open(struct libsecret_reason *reason) {
  pthread_once(&once, open_once);
  if (!is_open) *reason = open_failure;
  return is_open;
}

void *libsecret_cancellable_new(void) { return libsecret.cancellable_new(); }
void libsecret_cancel(void *cancellable) { libsecret.cancellable_cancel(cancellable); }
void libsecret_cancellable_free(void *cancellable) { libsecret.object_unref(cancellable); }
void libsecret_free(char *secret) { libsecret.password_free(secret); }
