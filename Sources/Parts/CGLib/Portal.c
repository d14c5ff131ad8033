#include "GLib.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static const char *const portal = "org.freedesktop.portal.Desktop";

// The state of one OpenURI request.
struct wait {
  int has_response;
  int is_over;
  uint32_t response;
};

static void on_response(void *connection, const char *sender, const char *path, const char *interface,
                        const char *signal, void *parameters, void *data) {
  (void)connection, (void)sender, (void)path, (void)interface, (void)signal;
  struct wait *wait = data;
  glib.g_variant_get_child(parameters, 0, "u", &wait->response);
  wait->has_response = 1;
}

static int on_timeout(void *data) {
  ((struct wait *)data)->is_over = 1;
  return 1;
}

static enum portal_outcome failed(GError *error, struct glib_reason *reason) {
  snprintf(reason->text, sizeof reason->text, "%s", error != NULL ? error->message : "it failed");
  if (error != NULL) glib.g_error_free(error);
  return PORTAL_FAILED;
}

static enum portal_outcome request(void *connection, void *context, const char *uri, const char *token, int milliseconds,
                               struct glib_reason *reason) {
  // Subscribing before the call, at the path that the request will have, misses no response.
  static atomic_uint count;
  char name[64], path[256], sender[128];
  const char *unique = glib.g_dbus_connection_get_unique_name(connection);
  size_t length = 0;
  // ":1.42" without its colon and with an underscore for each dot.
  for (unique += unique[0] == ':'; unique[length] != '\0' && length < sizeof sender - 1; length++) {
    sender[length] = unique[length] == '.' ? '_' : unique[length];
  }
  sender[length] = '\0';
  snprintf(name, sizeof name, "msauth_%d_%u", (int)getpid(), atomic_fetch_add(&count, 1));
  snprintf(path, sizeof path, "/org/freedesktop/portal/desktop/request/%s/%s", sender, name);

  struct wait wait = {0};
  unsigned subscription = glib.g_dbus_connection_signal_subscribe(
      connection, portal, "org.freedesktop.portal.Request", "Response", path, NULL, 0, on_response, &wait, NULL);
  void *parameters = token != NULL
      ? glib.g_variant_new_parsed("('', %s, {'handle_token': <%s>, 'activation_token': <%s>})", uri, name, token)
      : glib.g_variant_new_parsed("('', %s, {'handle_token': <%s>})", uri, name);
  GError *error = NULL;
  void *reply = glib.g_dbus_connection_call_sync(
      connection, portal, "/org/freedesktop/portal/desktop", "org.freedesktop.portal.OpenURI", "OpenURI", parameters,
      NULL, 0, milliseconds, NULL, &error);
  enum portal_outcome outcome;
  if (reply == NULL) {
    outcome = failed(error, reason);
  } else {
    glib.g_variant_unref(reply);
    void *timeout = glib.g_timeout_source_new((unsigned)milliseconds);
    glib.g_source_set_callback(timeout, on_timeout, &wait, NULL);
    glib.g_source_attach(timeout, context);
    while (!wait.has_response && !wait.is_over) glib.g_main_context_iteration(context, 1);
    glib.g_source_destroy(timeout);
    glib.g_source_unref(timeout);
    if (!wait.has_response) {
      outcome = PORTAL_WAITING;
    } else if (wait.response == 0) {
      outcome = PORTAL_OPENED;
    } else if (wait.response == 1) {
      outcome = PORTAL_DISMISSED;
    } else {
      outcome = failed(NULL, reason);
    }
  }
  glib.g_dbus_connection_signal_unsubscribe(connection, subscription);
  // A queued signal must not reach the callback after this function has returned.
  while (glib.g_main_context_iteration(context, 0)) continue;
  return outcome;
}

enum portal_outcome portal_open(const char *bus, const char *uri, const char *token, int milliseconds,
                                struct glib_reason *reason) {
  if (!glib_open(reason)) return PORTAL_FAILED;
  GError *error = NULL;
  void *connection = bus_connect(bus, NULL, &error);
  if (connection == NULL) return failed(error, reason);
  void *context = glib.g_main_context_new();
  glib.g_main_context_push_thread_default(context);
  enum portal_outcome outcome = request(connection, context, uri, token, milliseconds, reason);
  glib.g_main_context_pop_thread_default(context);
  glib.g_dbus_connection_close(connection, NULL, NULL, NULL);
  glib.g_object_unref(connection);
  glib.g_main_context_unref(context);
  return outcome;
}
