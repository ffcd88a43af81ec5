#include <pthread.h>
#include <stddef.h>

#include "Interposing.h"

typedef SWIFT_CALL void (*Enqueue)(Job *);

typedef SWIFT_CALL void (*EnqueueHook)(Job *, Enqueue);

extern EnqueueHook swift_task_enqueueGlobal_hook;
extern EnqueueHook swift_task_enqueueMainExecutor_hook;

extern SWIFT_CALL uint64_t swift_task_getJobTaskId(Job *job);
extern SWIFT_CALL Job *swift_task_getCurrent(void);

MillraceJobHandler millrace_handler;
_Thread_local void *millrace_value;
static EnqueueHook earlier_global, earlier_main;

static SWIFT_CALL void on_global(Job *job, Enqueue original) {
  if (millrace_handler(job, MillraceJobGlobal, 0)) return;
  if (earlier_global) return earlier_global(job, original);
  original(job);
}

static SWIFT_CALL void on_main(Job *job, Enqueue original) {
  if (millrace_handler(job, MillraceJobMain, 0)) return;
  if (earlier_main) return earlier_main(job, original);
  original(job);
}

static _Atomic(MillraceJobHandler) first_handler;

static void install(void) {
  millrace_handler = atomic_load(&first_handler);
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

void *millrace_thread_value(void) { return millrace_value; }

void millrace_set_thread_value(void *value) { millrace_value = value; }
