#include "CPortal.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

// GLib's, as its ABI has them since 2.26.
struct error {
  uint32_t domain;
  int code;
  char *message;
};
enum { AUTHENTICATION_CLIENT = 1 << 0, MESSAGE_BUS_CONNECTION = 1 << 3 };
typedef void signal_callback(void *connection, const char *sender, const char *path, const char *interface,
                             const char *signal, void *parameters, void *data);

static struct {
  void *(*connection_new)(const char *address, int flags, void *observer, void *cancellable, struct error **error);
  const char *(*unique_name)(void *connection);
  unsigned (*subscribe)(void *connection, const char *sender, const char *interface, const char *member,
                        const char *path, const char *argument, int flags, signal_callback *callback, void *data,
                        void *free_data);
  void (*unsubscribe)(void *connection, unsigned subscription);
  void *(*call)(void *connection, const char *name, const char *path, const char *interface, const char *method,
                void *parameters, void *reply_type, int flags, int milliseconds, void *cancellable,
                struct error **error);
  void (*close)(void *connection, void *cancellable, void *callback, void *data);
  void *(*variant_new_parsed)(const char *format, ...);
  void (*variant_get_child)(void *variant, size_t index, const char *format, ...);
  void (*variant_unref)(void *variant);
  void (*object_unref)(void *object);
  void (*error_free)(struct error *error);
  void *(*context_new)(void);
  void (*context_push)(void *context);
  void (*context_pop)(void *context);
  int (*context_iteration)(void *context, int may_block);
  void (*context_unref)(void *context);
  void *(*timeout_source_new)(unsigned milliseconds);
  void (*source_set_callback)(void *source, int (*callback)(void *), void *data, void *free_data);
  unsigned (*source_attach)(void *source, void *context);
  void (*source_destroy)(void *source);
  void (*source_unref)(void *source);
} gio;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char open_failure[512] = "libgio-2.0.so.0 cannot be opened";
static int is_open;

static void open_once(void) {
  // GLib belongs to the application if that has it already; then its messages go where the application wants them.
  void *glib = dlopen("libglib-2.0.so.0", RTLD_NOW | RTLD_NOLOAD);
  int is_ours = glib == NULL;
  if (glib != NULL) dlclose(glib);
  void *handle = dlopen("libgio-2.0.so.0", RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    const char *text = dlerror();
    if (text != NULL) snprintf(open_failure, sizeof open_failure, "%s", text);
    return;
  }
  // A look-up by the handle also searches the libraries that GIO needs.
  const struct {
    const char *name;
    void **place;
  } functions[] = {
      {"g_dbus_connection_new_for_address_sync", (void **)&gio.connection_new},
      {"g_dbus_connection_get_unique_name", (void **)&gio.unique_name},
      {"g_dbus_connection_signal_subscribe", (void **)&gio.subscribe},
      {"g_dbus_connection_signal_unsubscribe", (void **)&gio.unsubscribe},
      {"g_dbus_connection_call_sync", (void **)&gio.call},
      {"g_dbus_connection_close", (void **)&gio.close},
      {"g_variant_new_parsed", (void **)&gio.variant_new_parsed},
      {"g_variant_get_child", (void **)&gio.variant_get_child},
      {"g_variant_unref", (void **)&gio.variant_unref},
      {"g_object_unref", (void **)&gio.object_unref},
      {"g_error_free", (void **)&gio.error_free},
      {"g_main_context_new", (void **)&gio.context_new},
      {"g_main_context_push_thread_default", (void **)&gio.context_push},
      {"g_main_context_pop_thread_default", (void **)&gio.context_pop},
      {"g_main_context_iteration", (void **)&gio.context_iteration},
      {"g_main_context_unref", (void **)&gio.context_unref},
      {"g_timeout_source_new", (void **)&gio.timeout_source_new},
      {"g_source_set_callback", (void **)&gio.source_set_callback},
      {"g_source_attach", (void **)&gio.source_attach},
      {"g_source_destroy", (void **)&gio.source_destroy},
      {"g_source_unref", (void **)&gio.source_unref},
  };
  for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
    *functions[index].place = dlsym(handle, functions[index].name);
    if (*functions[index].place == NULL) {
      snprintf(open_failure, sizeof open_failure, "libgio-2.0.so.0 has no %s", functions[index].name);
      return;
    }
  }
  if (is_ours) {
    // With G_MESSAGES_DEBUG it would write to stdout, before the token (since GLib 2.68; earlier ones cannot help it).
    void (*use_stderr)(int) = NULL;
    *(void **)&use_stderr = dlsym(handle, "g_log_writer_default_set_use_stderr");
    if (use_stderr != NULL) use_stderr(1);
  }
  is_open = 1;
}

static const char *const portal = "org.freedesktop.portal.Desktop";

// What comes while one address is opened.
struct wait {
  int is_answered;
  int is_over;
  uint32_t response;
};

static void on_response(void *connection, const char *sender, const char *path, const char *interface,
                        const char *signal, void *parameters, void *data) {
  (void)connection, (void)sender, (void)path, (void)interface, (void)signal;
  struct wait *wait = data;
  gio.variant_get_child(parameters, 0, "u", &wait->response);
  wait->is_answered = 1;
}

static int on_timeout(void *data) {
  ((struct wait *)data)->is_over = 1;
  return 1;
}

static enum portal_outcome failed(struct error *error, struct portal_reason *reason) {
  snprintf(reason->text, sizeof reason->text, "%s", error != NULL ? error->message : "it failed");
  if (error != NULL) gio.error_free(error);
  return PORTAL_FAILED;
}

static enum portal_outcome ask(void *connection, void *context, const char *uri, const char *token, int milliseconds,
                               struct portal_reason *reason) {
  // The path of the answer is known before the call, so that none comes too early.
  static atomic_uint count;
  char name[64], path[256], sender[128];
  const char *own = gio.unique_name(connection);
  size_t length = 0;
  // ":1.42" without its colon and with an underscore for each dot.
  for (own += own[0] == ':'; own[length] != '\0' && length < sizeof sender - 1; length++) {
    sender[length] = own[length] == '.' ? '_' : own[length];
  }
  sender[length] = '\0';
  snprintf(name, sizeof name, "msauth_%d_%u", (int)getpid(), atomic_fetch_add(&count, 1));
  snprintf(path, sizeof path, "/org/freedesktop/portal/desktop/request/%s/%s", sender, name);

  struct wait wait = {0};
  unsigned subscription = gio.subscribe(connection, portal, "org.freedesktop.portal.Request", "Response", path, NULL, 0,
                                        on_response, &wait, NULL);
  void *parameters = token != NULL
                         ? gio.variant_new_parsed("('', %s, {'handle_token': <%s>, 'activation_token': <%s>})", uri,
                                                  name, token)
                         : gio.variant_new_parsed("('', %s, {'handle_token': <%s>})", uri, name);
  struct error *error = NULL;
  void *reply = gio.call(connection, portal, "/org/freedesktop/portal/desktop", "org.freedesktop.portal.OpenURI",
                         "OpenURI", parameters, NULL, 0, milliseconds, NULL, &error);
  enum portal_outcome outcome;
  if (reply == NULL) {
    outcome = failed(error, reason);
  } else {
    gio.variant_unref(reply);
    void *timeout = gio.timeout_source_new((unsigned)milliseconds);
    gio.source_set_callback(timeout, on_timeout, &wait, NULL);
    gio.source_attach(timeout, context);
    while (!wait.is_answered && !wait.is_over) gio.context_iteration(context, 1);
    gio.source_destroy(timeout);
    gio.source_unref(timeout);
    if (!wait.is_answered) {
      outcome = PORTAL_WAITING;
    } else if (wait.response == 0) {
      outcome = PORTAL_OPENED;
    } else if (wait.response == 1) {
      outcome = PORTAL_DISMISSED;
    } else {
      outcome = failed(NULL, reason);
    }
  }
  gio.unsubscribe(connection, subscription);
  // What is still on its way to the callback must not outlive `wait`.
  while (gio.context_iteration(context, 0)) continue;
  return outcome;
}

enum portal_outcome portal_open(const char *bus, const char *uri, const char *token, int milliseconds,
                                struct portal_reason *reason) {
  pthread_once(&once, open_once);
  if (!is_open) {
    snprintf(reason->text, sizeof reason->text, "%s", open_failure);
    return PORTAL_FAILED;
  }
  struct error *error = NULL;
  // A connection of our own: the shared one of GLib belongs to the application.
  void *connection = gio.connection_new(bus, AUTHENTICATION_CLIENT | MESSAGE_BUS_CONNECTION, NULL, NULL, &error);
  if (connection == NULL) return failed(error, reason);
  void *context = gio.context_new();
  gio.context_push(context);
  enum portal_outcome outcome = ask(connection, context, uri, token, milliseconds, reason);
  gio.context_pop(context);
  gio.close(connection, NULL, NULL, NULL);
  gio.object_unref(connection);
  gio.context_unref(context);
  return outcome;
}
