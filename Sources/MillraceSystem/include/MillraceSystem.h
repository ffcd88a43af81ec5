/// What a store needs of the system and Swift has no words for, or slow ones.
///
/// `pthread_self` will not do: it is declared to be constant, so an optimiser keeps its value over the suspension of a
/// task, which may go on on another thread. A volatile read is made each time, and costs a nanosecond less than the call.
#ifndef MILLRACE_SYSTEM_H
#define MILLRACE_SYSTEM_H

#include <pthread.h>
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

/// Lets the other half of the processor work for a moment.
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

/// The number of processors that the process may use; at least 1.
int millrace_processors(void);

#endif
