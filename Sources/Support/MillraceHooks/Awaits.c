#include "Interposing.h"

#if defined(__linux__)
// A task that awaits the value or the result of another task is kept in a list of that task, and no job is enqueued. The getters of both
// are defined here, so that the world knows the awaited task; each continues in the concurrency library.
//
// The definitions come before those of the library for calls from user code. They are weak, so that a static library has its own; then no
// awaited task is known.

/// Tells the world that the running task awaits another one.
static void note(Job *task) {
  if (!millrace_simulates) return;
  millrace_simulates = false;
  millrace_system.awaits(millrace_task_id(task));
  millrace_simulates = true;
}

/// Begins the definition of a getter of `Task`, by its name in the library; the parameters behind the task are types and a conformance.
#define GETTER(name, symbol, parameters, ...) \
  COMES_FIRST SWIFT_ASYNC void name parameters __asm__(symbol); \
  COMES_FIRST SWIFT_ASYNC void name parameters { \
    static _Atomic(void *) next; \
    note(task); \
    typedef SWIFT_ASYNC void (*Next) parameters; \
    return ((Next)millrace_next_definition(&next, NULL, symbol))(__VA_ARGS__); \
  }

GETTER(value_that_never_throws, "$sScTss5NeverORs_rlE5valuexvg",
    (void *result, ASYNC_CONTEXT void *context, Job *task, const void *success),
    result, context, task, success)

GETTER(value, "$sScT5valuexvg",
    (void *result, ASYNC_CONTEXT void *context, Job *task, const void *success, const void *failure, const void *error),
    result, context, task, success, failure, error)

GETTER(result_of_task, "$sScT6results6ResultOyxq_Gvg",
    (void *result, ASYNC_CONTEXT void *context, Job *task, const void *success, const void *failure, const void *error),
    result, context, task, success, failure, error)
#endif
