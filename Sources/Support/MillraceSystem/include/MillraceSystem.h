/// What a store needs of the system and Swift has no words for, or slow ones.
///
/// `pthread_self` will not do: it is declared to be constant, so an optimiser keeps its value over the suspension of a
/// task, which may go on on another thread. A volatile read is made each time, and costs a nanosecond less than the call.
#ifndef MILLRACE_SYSTEM_H
#define MILLRACE_SYSTEM_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/// A number that tells the running thread from every other one that lives; even, and never 0.
static inline uintptr_t millrace_thread(void) {
#if defined(__linux__) && defined(__x86_64__)
  uintptr_t thread;
  __asm__ volatile("movq %%fs:0, %0" : "=r"(thread));
  return thread;
#elif defined(__linux__) && defined(__aarch64__)
  uintptr_t thread;
  __asm__ volatile("mrs %0, tpidr_el0" : "=r"(thread));
  return thread;
#else
  pthread_t (*volatile self)(void) = pthread_self;
  return (uintptr_t)self();
#endif
}

/// Yields to the other half of the processor for a moment.
static inline void millrace_pause(void) {
#if defined(__x86_64__)
  __asm__ volatile("pause");
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#endif
}

/// The time in nanoseconds on the clock that goes on while the system sleeps, which is the one of `ContinuousClock`.
static inline int64_t millrace_nanoseconds(void) {
  struct timespec now;
#if defined(__linux__)
  clock_gettime(CLOCK_BOOTTIME, &now);
#else
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
#endif
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/// The wall time in milliseconds since 1970.
static inline int64_t millrace_wall_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

#if defined(__linux__)
/// A task, and the context of its first function, as the runtime returns them.
struct millrace_task {
  void *task;
  void *context;
};

/// Functions of Swift's runtime that compiled code calls to make a task and to run it up to its first suspension.
__attribute__((swiftcall)) struct millrace_task swift_task_create(
    size_t flags, void *options, const void *result_type, void *function, void *context);
__attribute__((swiftcall)) void swift_task_immediate(void *task, void *executor, const void *executor_type);

/// Creates a task of an asynchronous closure, and runs it on this thread up to its first suspension.
///
/// It takes over one reference to the context of the closure, and returns one to the task. TaskStart.swift says what the closure
/// has to be.
static inline void *millrace_start_task(const void *result_type, void *function, void *context) {
  enum { immediate = 1 << 16 };
  void *task = swift_task_create(immediate, 0, result_type, function, context).task;
  swift_task_immediate(task, 0, 0);
  return task;
}
#endif

/// The number of processors that the process may use; at least 1.
int millrace_processors(void);

/// A semaphore, on which one thread waits.
///
/// A signal never blocks its caller, and ends one wait: the wait of now, or the next one.
struct millrace_semaphore;

/// Creates a semaphore without a signal.
struct millrace_semaphore *millrace_semaphore_make(void);

/// Blocks the thread until there is a signal, and takes it.
void millrace_semaphore_wait(struct millrace_semaphore *semaphore);

/// Adds a signal.
void millrace_semaphore_signal(struct millrace_semaphore *semaphore);

/// Frees a semaphore that no thread uses any longer.
void millrace_semaphore_free(struct millrace_semaphore *semaphore);

#endif
