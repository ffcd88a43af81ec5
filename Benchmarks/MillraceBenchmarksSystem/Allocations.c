#include "MillraceBenchmarksSystem.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MILLRACE_IS_SANITIZED 1
#endif
#endif

static atomic_long allocations;

long millrace_allocations(void) { return atomic_load_explicit(&allocations, memory_order_relaxed); }

#if defined(__GLIBC__) && !defined(MILLRACE_IS_SANITIZED)

static atomic_bool is_counting;

bool millrace_can_count_allocations(void) { return true; }

void millrace_count_allocations(bool is_on) { atomic_store_explicit(&is_counting, is_on, memory_order_relaxed); }

static void count(void) {
  if (atomic_load_explicit(&is_counting, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
  }
}

// The same functions by the names under which the C library keeps them for those who replace them.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  count();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count();
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  count();
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

void *memalign(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  void *made = aligned_alloc(alignment, size);
  if (made == NULL) return ENOMEM;
  *memory = made;
  return 0;
}

#else

bool millrace_can_count_allocations(void) { return false; }

void millrace_count_allocations(bool is_on) { (void)is_on; }

#endif
