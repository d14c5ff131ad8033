#pragma once

#include <stdbool.h>
#include <stddef.h>

// libsecret (https://gnome.pages.gitlab.gnome.org/libsecret/), opened when a keyring is first needed: programs run where
// it is absent, and those that use a file never load it with its fifteen libraries. No header of it is needed.
//
// Every call blocks; run it on a thread of its own, and end it from another one with libsecret_cancel.

enum libsecret_outcome {
  LIBSECRET_DONE,      // it worked; a lookup found the item
  LIBSECRET_NONE,      // there is no such item, or no such collection
  LIBSECRET_ABSENT,    // no session bus, or nothing on it that keeps secrets
  LIBSECRET_LOCKED,    // the collection or the item is locked
  LIBSECRET_DISMISSED, // the person dismissed the prompt
  LIBSECRET_CANCELLED, // libsecret_cancel, or the bus gave up waiting
  LIBSECRET_FAILED,    // anything else; the reason says what
};

struct libsecret_item {
  const char *schema;
  bool matches_any_schema; // whether an item of another schema, or of none, is found as well
  const char *collection; // "default", "session", or an object path
  const char *label;
  size_t count; // of attributes, at most 31
  const char *const *names;
  const char *const *values;
};

// The reason of a failure, NUL-terminated, cut to its capacity.
struct libsecret_reason {
  char text[512];
};

// Opens the library, once; it is never closed, for GLib cannot be.
bool libsecret_open(struct libsecret_reason *reason);

void *libsecret_cancellable_new(void);
void libsecret_cancel(void *cancellable);
void libsecret_cancellable_free(void *cancellable);

// Asks the bus which connection keeps secrets (DONE), or whether none does (ABSENT); starts nothing.
enum libsecret_outcome libsecret_owner(struct libsecret_reason *owner, int milliseconds);

// Asks whether the service answers, and whether the collection or the item is locked (DONE, LOCKED, or NONE where there
// is no such collection), without any prompt.
enum libsecret_outcome libsecret_state(const struct libsecret_item *item, void *cancellable,
                                       struct libsecret_reason *reason);

// Asks the person to unlock the collection; DONE too when it is open, or not there.
enum libsecret_outcome libsecret_unlock(const struct libsecret_item *item, void *cancellable,
                                        struct libsecret_reason *reason);

enum libsecret_outcome libsecret_store(const struct libsecret_item *item, const char *secret, void *cancellable,
                                       struct libsecret_reason *reason);

// The secret is to be freed with libsecret_free, which wipes it.
enum libsecret_outcome libsecret_lookup(const struct libsecret_item *item, char **secret, void *cancellable,
                                        struct libsecret_reason *reason);
void libsecret_free(char *secret);

// DONE when something was removed.
enum libsecret_outcome libsecret_clear(const struct libsecret_item *item, void *cancellable,
                                       struct libsecret_reason *reason);
