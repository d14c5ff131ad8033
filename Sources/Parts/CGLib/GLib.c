#include "GLib.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

struct glib glib;

struct library {
  pthread_once_t once;
  bool is_open;
  struct glib_reason failure;
};

static void *open_library(struct library *library, const char *name) {
  void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    const char *text = dlerror();
    snprintf(library->failure.text, sizeof library->failure.text, "%s", text != NULL ? text : name);
  }
  return handle;
}

// POSIX allows converting a pointer from dlsym to a function pointer; ISO C doesn't, hence void **.
#define LOOK_UP(result, function, parameters) \
  *(void **)&glib.function = dlsym(handle, #function); \
  if (glib.function == NULL) { \
    snprintf(library->failure.text, sizeof library->failure.text, "%s has no %s", name, #function); \
    return; \
  }

static struct library gio = {.once = PTHREAD_ONCE_INIT};

static void open_gio(void) {
  struct library *library = &gio;
  const char *name = "libgio-2.0.so.0";
  // An application that has loaded GLib decides where its messages go.
  void *loaded = dlopen("libglib-2.0.so.0", RTLD_NOW | RTLD_NOLOAD);
  if (loaded != NULL) dlclose(loaded);
  void *handle = open_library(library, name);
  if (handle == NULL) return;
  GLIB_FUNCTIONS(LOOK_UP)
  if (loaded == NULL) {
    // With G_MESSAGES_DEBUG, GLib would write to stdout, before the token. GLib before 2.68 has no other choice.
    void (*use_stderr)(int) = NULL;
    *(void **)&use_stderr = dlsym(handle, "g_log_writer_default_set_use_stderr");
    if (use_stderr != NULL) use_stderr(1);
  }
  library->is_open = true;
}

static bool open_once(struct library *library, void open(void), struct glib_reason *reason) {
  pthread_once(&library->once, open);
  if (!library->is_open) *reason = library->failure;
  return library->is_open;
}

bool glib_open(struct glib_reason *reason) { return open_once(&gio, open_gio, reason); }

void *cancellable_new(void) { return glib.g_cancellable_new(); }
void cancellable_cancel(void *cancellable) { glib.g_cancellable_cancel(cancellable); }
void cancellable_free(void *cancellable) { glib.g_object_unref(cancellable); }

static struct library libsecret = {.once = PTHREAD_ONCE_INIT};

static void open_libsecret(void) {
  struct library *library = &libsecret;
  const char *name = "libsecret-1.so.0";
  if (!glib_open(&library->failure)) return;
  void *handle = open_library(library, name);
  if (handle == NULL) return;
  SECRET_FUNCTIONS(LOOK_UP)
  library->is_open = true;
}

bool libsecret_open(struct glib_reason *reason) { return open_once(&libsecret, open_libsecret, reason); }
