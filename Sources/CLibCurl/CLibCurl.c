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

  // POSIX lets a pointer from dlsym become a function's; ISO C alone does not, hence the detour over void **.
  const struct {
    const char *name;
    void **place;
  } functions[] = {
      {"curl_global_init", (void **)&library->global_init},
      {"curl_easy_init", (void **)&library->easy_init},
      {"curl_easy_cleanup", (void **)&library->easy_cleanup},
      {"curl_easy_reset", (void **)&library->easy_reset},
      {"curl_easy_setopt", (void **)&library->easy_setopt},
      {"curl_easy_getinfo", (void **)&library->easy_getinfo},
      {"curl_easy_strerror", (void **)&library->easy_strerror},
      {"curl_slist_append", (void **)&library->slist_append},
      {"curl_slist_free_all", (void **)&library->slist_free_all},
      {"curl_multi_init", (void **)&library->multi_init},
      {"curl_multi_cleanup", (void **)&library->multi_cleanup},
      {"curl_multi_add_handle", (void **)&library->multi_add_handle},
      {"curl_multi_remove_handle", (void **)&library->multi_remove_handle},
      {"curl_multi_perform", (void **)&library->multi_perform},
      {"curl_multi_poll", (void **)&library->multi_poll}, // the youngest: 7.66, September 2019
      {"curl_multi_info_read", (void **)&library->multi_info_read},
  };
  for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
    *functions[index].place = dlsym(handle, functions[index].name);
    if (*functions[index].place == NULL) {
      snprintf(reason, capacity, "%s has no %s; libcurl 7.66 or newer is needed", name, functions[index].name);
      dlclose(handle);
      return false;
    }
  }
  return true;
}
