#include "MillraceBenchmarksSystem.h"

#include <errno.h>

#if defined(__linux__)

#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int counter = -1;

int millrace_open_instructions(void) {
  if (counter >= 0) return 0;
  struct perf_event_attr event;
  memset(&event, 0, sizeof event);
  event.size = sizeof event;
  event.type = PERF_TYPE_HARDWARE;
  event.config = PERF_COUNT_HW_INSTRUCTIONS;
  event.disabled = 1;
  event.inherit = 1;
  // Many systems let a process count its own instructions, and not those of the kernel.
  event.exclude_kernel = 1;
  event.exclude_hv = 1;
  counter = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  return counter < 0 ? errno : 0;
}

void millrace_count_instructions(bool is_on) {
  if (counter >= 0) ioctl(counter, is_on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

long long millrace_instructions(void) {
  uint64_t count = 0;
  if (counter < 0 || read(counter, &count, sizeof count) != sizeof count) return 0;
  return (long long)count;
}

#else

int millrace_open_instructions(void) { return ENOTSUP; }

void millrace_count_instructions(bool is_on) { (void)is_on; }

long long millrace_instructions(void) { return 0; }

#endif
