#include "Interposing.h"

#if defined(__linux__)
// A task that calls an idle actor, or leaves one, continues at once on the same thread, and no job is enqueued. In a world it is
// enqueued with the world's executor first, so that another task may run before it, and continues to its actor from there.
//
// The definition here comes before that of the library for calls from user code; the concurrency library calls its own. It is
// weak, so that a static library has its own; then such a call is no decision.

#include <stdlib.h>

typedef SWIFT_ASYNC void (*Continuation)(ASYNC_CONTEXT void *);
typedef SWIFT_ASYNC void (*Switch)(ASYNC_CONTEXT void *, Continuation, const void *identity, uintptr_t implementation);

typedef struct {
  const void *identity;
  uintptr_t implementation;
} Executor;

extern SWIFT_CALL Executor swift_task_getCurrentExecutor(void);

static _Thread_local MillraceHops hops;
/// The actor of the last hop that was put off.
static _Thread_local const void *actor;
static Executor world;

MillraceHops millrace_hops(void) { return hops; }

void millrace_set_hops(MillraceHops new_hops) { hops = new_hops; }

void millrace_set_hop_executor(const void *identity, uintptr_t implementation) {
  world = (Executor){identity, implementation};
}

const void *millrace_hop_actor(void) { return actor; }

/// A hop that was put off; its first words are those of a context of the runtime.
typedef struct {
  void *parent;
  void *resume_parent;
  void *context;
  Continuation function;
  Executor target;
} Hop;

static Switch next_switch(void) {
  static _Atomic(void *) next;
  return (Switch)millrace_next_definition(&next, NULL, "swift_task_switch");
}

static SWIFT_ASYNC void continue_hop(ASYNC_CONTEXT void *context) {
  Hop *hop = context;
  void *next = hop->context;
  Continuation function = hop->function;
  Executor target = hop->target;
  free(hop);
  return next_switch()(next, function, target.identity, target.implementation);
}

/// Whether a hop to this executor is a decision: one to another actor with a queue of the runtime, or to none.
static bool is_decision(Executor target) {
  if (!hops || !world.identity || target.implementation) return false;
  if (!target.identity) return hops == MillraceHopsAll;
  return swift_task_getCurrentExecutor().identity != target.identity;
}

static void *put_off(void *context, Continuation function, Executor target) {
  Hop *hop = malloc(sizeof(Hop));
  if (hop) *hop = (Hop){context, NULL, context, function, target};
  return hop;
}

COMES_FIRST SWIFT_ASYNC void swift_task_switch(
    ASYNC_CONTEXT void *context, Continuation function, const void *identity, uintptr_t implementation) {
  void *hop = is_decision((Executor){identity, implementation})
      ? put_off(context, function, (Executor){identity, implementation})
      : NULL;
  actor = identity;
  if (hop) return next_switch()(hop, continue_hop, world.identity, world.implementation);
  return next_switch()(context, function, identity, implementation);
}
#else
MillraceHops millrace_hops(void) { return MillraceHopsNone; }

void millrace_set_hops(MillraceHops hops) { (void)hops; }

void millrace_set_hop_executor(const void *identity, uintptr_t implementation) {
  (void)identity;
  (void)implementation;
}

const void *millrace_hop_actor(void) { return NULL; }
#endif
