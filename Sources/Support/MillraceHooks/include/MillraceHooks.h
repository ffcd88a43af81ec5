/// The places at which Swift's runtime can be asked what becomes of a job, or of a task's way to an actor, and the C library for the time.
///
/// The runtime declares them in its own headers, which a toolchain does not install. They are variables; a hook is given the
/// job and the function that does what is done without it.
#ifndef MILLRACE_HOOKS_H
#define MILLRACE_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What the runtime wants done with a job.
enum MillraceJobKind {
  /// Run it, on any thread.
  MillraceJobGlobal,
  /// Run it as the main actor.
  MillraceJobMain,
  /// Run it when a time of a clock of the system has come.
  MillraceJobDelayed,
  /// The same for a task of the main actor.
  MillraceJobMainDelayed,
  /// Run it after the others, on any thread: it is a task that yields.
  MillraceJobYield,
  /// The same for a task of the main actor.
  MillraceJobMainYield,
};

/// Takes a job, or leaves it to the runtime by returning false; called on the thread that enqueues it.
///
/// A job that is delayed has a time of Dispatch; 0 for the others.
typedef bool (*MillraceJobHandler)(const void *_Nonnull job, enum MillraceJobKind kind, uint64_t when);

/// Passes all jobs of this process to a handler first; the first call decides.
void millrace_install_hooks(MillraceJobHandler _Nonnull handler);

/// Runs a job on this thread, up to its next suspension, on behalf of no actor.
void millrace_run_job(const void *_Nonnull job);

/// The id of the task that a job is, which no other task of this process ever has; 0 for a job that is no task.
///
/// A task that is made later has a greater one.
uint64_t millrace_task_id(const void *_Nonnull job);

/// The id of the task that runs on this thread; 0 if none does.
uint64_t millrace_current_task_id(void);

/// A value of the running thread; null on a thread that has set none.
void *_Nullable millrace_thread_value(void);
void millrace_set_thread_value(void *_Nullable value);

/// The answers of a world to what user code asks the system for, and the world's ear for work that it gives away.
typedef struct {
  /// The time in nanoseconds: since 1970, or since a start of its own.
  int64_t (*_Nonnull now)(bool is_wall);
  /// Fills memory with random numbers.
  void (*_Nonnull fill)(void *_Nonnull bytes, size_t count);
  /// User code has called this function, which has work done by another thread; or the runtime has, for a sleep with a tolerance.
  void (*_Nonnull outside)(const char *_Nonnull function, bool is_runtime);
  /// The running task awaits the value or the result of the task with this id.
  void (*_Nonnull awaits)(uint64_t task);
} MillraceSystem;

/// Sets the answers for all worlds; before the first one.
void millrace_install_system(MillraceSystem system);

/// Sets whether user code of a world runs on this thread from now on; returns whether it did before.
bool millrace_set_simulates(bool simulates);

/// Whether work that user code gives away is told of: the runtime is a library of its own, so that its calls are known.
bool millrace_tells_of_outside(void);

/// The hops of tasks on this thread that go by the executor of hops first; none on a thread that has set nothing.
typedef enum {
  MillraceHopsNone,
  /// Calls of idle actors.
  MillraceHopsActors,
  /// The same, and each way from an actor or a function to a function that runs on no actor.
  MillraceHopsAll,
} MillraceHops;

MillraceHops millrace_hops(void);
void millrace_set_hops(MillraceHops hops);

/// Sets the executor of hops, by the two words of an `UnownedSerialExecutor`; before the first hop.
void millrace_set_hop_executor(const void *_Nonnull identity, uintptr_t implementation);

/// The actor that a task goes to, while the executor of hops enqueues that task; null if it goes to none.
const void *_Nullable millrace_hop_actor(void);

/// The running thread, for the call below; the thread has to exist as long as it is asked about.
uintptr_t millrace_this_thread(void);

/// The processor time that a thread has used, in nanoseconds.
int64_t millrace_processor_time(uintptr_t thread);

/// Sets the text that is written to standard error if the calling thread ends the process by a signal, and returns the earlier one; null
/// for none.
///
/// The first call installs the handlers, which leave the signal to those that were there before.
const char *_Nullable millrace_set_crash_text(const char *_Nullable text);

/// Assigns a stack for signals to the calling thread, which does not end, so that an overflow of its own stack is reported, too.
void millrace_make_signal_stack(void);

#endif
