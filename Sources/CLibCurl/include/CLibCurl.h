#pragma once

// libcurl is not linked, since that slows down every start by milliseconds and most commands make no request. Only its
// header is used; its functions are looked up when the library is opened.

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

/// Opens the library with that soname or path and looks up its functions; on failure `reason` contains the message.
/// The library stays open until the process ends: OpenSSL can't be unloaded.
bool libcurl_open(struct libcurl *library, const char *name, char *reason, size_t capacity);

// Options that the header may be too old for; an older library returns CURLE_UNKNOWN_OPTION.
enum {
  libcurl_option_protocols_text = 10318, // CURLOPT_PROTOCOLS_STR, 7.85
  libcurl_option_quick_exit = 322,       // CURLOPT_QUICK_EXIT, 7.87
};

/// CURLOPT_PROTOCOLS, which newer headers mark as deprecated.
enum { libcurl_option_protocols_mask = 181 };

// Swift can't call variadic functions.

static inline CURLcode libcurl_set_long(const struct libcurl *library, CURL *easy, int option, long value) {
  return library->easy_setopt(easy, (CURLoption)option, value);
}

static inline CURLcode libcurl_set_size(const struct libcurl *library, CURL *easy, int option, long long value) {
  return library->easy_setopt(easy, (CURLoption)option, (curl_off_t)value);
}

static inline CURLcode libcurl_set_text(const struct libcurl *library, CURL *easy, int option, const char *value) {
  return library->easy_setopt(easy, (CURLoption)option, value);
}

static inline CURLcode libcurl_set_list(
    const struct libcurl *library, CURL *easy, int option, struct curl_slist *value) {
  return library->easy_setopt(easy, (CURLoption)option, value);
}

/// Receives a piece of a header or a body; returning another count than `size * count` ends the transfer.
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

/// The outcome of the finished transfer, or -1 if there is none.
static inline int libcurl_outcome(const struct libcurl *library, CURLM *multi) {
  int left = 0;
  for (CURLMsg *message; (message = library->multi_info_read(multi, &left)) != NULL;) {
    if (message->msg == CURLMSG_DONE) return (int)message->data.result;
  }
  return -1;
}
