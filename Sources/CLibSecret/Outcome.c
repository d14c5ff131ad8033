#include "Library.h"

#include <stdio.h>
#include <string.h>

enum libsecret_outcome libsecret_outcome_of(GError *error, struct libsecret_reason *reason) {
  if (error == NULL) return LIBSECRET_DONE;
  const char *name = libsecret.quark_to_string(error->domain);
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
  libsecret.error_free(error);
  return result;
}
