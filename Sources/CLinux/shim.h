#pragma once
#include <sys/prctl.h>

/// No core dump of this process, and no other process of its user may attach to it (prctl is variadic, which Swift
/// cannot call).
static inline int linux_forbid_dumps(void) {
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
