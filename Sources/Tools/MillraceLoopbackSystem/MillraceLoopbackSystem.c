// Before any header: it has glibc and musl declare ppoll(2).
#define _GNU_SOURCE

#include "MillraceLoopbackSystem.h"

#include <limits.h>
#include <stddef.h>
#include <time.h>

int millrace_poll(struct pollfd *descriptors, nfds_t count, int64_t nanoseconds) {
#if defined(__linux__)
  struct timespec timeout = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  return ppoll(descriptors, count, nanoseconds < 0 ? NULL : &timeout, NULL);
#else
  int64_t milliseconds = nanoseconds / 1000000 + (nanoseconds % 1000000 > 0);
  return poll(descriptors, count, nanoseconds < 0 ? -1 : milliseconds > INT_MAX ? INT_MAX : (int)milliseconds);
#endif
}
