#define _GNU_SOURCE
#include "MillraceHooks.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define SWIFT_CALL __attribute__((swiftcall))

typedef const void Job;
typedef SWIFT_CALL void (*Enqueue)(Job *);

typedef SWIFT_CALL void (*EnqueueHook)(Job *, Enqueue);

extern EnqueueHook swift_task_enqueueGlobal_hook;
extern EnqueueHook swift_task_enqueueMainExecutor_hook;

extern SWIFT_CALL void swift_job_run(Job *job, void *executor, uintptr_t implementation);
extern SWIFT_CALL uint64_t swift_task_getJobTaskId(Job *job);
extern SWIFT_CALL Job *swift_task_getCurrent(void);

static MillraceJobHandler handler;
static EnqueueHook earlier_global, earlier_main;
static _Thread_local void *thread_value;

static SWIFT_CALL void on_global(Job *job, Enqueue original) {
  if (handler(job, MillraceJobGlobal)) return;
  if (earlier_global) return earlier_global(job, original);
  original(job);
}

static SWIFT_CALL void on_main(Job *job, Enqueue original) {
  if (handler(job, MillraceJobMain)) return;
  if (earlier_main) return earlier_main(job, original);
  original(job);
}

static _Atomic(MillraceJobHandler) first_handler;

static void install(void) {
  handler = atomic_load(&first_handler);
  earlier_global = swift_task_enqueueGlobal_hook;
  earlier_main = swift_task_enqueueMainExecutor_hook;
  // The handler is there before the first hook is seen.
  atomic_thread_fence(memory_order_seq_cst);
  swift_task_enqueueGlobal_hook = on_global;
  swift_task_enqueueMainExecutor_hook = on_main;
}

void millrace_install_hooks(MillraceJobHandler new_handler) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  atomic_store(&first_handler, new_handler);
  // Who comes second waits, so that the hooks are there for it too.
  pthread_once(&once, install);
}

void millrace_run_job(Job *job) { swift_job_run(job, NULL, 0); }

uint64_t millrace_task_id(Job *job) { return swift_task_getJobTaskId(job); }

uint64_t millrace_current_task_id(void) {
  Job *task = swift_task_getCurrent();
  return task ? swift_task_getJobTaskId(task) : 0;
}

void *millrace_thread_value(void) { return thread_value; }

void millrace_set_thread_value(void *value) { thread_value = value; }

#if defined(__linux__)
// What yields or sleeps goes to the default executor without being offered to a hook, and is seen where that calls Dispatch:
// these definitions come before those of the library, for calls from all libraries of the process. They are weak, so that a
// static Dispatch has its own; then what yields is an escape from its world.

typedef void (*Work)(void *);
typedef void (*Async)(void *queue, void *context, Work);
typedef void (*After)(uint64_t when, void *queue, void *context, Work);

#if __has_feature(thread_sanitizer)
// Its own definitions are weak too.
#define COMES_FIRST
#else
#define COMES_FIRST __attribute__((weak))
#endif

extern char _dispatch_main_q __attribute__((weak));
// ThreadSanitizer has definitions of its own, which it needs to be called.
extern void __interceptor_dispatch_async_f(void *, void *, Work) __attribute__((weak));
extern void __interceptor_dispatch_after_f(uint64_t, void *, void *, Work) __attribute__((weak));

/// The definition that comes after the one here.
static void *next_definition(_Atomic(void *) *known, void *interceptor, const char *name) {
  void *next = atomic_load_explicit(known, memory_order_relaxed);
  if (next) return next;
  next = interceptor ? interceptor : dlsym(RTLD_NEXT, name);
  atomic_store_explicit(known, next, memory_order_relaxed);
  return next;
}

/// Whether it is the function by which the runtime has a job run; only the thread of a world asks.
static bool runs_job(Work work) {
  static _Thread_local Work known;
  if (work == known) return true;
  Dl_info function, runtime;
  if (!dladdr((void *)work, &function) || !dladdr((void *)swift_job_run, &runtime)) return false;
  if (function.dli_fbase != runtime.dli_fbase) return false;
  known = work;
  return true;
}

COMES_FIRST void dispatch_async_f(void *queue, void *context, Work work) {
  if (thread_value && runs_job(work)) {
    enum MillraceJobKind kind = queue == &_dispatch_main_q ? MillraceJobMain : MillraceJobGlobal;
    if (handler(context, kind)) return;
  }
  static _Atomic(void *) next;
  ((Async)next_definition(&next, (void *)__interceptor_dispatch_async_f, "dispatch_async_f"))(queue, context, work);
}

COMES_FIRST void dispatch_after_f(uint64_t when, void *queue, void *context, Work work) {
  if (thread_value && runs_job(work) && handler(context, MillraceJobDelayed)) return;
  static _Atomic(void *) next;
  ((After)next_definition(&next, (void *)__interceptor_dispatch_after_f, "dispatch_after_f"))(when, queue, context, work);
}
#endif
