#include "Interposing.h"

#if defined(__linux__)
#include <pthread.h>

// A thread or a queue that user code in a world gives work to is not the seed's. Swift's runtime and Dispatch may do so; every
// other caller is told of. Where these libraries are linked statically, their calls look like those of user code, and none is told of.

extern char _dispatch_main_q __attribute__((weak));

/// The beginning of the library that an address belongs to.
static const void *library(const void *address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : NULL;
}

bool millrace_tells_of_outside(void) { return library((void *)swift_job_run) != library((void *)millrace_tells_of_outside); }

void millrace_leave_world(const char *function, const void *caller) {
  millrace_simulates = false;
  const void *asking = library(caller);
  if (millrace_tells_of_outside() && asking != library(&_dispatch_main_q)) {
    bool is_runtime = asking == library((void *)swift_job_run);
    millrace_system.outside(function, is_runtime);
  }
  millrace_simulates = true;
}

#define TELLS_OF_OUTSIDE(result, name, parameters, ...) \
  INTERPOSE(result, name, parameters) { \
    if (millrace_simulates) millrace_leave_world(#name, __builtin_return_address(0)); \
    FORWARD(name, __VA_ARGS__); \
  }

TELLS_OF_OUTSIDE(int, pthread_create,
    (pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*start)(void *), void *restrict value),
    thread, attributes, start, value)

// With blocks, which are pointers here. The functions by which the runtime enqueues are in Dispatch.c.
TELLS_OF_OUTSIDE(void, dispatch_async, (void *queue, void *block), queue, block)
TELLS_OF_OUTSIDE(void, dispatch_barrier_async, (void *queue, void *block), queue, block)
TELLS_OF_OUTSIDE(void, dispatch_after, (uint64_t when, void *queue, void *block), when, queue, block)
TELLS_OF_OUTSIDE(void, dispatch_apply, (size_t count, void *queue, void *block), count, queue, block)
TELLS_OF_OUTSIDE(void, dispatch_group_async, (void *group, void *queue, void *block), group, queue, block)
TELLS_OF_OUTSIDE(void, dispatch_group_notify, (void *group, void *queue, void *block), group, queue, block)
// With functions, for callers in C; the runtime calls none of these.
TELLS_OF_OUTSIDE(void, dispatch_barrier_async_f, (void *queue, void *context, void *work), queue, context, work)
TELLS_OF_OUTSIDE(void, dispatch_apply_f, (size_t count, void *queue, void *context, void *work), count, queue, context, work)
TELLS_OF_OUTSIDE(void, dispatch_group_async_f, (void *group, void *queue, void *context, void *work),
    group, queue, context, work)
TELLS_OF_OUTSIDE(void, dispatch_group_notify_f, (void *group, void *queue, void *context, void *work),
    group, queue, context, work)
TELLS_OF_OUTSIDE(void *, dispatch_source_create, (void *type, uintptr_t handle, uintptr_t mask, void *queue),
    type, handle, mask, queue)
#else
bool millrace_tells_of_outside(void) { return false; }
#endif
