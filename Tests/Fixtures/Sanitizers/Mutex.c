// Shows the slow path of Swift's Mutex to the thread sanitizer.
//
// The fast path of Synchronization.Mutex is an atomic operation inlined into its caller, which is instrumented. The
// slow path is in the standard library, which isn't: the kernel hands over a contended lock (FUTEX_LOCK_PI), and the
// sanitizer would report a race between two owners. These functions are linked before the library's, call them, and
// annotate the happens-before relation; they suppress nothing.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

void __tsan_acquire(void *address);
void __tsan_release(void *address);

// Synchronization._MutexHandle: _lockSlow(_: UInt32), _tryLockSlow() -> Bool, _unlockSlow()
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void msauth_lock(uint32_t thread, SELF mutex) __asm__(LOCK);
SWIFT bool msauth_try_lock(SELF mutex) __asm__(TRY_LOCK);
SWIFT void msauth_unlock(SELF mutex) __asm__(UNLOCK);

static void *library(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (!function) {
    fprintf(stderr, "Swift's library has no %s anymore: %s needs the new name\n", name, __FILE__);
    abort();
  }
  return function;
}

SWIFT void msauth_lock(uint32_t thread, SELF mutex) {
  SWIFT void (*lock)(uint32_t, SELF) = (SWIFT void (*)(uint32_t, SELF))library(LOCK);
  lock(thread, mutex);
  __tsan_acquire(mutex);
}

SWIFT bool msauth_try_lock(SELF mutex) {
  SWIFT bool (*try_lock)(SELF) = (SWIFT bool (*)(SELF))library(TRY_LOCK);
  bool is_locked = try_lock(mutex);
  if (is_locked) __tsan_acquire(mutex);
  return is_locked;
}

SWIFT void msauth_unlock(SELF mutex) {
  SWIFT void (*unlock)(SELF) = (SWIFT void (*)(SELF))library(UNLOCK);
  __tsan_release(mutex);
  unlock(mutex);
}
