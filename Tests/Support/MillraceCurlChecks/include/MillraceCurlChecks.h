/// What tests of transfers need of C.
///
/// The declarations of `MillraceCurl` stand beside those of libcurl's header. That the functions agree is seen when this
/// target is compiled: each is declared a second time behind the header.
#ifndef MILLRACE_CURL_CHECKS_H
#define MILLRACE_CURL_CHECKS_H

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

/// A number that both state.
struct millrace_curl_row {
  /// The name in libcurl's header.
  const char *name;
  /// The number that this package states.
  long declared;
  /// The number in libcurl's header.
  long expected;
};

/// True when the header exists on this machine.
bool millrace_curl_has_header(void);
/// The number of rows; 0 without the header.
size_t millrace_curl_row_count(void);
/// One of the rows.
struct millrace_curl_row millrace_curl_row_at(size_t index);

/// The bytes that this process has allocated and not freed; 0 where the system does not count them.
size_t millrace_allocated_bytes(void);

#pragma clang assume_nonnull end

#endif
