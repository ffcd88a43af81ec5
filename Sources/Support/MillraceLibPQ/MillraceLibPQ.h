/// libpq, whose header Debian has in a folder of its own.
#ifndef MILLRACE_LIBPQ_H
#define MILLRACE_LIBPQ_H

#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

#endif
