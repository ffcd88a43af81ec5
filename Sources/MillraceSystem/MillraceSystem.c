#define _GNU_SOURCE
#include "MillraceSystem.h"

#if defined(__linux__)
#include <sched.h>
#else
#include <unistd.h>
#endif

int millrace_processors(void) {
#if defined(__linux__)
  cpu_set_t processors;
  if (sched_getaffinity(0, sizeof(processors), &processors) == 0 && CPU_COUNT(&processors) > 0) {
    return CPU_COUNT(&processors);
  }
  return 1;
#else
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (int)online : 1;
#endif
}
