#include "GLib.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static enum broker_outcome failed(GError *error, struct glib_reason *reason) {
  const char *domain = glib.g_quark_to_string(error->domain);
  bool is_bus = domain != NULL && strcmp(domain, "g-dbus-error-quark") == 0;
  // SERVICE_UNKNOWN, NAME_HAS_NO_OWNER: the name has no owner, and the bus can't start one.
  enum broker_outcome outcome = is_bus && (error->code == 2 || error->code == 3) ? BROKER_ABSENT : BROKER_FAILED;
  snprintf(reason->text, sizeof reason->text, "%s", error->message != NULL ? error->message : "");
  glib.g_error_free(error);
  return outcome;
}

static enum broker_outcome call(const char *bus, bool may_start, const char *method, const char *correlation,
                                const char *request, size_t limit, void *cancellable, char **reply,
                                struct glib_reason *reason) {
  GError *error = NULL;
  void *connection = bus_connect(bus, cancellable, &error);
  if (connection == NULL) {
    failed(error, reason);
    return BROKER_ABSENT;
  }
  // The user may take longer than D-Bus's default of 25 s.
  void *result = glib.g_dbus_connection_call_sync(
      connection, "com.microsoft.identity.broker1", "/com/microsoft/identity/broker1",
      "com.microsoft.identity.Broker1", method, glib.g_variant_new("(sss)", "0.0", correlation, request), "(s)",
      may_start ? 0 : NO_AUTO_START, INT_MAX, cancellable, &error);
  enum broker_outcome outcome = BROKER_REPLIED;
  if (result == NULL) {
    outcome = failed(error, reason);
  } else {
    const char *text = "";
    glib.g_variant_get(result, "(&s)", &text);
    *reply = strnlen(text, limit + 1) > limit ? NULL : strdup(text);
    if (*reply == NULL) {
      snprintf(reason->text, sizeof reason->text, "its response is too large");
      outcome = BROKER_FAILED;
    }
    glib.g_variant_unref(result);
  }
  glib.g_dbus_connection_close_sync(connection, NULL, NULL);
  glib.g_object_unref(connection);
  return outcome;
}

enum broker_outcome broker_call(const char *bus, bool may_start, const char *method, const char *correlation,
                                const char *request, size_t limit, void *cancellable, char **reply,
                                struct glib_reason *reason) {
  // A closed connection is released in the thread's context, which only this function iterates.
  void *context = glib.g_main_context_new();
  glib.g_main_context_push_thread_default(context);
  enum broker_outcome outcome = call(bus, may_start, method, correlation, request, limit, cancellable, reply, reason);
  while (glib.g_main_context_iteration(context, 0)) continue;
  glib.g_main_context_pop_thread_default(context);
  glib.g_main_context_unref(context);
  return outcome;
}
