/// SQLite, with the functions and macros that Swift cannot call: variadic ones, and casts to function pointers.
#ifndef MILLRACE_SQLITE_H
#define MILLRACE_SQLITE_H

#include <sqlite3.h>

/// Binds a copy of these bytes; `sqlite3_bind_blob` would bind NULL for no bytes.
static inline int millrace_sqlite_bind_bytes(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return count == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Binds a copy of this text; without characters it may be NULL.
static inline int millrace_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, count == 0 ? "" : text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Keeps the WAL as it is when a connection is closed.
static inline int millrace_sqlite_leave_wal(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

#endif
