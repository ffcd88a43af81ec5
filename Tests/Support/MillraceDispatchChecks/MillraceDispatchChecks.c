#include "MillraceDispatchChecks.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// By hand, because not every installation has the headers of Dispatch where a C target finds them.

typedef void (*Work)(void *);

extern void *dispatch_get_global_queue(intptr_t priority, uintptr_t flags);
extern void *dispatch_group_create(void);
extern void dispatch_release(void *object);

extern void dispatch_async_f(void *queue, void *context, Work work);
extern void dispatch_after_f(uint64_t when, void *queue, void *context, Work work);
extern void dispatch_barrier_async_f(void *queue, void *context, Work work);
extern void dispatch_apply_f(size_t count, void *queue, void *context, void (*work)(void *, size_t));
extern void dispatch_group_async_f(void *group, void *queue, void *context, Work work);
extern void dispatch_group_notify_f(void *group, void *queue, void *context, Work work);

static void nothing(void *context) { (void)context; }

static void nothing_of(void *context, size_t number) {
  (void)context;
  (void)number;
}

bool millrace_give_work(const char *name) {
  void *queue = dispatch_get_global_queue(0, 0);
  void *group = dispatch_group_create();
  bool is_known = true;
  if (strcmp(name, "dispatch_async_f") == 0) dispatch_async_f(queue, NULL, nothing);
  else if (strcmp(name, "dispatch_after_f") == 0) dispatch_after_f(0, queue, NULL, nothing);
  else if (strcmp(name, "dispatch_barrier_async_f") == 0) dispatch_barrier_async_f(queue, NULL, nothing);
  else if (strcmp(name, "dispatch_apply_f") == 0) dispatch_apply_f(2, queue, NULL, nothing_of);
  else if (strcmp(name, "dispatch_group_async_f") == 0) dispatch_group_async_f(group, queue, NULL, nothing);
  else if (strcmp(name, "dispatch_group_notify_f") == 0) dispatch_group_notify_f(group, queue, NULL, nothing);
  else is_known = false;
  dispatch_release(group);
  return is_known;
}
