#include "Interposing.h"

// What user code in a world asks the system for comes from the world: the time from its clock, random numbers from its seed. These
// definitions come before those of the C library, for calls from all libraries of the process, so that `Date()`, `UUID()`,
// `ContinuousClock` and `Int.random` are simulated unchanged.

_Thread_local bool millrace_simulates;

MillraceSystem millrace_system;

void millrace_install_system(MillraceSystem system) { millrace_system = system; }

bool millrace_set_simulates(bool simulates) {
  bool earlier = millrace_simulates;
  millrace_simulates = simulates;
  return earlier;
}

#if defined(__linux__)
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NANOSECONDS 1000000000

/// The world's time in nanoseconds; what the world itself asks the system for meanwhile is not simulated.
static int64_t now(bool is_wall) {
  millrace_simulates = false;
  int64_t time = millrace_system.now(is_wall);
  millrace_simulates = true;
  return time;
}

/// Fills memory with random numbers of the world.
static void fill(void *bytes, size_t count) {
  millrace_simulates = false;
  millrace_system.fill(bytes, count);
  millrace_simulates = true;
}

_Noreturn void millrace_end_without(const char *name) {
  const char *parts[] = {
    "Millrace: the C library of this program has no function '", name, "' behind that of MillraceTesting; link the program with "
    "--static-swift-stdlib, or dynamically, but not with -static-executable, or leave MillraceTesting out of it.\n",
  };
  for (int index = 0; index < 3; index++) {
    if (write(STDERR_FILENO, parts[index], strlen(parts[index])) < 0) break;
  }
  abort();
}

static struct timespec timespec(int64_t time) {
  return (struct timespec){.tv_sec = time / NANOSECONDS, .tv_nsec = time % NANOSECONDS};
}

static bool is_wall(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE; }

/// Whether a clock shows the world's time. Some measure processor time; and where the runtime is linked statically, its timers are not
/// those of the world, and would misread its clocks.
static bool is_simulated(clockid_t clock) {
  switch (clock) {
  case CLOCK_MONOTONIC: case CLOCK_MONOTONIC_COARSE: case CLOCK_MONOTONIC_RAW: case CLOCK_BOOTTIME:
    return millrace_tells_of_outside();
  default:
    return is_wall(clock);
  }
}

INTERPOSE(int, clock_gettime, (clockid_t clock, struct timespec *time)) {
  if (millrace_simulates && is_simulated(clock)) {
    *time = timespec(now(is_wall(clock)));
    return 0;
  }
  FORWARD(clock_gettime, clock, time);
}

INTERPOSE(int, gettimeofday, (struct timeval *restrict time, void *restrict zone)) {
  if (millrace_simulates) {
    int64_t wall = now(true);
    *time = (struct timeval){.tv_sec = wall / NANOSECONDS, .tv_usec = wall % NANOSECONDS / 1000};
    return 0;
  }
  FORWARD(gettimeofday, time, zone);
}

INTERPOSE(time_t, time, (time_t *seconds)) {
  if (millrace_simulates) {
    time_t wall = now(true) / NANOSECONDS;
    if (seconds) *seconds = wall;
    return wall;
  }
  FORWARD(time, seconds);
}

INTERPOSE(ssize_t, getrandom, (void *bytes, size_t count, unsigned flags)) {
  if (millrace_simulates) {
    fill(bytes, count);
    return (ssize_t)count;
  }
  FORWARD(getrandom, bytes, count, flags);
}

INTERPOSE(int, getentropy, (void *bytes, size_t count)) {
  // More of it at once is an error of the library.
  if (millrace_simulates && count <= 256) {
    fill(bytes, count);
    return 0;
  }
  FORWARD(getentropy, bytes, count);
}

// The standard library asks the kernel for random numbers by this.
COMES_FIRST long syscall(long number, ...) {
  long a[6];
  va_list arguments;
  va_start(arguments, number);
  for (int index = 0; index < 6; index++) a[index] = va_arg(arguments, long);
  va_end(arguments);
  if (millrace_simulates && number == SYS_getrandom) {
    fill((void *)a[0], (size_t)a[1]);
    return a[1];
  }
  static _Atomic(void *) next;
  return ((__typeof__(&syscall))millrace_next_definition(&next, NULL, "syscall"))(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/// A file of random numbers of the world, in the place of the device that user code opens; -1 if it is another file.
static int open_random(const char *path) {
  if (strcmp(path, "/dev/urandom") != 0 && strcmp(path, "/dev/random") != 0) return -1;
  char bytes[4096];
  fill(bytes, sizeof bytes);
  int file = memfd_create("random numbers of a world", MFD_CLOEXEC);
  if (file >= 0 && (write(file, bytes, sizeof bytes) < 0 || lseek(file, 0, SEEK_SET) < 0)) {
    close(file);
    return -1;
  }
  return file;
}

// Foundation makes its identifiers from the device. The mode is there only where a file may be made.
#define OPENS(name) \
  INTERPOSE(int, name, (const char *path, int flags, ...)) { \
    int random = millrace_simulates ? open_random(path) : -1; \
    if (random >= 0) return random; \
    mode_t mode = 0; \
    if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) { \
      va_list arguments; \
      va_start(arguments, flags); \
      mode = va_arg(arguments, mode_t); \
      va_end(arguments); \
    } \
    FORWARD(name, path, flags, mode); \
  }

OPENS(open)
OPENS(open64)
#endif
