#pragma once

// libcurl is opened on first use, not linked: loading it costs each start milliseconds, and most commands make no
// request. Only its header is used.

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
static const CURLoption libcurl_option_protocols_text = (CURLoption)10318; // CURLOPT_PROTOCOLS_STR, 7.85
static const CURLoption libcurl_option_quick_exit = (CURLoption)322;       // CURLOPT_QUICK_EXIT, 7.87

/// CURLOPT_PROTOCOLS, which newer headers mark as deprecated.
static const CURLoption libcurl_option_protocols_mask = (CURLoption)181;

// Swift can't call variadic functions.

static inline CURLcode libcurl_set_number(const struct libcurl *library, CURL *easy, CURLoption option, int64_t value) {
  return option < CURLOPTTYPE_OFF_T ? library->easy_setopt(easy, option, (long)value)
                                    : library->easy_setopt(easy, option, (curl_off_t)value);
}

/// Sets a string, which libcurl copies, or another pointer, which it keeps.
static inline CURLcode libcurl_set_pointer(
    const struct libcurl *library, CURL *easy, CURLoption option, const void *value) {
  return library->easy_setopt(easy, option, value);
}

/// Receives a piece of a header or a body; returning another count than `size * count` ends the transfer.
typedef size_t (*libcurl_receive)(char *bytes, size_t size, size_t count, void *receiver);

static inline CURLcode libcurl_set_function(
    const struct libcurl *library, CURL *easy, CURLoption option, libcurl_receive receive) {
  return library->easy_setopt(easy, option, receive);
}

/// A number that describes the last transfer; 0 if it is unknown.
static inline int64_t libcurl_get_number(const struct libcurl *library, CURL *easy, CURLINFO info) {
  long number = 0;
  curl_off_t size = 0;
  bool is_size = (info & CURLINFO_TYPEMASK) == CURLINFO_OFF_T;
  library->easy_getinfo(easy, info, is_size ? (void *)&size : (void *)&number);
  return is_size ? size : number;
}

/// The outcome of the finished transfer.
static inline CURLcode libcurl_outcome(const struct libcurl *library, CURLM *multi) {
  int left = 0;
  for (CURLMsg *message; (message = library->multi_info_read(multi, &left)) != NULL;) {
    if (message->msg == CURLMSG_DONE) return message->data.result;
  }
  return CURLE_FAILED_INIT;
}
