#include "CLibCurl.h"

#include <dlfcn.h>
#include <stdio.h>

bool libcurl_open(struct libcurl *library, const char *name, char *reason, size_t capacity) {
  void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    const char *text = dlerror();
    snprintf(reason, capacity, "%s", text != NULL ? text : name);
    return false;
  }

  // POSIX allows converting a pointer from dlsym to a function pointer; ISO C doesn't, hence void **.
#define LOOK_UP(function) \
  *(void **)&library->function = dlsym(handle, "curl_" #function); \
  if (library->function == NULL) { \
    snprintf(reason, capacity, "%s has no curl_%s; libcurl 7.66 or newer is needed", name, #function); \
    dlclose(handle); \
    return false; \
  }
  LIBCURL_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
  return true;
}
