/// A wait that Swift cannot call: its module of the C library has no ppoll(2).
#ifndef MILLRACE_LOOPBACK_SYSTEM_H
#define MILLRACE_LOOPBACK_SYSTEM_H

#include <poll.h>
#include <stdint.h>

/// Waits for descriptors, at most for `nanoseconds`, and returns as poll(2) does; a negative number sets no limit.
///
/// Where the system has no ppoll(2), the wait is rounded up to a millisecond.
int millrace_poll(struct pollfd *_Nonnull descriptors, nfds_t count, int64_t nanoseconds);

#endif
