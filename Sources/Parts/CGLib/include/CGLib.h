#pragma once

#include <stdbool.h>
#include <stddef.h>

// libsecret and GIO are opened on first use: msauth also runs without them, and most commands need neither. Their
// headers aren't needed.

// The reason of a failure, NUL-terminated, cut to its capacity.
struct glib_reason {
  char text[512];
};

// Opens GIO, once; GLib can't be closed.
bool glib_open(struct glib_reason *reason);

// Cancels a call from another thread. Requires glib_open.
void *cancellable_new(void);
void cancellable_cancel(void *cancellable);
void cancellable_free(void *cancellable);

// libsecret (https://gnome.pages.gitlab.gnome.org/libsecret/). Every call blocks; cancellable_cancel ends it.

enum libsecret_outcome {
  LIBSECRET_DONE,      // a lookup found the item
  LIBSECRET_NONE,      // no such item or collection
  LIBSECRET_ABSENT,    // no session bus, or no Secret Service on it
  LIBSECRET_LOCKED,    // the collection or the item is locked
  LIBSECRET_DISMISSED, // the user dismissed the prompt
  LIBSECRET_CANCELLED, // cancellable_cancel, or the call timed out
  LIBSECRET_FAILED,    // anything else; the reason has the details
};

struct libsecret_item {
  const char *schema;
  bool matches_any_schema; // also finds items with another schema or none
  const char *collection; // "default", "session", or an object path
  const char *label;
  size_t count; // attributes, at most 31
  const char *const *attributes; // the name and the value of each
  char *secret; // set by libsecret_lookup
};

// Opens the library, once.
bool libsecret_open(struct glib_reason *reason);

// Returns the bus name of the running Secret Service (DONE), or ABSENT. Never starts one.
enum libsecret_outcome libsecret_owner(struct glib_reason *owner, int milliseconds);

// A name on the session bus (D-Bus Specification, "Message Bus Names").
enum bus_name_outcome {
  BUS_NAME_OWNED,
  BUS_NAME_TAKEN,   // by another owner; or the bus doesn't respond
  BUS_NAME_REFUSED, // by the policy of a sandbox; or there is no bus
};

// Connects to the bus and requests one name; bus_name_release closes the connection and releases the name. Blocks until
// the bus responds, or until cancellable_cancel.
enum bus_name_outcome bus_name_request(const char *bus, const char *name, void *cancellable, void **owner);
void bus_name_release(void *owner);

typedef enum libsecret_outcome libsecret_call(struct libsecret_item *item, void *cancellable,
                                              struct glib_reason *reason);

// Returns DONE, LOCKED if the collection or the item is locked, or NONE if there is no such collection. Never prompts.
libsecret_call libsecret_state;

// Prompts the user to unlock the collection. DONE also if it is unlocked or missing.
libsecret_call libsecret_unlock;

// Sets the item's secret, which libsecret_free wipes and frees.
libsecret_call libsecret_lookup;
void libsecret_free(char *secret);

// DONE if an item was removed.
libsecret_call libsecret_clear;

enum libsecret_outcome libsecret_store(struct libsecret_item *item, const char *secret, void *cancellable,
                                       struct glib_reason *reason);

// The desktop portal's OpenURI (https://flatpak.github.io/xdg-desktop-portal/).

enum portal_outcome {
  PORTAL_OPENED,    // a program received the address
  PORTAL_WAITING,   // the user is still choosing a program
  PORTAL_DISMISSED, // the user dismissed the choice
  PORTAL_FAILED,    // anything else; the reason has the details
};

// Opens an address and waits until the portal responds or the time is over. Blocks without limit if the bus accepts the
// connection and never responds. `token` is the value of XDG_ACTIVATION_TOKEN, or NULL. All strings are ASCII.
enum portal_outcome portal_open(const char *bus, const char *uri, const char *token, int milliseconds,
                                struct glib_reason *reason);

// The identity broker (com.microsoft.identity.broker1).

enum broker_outcome {
  BROKER_REPLIED,
  BROKER_ABSENT, // no session bus, or a bus on which no broker runs and none can be started
  BROKER_FAILED, // anything else, cancellable_cancel included; the reason has the details
};

// Calls a method of the broker, which the bus may start if `may_start`, and sets `reply`, which the caller frees.
// Blocks until the broker responds, or until cancellable_cancel. Requires glib_open.
enum broker_outcome broker_call(const char *bus, bool may_start, const char *method, const char *correlation,
                                const char *request, size_t limit, void *cancellable, char **reply,
                                struct glib_reason *reason);
