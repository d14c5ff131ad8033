#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>

/// No core dump of this process, and no other process of its user may attach to it (prctl is variadic, which Swift
/// cannot call).
static inline int linux_forbid_dumps(void) {
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/// Whether this process ignores the signal, for instance since nohup(1) (Swift cannot compare with SIG_IGN).
static inline bool linux_ignores_signal(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}
