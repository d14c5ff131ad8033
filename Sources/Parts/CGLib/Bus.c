#include "GLib.h"

void *bus_connect(const char *bus, void *cancellable, GError **error) {
  // GLib's shared connection belongs to the application.
  return glib.g_dbus_connection_new_for_address_sync(bus, AUTHENTICATION_CLIENT | MESSAGE_BUS_CONNECTION, NULL,
                                                     cancellable, error);
}

void *bus_call(void *connection, const char *method, void *parameters, int milliseconds, void *cancellable,
               GError **error) {
  const char *bus = "org.freedesktop.DBus";
  return glib.g_dbus_connection_call_sync(connection, bus, "/org/freedesktop/DBus", bus, method, parameters, NULL, 0,
                                          milliseconds, cancellable, error);
}

// A bus that takes too long may still respond; any other error is final.
static enum bus_name_outcome name_failure(GError *error) {
  struct glib_reason reason;
  return outcome_of_error(error, &reason) == LIBSECRET_CANCELLED ? BUS_NAME_TAKEN : BUS_NAME_REFUSED;
}

enum bus_name_outcome bus_name_request(const char *bus, const char *name, void *cancellable, void **owner) {
  enum { DO_NOT_QUEUE = 4, PRIMARY_OWNER = 1 };
  GError *error = NULL;
  void *connection = bus_connect(bus, cancellable, &error);
  if (connection == NULL) return name_failure(error);
  void *parameters = glib.g_variant_new("(su)", name, (uint32_t)DO_NOT_QUEUE);
  void *reply = bus_call(connection, "RequestName", parameters, DEFAULT_TIMEOUT, cancellable, &error);
  uint32_t code = 0;
  if (reply != NULL) {
    glib.g_variant_get(reply, "(u)", &code);
    glib.g_variant_unref(reply);
  }
  if (code == PRIMARY_OWNER) {
    *owner = connection;
    return BUS_NAME_OWNED;
  }
  bus_name_release(connection);
  return error == NULL ? BUS_NAME_TAKEN : name_failure(error);
}

void bus_name_release(void *owner) {
  // The bus then releases the connection's names.
  glib.g_dbus_connection_close(owner, NULL, NULL, NULL);
  glib.g_object_unref(owner);
}
