#define _GNU_SOURCE
#include "MillraceSystem.h"

#include <stdlib.h>

#if defined(__linux__)
#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#else
#include <dispatch/dispatch.h>
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

#if defined(__linux__)
struct millrace_semaphore {
  sem_t semaphore;
};
#else
struct millrace_semaphore {
  dispatch_semaphore_t semaphore;
};
#endif

struct millrace_semaphore *millrace_semaphore_make(void) {
  struct millrace_semaphore *made = malloc(sizeof(*made));
  if (made == NULL) abort();
#if defined(__linux__)
  sem_init(&made->semaphore, 0, 0);
#else
  made->semaphore = dispatch_semaphore_create(0);
#endif
  return made;
}

void millrace_semaphore_wait(struct millrace_semaphore *semaphore) {
#if defined(__linux__)
  while (sem_wait(&semaphore->semaphore) != 0 && errno == EINTR) {
  }
#else
  dispatch_semaphore_wait(semaphore->semaphore, DISPATCH_TIME_FOREVER);
#endif
}

void millrace_semaphore_signal(struct millrace_semaphore *semaphore) {
#if defined(__linux__)
  sem_post(&semaphore->semaphore);
#else
  dispatch_semaphore_signal(semaphore->semaphore);
#endif
}

void millrace_semaphore_free(struct millrace_semaphore *semaphore) {
#if defined(__linux__)
  sem_destroy(&semaphore->semaphore);
#else
  dispatch_release(semaphore->semaphore);
#endif
  free(semaphore);
}
