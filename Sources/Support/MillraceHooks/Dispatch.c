#include "Interposing.h"

#if defined(__linux__)
// What yields or sleeps goes to the default executor without being offered to a hook, and is seen where that calls Dispatch:
// these definitions come before those of the library, for calls from all libraries of the process. They are weak, so that a
// static Dispatch has its own; then what yields is an escape from its world.

typedef void (*Work)(void *);

extern char _dispatch_main_q __attribute__((weak));

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

INTERPOSE(void, dispatch_async_f, (void *queue, void *context, Work work)) {
  if (millrace_value && runs_job(work)) {
    enum MillraceJobKind kind = queue == &_dispatch_main_q ? MillraceJobMainYield : MillraceJobYield;
    if (millrace_handler(context, kind, 0)) return;
  } else if (millrace_simulates) {
    millrace_leave_world("dispatch_async_f", __builtin_return_address(0));
  }
  FORWARD(dispatch_async_f, queue, context, work);
}

INTERPOSE(void, dispatch_after_f, (uint64_t when, void *queue, void *context, Work work)) {
  if (millrace_value && runs_job(work)) {
    enum MillraceJobKind kind = queue == &_dispatch_main_q ? MillraceJobMainDelayed : MillraceJobDelayed;
    if (millrace_handler(context, kind, when)) return;
  } else if (millrace_simulates) {
    millrace_leave_world("dispatch_after_f", __builtin_return_address(0));
  }
  FORWARD(dispatch_after_f, when, queue, context, work);
}
#endif
