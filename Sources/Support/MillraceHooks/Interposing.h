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
#define SWIFT_ASYNC __attribute__((swiftasynccall))
#define ASYNC_CONTEXT __attribute__((swift_async_context))
#define UNSANITIZED __attribute__((disable_sanitizer_instrumentation))

#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
// Their own definitions are weak too. A thread that begins or ends may call one before the sanitizer knows it, or after that.
#define COMES_FIRST UNSANITIZED
#else
#define COMES_FIRST __attribute__((weak))
#endif

typedef const void Job;

extern SWIFT_CALL void swift_job_run(Job *job, void *executor, uintptr_t implementation);

/// The handler of all jobs, and the value of the running thread, which only the thread of a world has.
extern MillraceJobHandler millrace_handler;
extern _Thread_local void *millrace_value;

/// Whether user code of a world runs on this thread, so that the system answers from the world.
extern _Thread_local bool millrace_simulates;
extern MillraceSystem millrace_system;

/// Notifies the world that user code on this thread gives work to another one, by a function that the runtime may call too.
void millrace_leave_world(const char *function, const void *caller);

/// Ends the process with a sentence, because there is no definition after the one here.
_Noreturn void millrace_end_without(const char *name);

/// The definition that comes after the one here.
UNSANITIZED static inline void *millrace_next_definition(_Atomic(void *) *known, void *interceptor, const char *name) {
  void *next = atomic_load_explicit(known, memory_order_relaxed);
  if (next) return next;
  next = interceptor ? interceptor : dlsym(RTLD_NEXT, name);
  if (!next) millrace_end_without(name);
  atomic_store_explicit(known, next, memory_order_relaxed);
  return next;
}

/// Begins the definition of a function here, which comes before that of its library.
///
/// A sanitizer has a definition of its own, which it needs to be called.
#define INTERPOSE(result, name, parameters) \
  extern result __interceptor_##name parameters __attribute__((weak)); \
  COMES_FIRST result name parameters

/// Calls the definition that comes next, and returns its result.
#define FORWARD(name, ...) \
  static _Atomic(void *) next; \
  return ((__typeof__(&name))millrace_next_definition(&next, (void *)__interceptor_##name, #name))(__VA_ARGS__)

#endif
