// What benchmarks need of the system: counts of allocations and of instructions, and one processor alone.

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

/// Opens a counter of the instructions that this thread, and all threads that it starts from now on, execute.
///
/// Returns 0, or the error number of the kernel that refuses the counter. Instructions of the kernel are not counted, and the
/// counter is off at first. A program calls this from its first thread, before it starts another one.
int millrace_open_instructions(void);

/// Begins or ends the counting of instructions; does nothing without an open counter.
void millrace_count_instructions(bool is_on);

/// Returns the number of instructions that were counted so far, or 0 without an open counter.
long long millrace_instructions(void);

/// Keeps the program on one processor; unless it is kept there already, it begins anew with these arguments and does not return.
///
/// Returns false where that is not possible.
bool millrace_keep_on_one_core(char **arguments);

#endif
