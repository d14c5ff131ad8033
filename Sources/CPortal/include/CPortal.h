#pragma once

// The desktop portal's OpenURI (https://flatpak.github.io/xdg-desktop-portal/), asked over GIO's D-Bus, which is opened
// when a portal is first needed. No header of GLib is needed.

enum portal_outcome {
  PORTAL_OPENED,    // a program got the address
  PORTAL_WAITING,   // the person is still being asked which program shall open it
  PORTAL_DISMISSED, // the person closed that question
  PORTAL_FAILED,    // anything else; the reason says what
};

// The reason of a failure, NUL-terminated, cut to its capacity.
struct portal_reason {
  char text[512];
};

// Has an address opened, and waits until that is done or the time is over. It blocks; a bus that takes the connection and
// stays mute blocks it for good.
//
// The bus is a D-Bus address; the token is that of XDG_ACTIVATION_TOKEN or NULL. All strings are ASCII.
enum portal_outcome portal_open(const char *bus, const char *uri, const char *token, int milliseconds,
                                struct portal_reason *reason);
