/// The common part of the definitions here that come before those of a library.
#ifndef MILLRACE_INTERPOSING_H
#define MILLRACE_INTERPOSING_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdatomic.h>

#include "MillraceHooks.h"

#define SWIFT_CALL __attribute__((swiftcall))

#if __has_feature(thread_sanitizer)
// Its own definitions are weak too.
#define COMES_FIRST
#else
#define COMES_FIRST __attribute__((weak))
#endif

typedef const void Job;

extern SWIFT_CALL void swift_job_run(Job *job, void *executor, uintptr_t implementation);

/// The handler of all jobs, and the value of the running thread, which only the thread of a world has.
extern MillraceJobHandler millrace_handler;
extern _Thread_local void *millrace_value;

/// The definition that comes after the one here.
static inline void *millrace_next_definition(_Atomic(void *) *known, void *interceptor, const char *name) {
  void *next = atomic_load_explicit(known, memory_order_relaxed);
  if (next) return next;
  next = interceptor ? interceptor : dlsym(RTLD_NEXT, name);
  atomic_store_explicit(known, next, memory_order_relaxed);
  return next;
}

#endif
