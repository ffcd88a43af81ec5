#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "MillraceHooks.h"

// A trap ends the process before a failure can be reported. A handler writes a text that was made before, and leaves the rest to the
// handler that was there, such as that of Swift's backtraces. It calls nothing but what a handler may call.

/// The text of the world whose thread this is, or in whose place this thread runs.
static _Thread_local const char *text;

static const int signals[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
#define SIGNALS (sizeof signals / sizeof signals[0])
static struct sigaction earlier[SIGNALS];

static void on_signal(int number, siginfo_t *info, void *context) {
  (void)context;
  if (text) {
    const char *next = text;
    size_t left = strlen(text);
    while (left > 0) {
      ssize_t written = write(STDERR_FILENO, next, left);
      if (written <= 0) break;
      next += written;
      left -= (size_t)written;
    }
  }
  for (size_t index = 0; index < SIGNALS; index++) {
    if (signals[index] == number) sigaction(number, &earlier[index], NULL);
  }
  // An instruction that trapped is executed again when this returns; a signal that was sent has to be sent again.
  if (info->si_code <= 0) raise(number);
}

static void install(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (size_t index = 0; index < SIGNALS; index++) sigaction(signals[index], &action, &earlier[index]);
}

const char *millrace_set_crash_text(const char *new_text) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
  const char *earlier_text = text;
  text = new_text;
  return earlier_text;
}

void millrace_make_signal_stack(void) {
  // Room for Swift's backtraces too, which begin in the handler behind this one.
  const size_t size = 256 << 10;
  stack_t before, stack = {.ss_sp = NULL, .ss_flags = 0, .ss_size = size};
  if (sigaltstack(NULL, &before) != 0 || !(before.ss_flags & SS_DISABLE)) return;
  stack.ss_sp = malloc(size);
  if (stack.ss_sp && sigaltstack(&stack, NULL) != 0) free(stack.ss_sp);
}
