#include <pthread.h>
#include <time.h>

#include "Interposing.h"

uintptr_t millrace_this_thread(void) { return (uintptr_t)pthread_self(); }

int64_t millrace_processor_time(uintptr_t thread) {
  clockid_t clock = CLOCK_PROCESS_CPUTIME_ID;
#if defined(__linux__)
  if (pthread_getcpuclockid((pthread_t)thread, &clock) != 0) return 0;
#else
  // There is no clock of one thread; the process uses at least as much.
  (void)thread;
#endif
  struct timespec used;
  clock_gettime(clock, &used);
  return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}
