#define _GNU_SOURCE
#include "CLinux.h"

#include <sys/resource.h>

static int count;
static char *const *arguments;

/// glibc passes the arguments to each constructor. Swift reads them from /proc or from the memory before the
/// environment, which another library's constructor may have moved.
__attribute__((constructor)) static void keep_arguments(int argc, char **argv) {
  count = argc;
  arguments = argv;
}

const char *linux_argument(int index) { return index < count ? arguments[index] : NULL; }

int linux_reserve(int file, int64_t size) {
  struct rlimit limit;
  // fallocate ignores this limit if the size stays, but a write would fail.
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < (rlim_t)size) {
    errno = EFBIG;
    return -1;
  }
  int code;
  do code = fallocate(file, FALLOC_FL_KEEP_SIZE, 0, size);
  while (code != 0 && errno == EINTR);
  return code;
}
