#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "MillraceBenchmarksSystem.h"

#if defined(__linux__)

#include <sched.h>
#include <unistd.h>

bool millrace_keep_on_one_core(char **arguments) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) == 1) return true;
  int processor = sched_getcpu();
  if (processor < 0 || processor >= CPU_SETSIZE) return false;
  cpu_set_t processors;
  CPU_ZERO(&processors);
  CPU_SET(processor, &processors);
  if (sched_setaffinity(0, sizeof processors, &processors) != 0) return false;
  // The pool has counted the processors by now. It shall have one thread, as on a machine with one processor: two would
  // take it from each other in the middle of a step.
  execv("/proc/self/exe", arguments);
  return false;
}

#else

bool millrace_keep_on_one_core(char **arguments) {
  (void)arguments;
  return false;
}

#endif
