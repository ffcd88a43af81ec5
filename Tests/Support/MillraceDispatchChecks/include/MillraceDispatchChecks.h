/// A caller of Dispatch that is written in C, as a library would be, for the tests of simulations.
#ifndef MILLRACE_DISPATCH_CHECKS_H
#define MILLRACE_DISPATCH_CHECKS_H

#include <stdbool.h>

/// Gives work that does nothing to a queue by a function of Dispatch that takes a function; false if its name is not known.
bool millrace_give_work(const char *name);

#endif
