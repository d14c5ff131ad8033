// Linked into each program that Tests/sanitize builds: the sanitizer's options, and deliberate defects.
//
// The options aren't in the environment, since tests replace msauth's.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

const char *__asan_default_options(void) { return OPTIONS; }
const char *__tsan_default_options(void) { return OPTIONS; }

static void *write_byte(void *byte) {
  *(volatile char *)byte = 1;
  return NULL;
}

// A race for the thread sanitizer, and a use of freed memory for the address sanitizer.
__attribute__((constructor)) static void plant(void) {
  if (!getenv("MSAUTH_PLANTED_DEFECTS")) return;
  char *byte = malloc(1);
  pthread_t other;
  if (pthread_create(&other, NULL, write_byte, byte) != 0) abort();
  write_byte(byte);
  pthread_join(other, NULL);
  free(byte);
  write_byte(byte);
  _exit(0);
}
