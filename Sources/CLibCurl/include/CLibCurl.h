#pragma once

// libcurl is not linked: it costs every start some milliseconds, and most commands make no request. Only its header is
// used here; its functions are looked up in the library once that is opened.

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

/// The functions of libcurl that are called, without their prefix. The newest is curl_multi_poll (7.66, 2019).
#define LIBCURL_FUNCTIONS(DO) \
  DO(global_init) DO(easy_init) DO(easy_cleanup) DO(easy_reset) DO(easy_setopt) DO(easy_getinfo) DO(easy_strerror) \
  DO(slist_append) DO(slist_free_all) DO(multi_init) DO(multi_cleanup) DO(multi_add_handle) \
  DO(multi_remove_handle) DO(multi_perform) DO(multi_poll) DO(multi_info_read)

/// The functions of an opened libcurl, with the types of its header.
struct libcurl {
#define LIBCURL_MEMBER(name) __typeof__(&curl_##name) name;
  LIBCURL_FUNCTIONS(LIBCURL_MEMBER)
#undef LIBCURL_MEMBER
};

/// Opens the library of that name (a soname or a path) and looks its functions up.
///
/// Returns whether all were found; if not, `reason` holds why, of at most `capacity` bytes with the closing zero.
/// The library stays open until the process ends: OpenSSL does not bear being unloaded.
bool libcurl_open(struct libcurl *library, const char *name, char *reason, size_t capacity);

// Options that a build machine's header may be too old to name; an older library answers CURLE_UNKNOWN_OPTION.
enum {
  libcurl_option_protocols_text = 10318, // CURLOPT_PROTOCOLS_STR, 7.85
  libcurl_option_quick_exit = 322,       // CURLOPT_QUICK_EXIT, 7.87
};

/// CURLOPT_PROTOCOLS by its number, since newer headers warn of its name.
enum { libcurl_option_protocols_mask = 181 };

// Swift calls no variadic function: one typed wrapper for each kind of value.

static inline CURLcode libcurl_set_long(const struct libcurl *library, CURL *easy, int option, long value) {
  return library->easy_setopt(easy, (CURLoption)option, value);
}

static inline CURLcode libcurl_set_size(const struct libcurl *library, CURL *easy, int option, long long value) {
  return library->easy_setopt(easy, (CURLoption)option, (curl_off_t)value);
}

static inline CURLcode libcurl_set_text(const struct libcurl *library, CURL *easy, int option, const char *value) {
  return library->easy_setopt(easy, (CURLoption)option, value);
}

static inline CURLcode libcurl_set_bytes(const struct libcurl *library, CURL *easy, int option, void *value) {
  return library->easy_setopt(easy, (CURLoption)option, value);
}

static inline CURLcode libcurl_set_list(
    const struct libcurl *library, CURL *easy, int option, struct curl_slist *value) {
  return library->easy_setopt(easy, (CURLoption)option, value);
}

/// What libcurl calls with each piece of a header or a body; returning another count than `size * count` ends the transfer.
typedef size_t (*libcurl_receive)(char *bytes, size_t size, size_t count, void *receiver);

static inline CURLcode libcurl_set_receiver(
    const struct libcurl *library, CURL *easy, int function, libcurl_receive receive, int data, void *receiver) {
  CURLcode code = library->easy_setopt(easy, (CURLoption)function, receive);
  return code != CURLE_OK ? code : library->easy_setopt(easy, (CURLoption)data, receiver);
}

static inline long libcurl_get_long(const struct libcurl *library, CURL *easy, int info) {
  long value = 0;
  return library->easy_getinfo(easy, (CURLINFO)info, &value) == CURLE_OK ? value : 0;
}

static inline long long libcurl_get_size(const struct libcurl *library, CURL *easy, int info) {
  curl_off_t value = 0;
  return library->easy_getinfo(easy, (CURLINFO)info, &value) == CURLE_OK ? value : 0;
}

/// The outcome of the transfer that ended, or -1 when none did.
static inline int libcurl_outcome(const struct libcurl *library, CURLM *multi) {
  int left = 0;
  for (CURLMsg *message; (message = library->multi_info_read(multi, &left)) != NULL;) {
    if (message->msg == CURLMSG_DONE) return (int)message->data.result;
  }
  return -1;
}
