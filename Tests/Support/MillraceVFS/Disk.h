/// The insides of a disk, which its two source files share.
#ifndef MILLRACE_DISK_H
#define MILLRACE_DISK_H

#include "MillraceVFS.h"

#ifdef SQLite

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define LOCKED(disk) pthread_mutex_lock(&(disk)->mutex)
#define UNLOCKED(disk) pthread_mutex_unlock(&(disk)->mutex)

enum { sector = 512, most_files = 8, longest_name = 64 };

/// Bytes that grow.
struct bytes {
  uint8_t *data;
  uint64_t count;
};

/// A change that is not durable yet.
struct change {
  struct change *next;
  /// Whether the change sets the size to `offset`, and writes nothing.
  bool sets_size;
  uint64_t offset;
  struct bytes bytes;
};

struct file {
  bool exists;
  /// Whether the file is on the disk by its name.
  bool is_durable;
  /// Whether the file was removed, and a crash may bring it back.
  bool is_revivable;
  char name[longest_name];
  /// The bytes for readers, and those on the disk.
  struct bytes seen, durable;
  struct change *changes, **last_change;
  /// The memory that connections share, which ends with the last of them.
  void *shared[32];
  int connections;
};

struct millrace_disk {
  sqlite3_vfs vfs;
  char vfs_name[longest_name];
  pthread_mutex_t mutex;
  struct file files[most_files];
  enum millrace_fault fault;
  uint64_t planned, operations, random, syncs, failed_syncs;
  bool has_crashed, is_full, is_protected;
  /// The time in microseconds for which another process holds the lock of writers.
  int64_t locked;
};

/// Changes the number of bytes; new ones are 0.
void millrace_resize(struct bytes *bytes, uint64_t count);
/// Writes bytes, and makes room for them.
void millrace_put(struct bytes *bytes, uint64_t offset, const void *data, uint64_t count);
/// Makes `to` the same bytes as `from`.
void millrace_copy(struct bytes *to, const struct bytes *from);
/// A number that the seed draws.
uint64_t millrace_draw(struct millrace_disk *disk);
/// Adds a change that is not durable.
void millrace_add_change(struct file *file, bool sets_size, uint64_t offset, const void *data, uint64_t count);
/// Forgets the changes that are not durable.
void millrace_forget_changes(struct file *file);
/// Makes all changes durable, and no byte that an earlier sync has dropped.
void millrace_keep_all(struct file *file);
/// Makes the changes of the sectors that the seed draws durable, and forgets the others.
void millrace_keep_some(struct millrace_disk *disk, struct file *file);
/// Frees the memory that connections share.
void millrace_free_shared(struct file *file);
/// Removes a file from the disk.
void millrace_remove(struct file *file);
/// Removes a file for readers; a crash may bring it back until the folder is synchronized.
void millrace_hide(struct file *file);
/// Makes the names of all files durable, and their removals.
void millrace_sync_folder(struct millrace_disk *disk);
/// Counts an operation, and returns the fault that it meets.
enum millrace_fault millrace_begin(struct millrace_disk *disk);
/// Whether a sync succeeds in spite of the fault that it meets.
bool millrace_syncs(const struct millrace_disk *disk, enum millrace_fault fault);
/// Synchronizes the folder as an operation that may fail; false if it fails.
bool millrace_try_folder(struct millrace_disk *disk);
/// The file of this name; NULL if there is none.
struct file *millrace_find(struct millrace_disk *disk, const char *name);

#endif
#endif
