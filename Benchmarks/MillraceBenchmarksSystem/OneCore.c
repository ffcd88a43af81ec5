#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "MillraceBenchmarksSystem.h"

#if defined(__linux__)

#include <sched.h>

bool millrace_keep_on_one_core(void) {
  int processor = sched_getcpu();
  if (processor < 0 || processor >= CPU_SETSIZE) return false;
  cpu_set_t processors;
  CPU_ZERO(&processors);
  CPU_SET(processor, &processors);
  return sched_setaffinity(0, sizeof processors, &processors) == 0;
}

#else

bool millrace_keep_on_one_core(void) { return false; }

#endif
