// What benchmarks need of the system: counts of allocations, and one processor alone.

#ifndef MILLRACE_BENCHMARKS_SYSTEM_H
#define MILLRACE_BENCHMARKS_SYSTEM_H

#include <stdbool.h>

/// Whether this build can count the allocations of this process, whatever thread and library asks for them.
///
/// The functions of the C library that allocate are replaced by ones that count and then call them. That works with glibc, and
/// not under a sanitizer, which replaces them itself.
bool millrace_can_count_allocations(void);

/// Begins or ends the counting. While it is off an allocation costs one look at a flag more.
void millrace_count_allocations(bool is_on);

/// How many allocations were counted so far.
long millrace_allocations(void);

/// Lets this thread, and all threads that it starts from now on, run on the processor that it runs on now.
///
/// Returns false where that is not possible.
bool millrace_keep_on_one_core(void);

#endif
