/// A disk in memory for SQLite, which loses at a crash what a real one may lose.
///
/// A file that is made or removed is there or not, as the seed draws, until the folder is synchronized. SQLite does that with a new WAL and
/// a new rollback journal, and does not tell when it fails.
///
/// Each disk is a VFS of SQLite of its own. A write is kept apart until the file is synchronized; a crash keeps of the writes that are not
/// a part that a seed draws, in sectors of 512 bytes. Without the trait `SQLite` nothing is defined.
#ifndef MILLRACE_VFS_H
#define MILLRACE_VFS_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// A disk.
struct millrace_disk;

/// What happens at the chosen operation.
enum __attribute__((enum_extensibility(closed))) millrace_fault {
  /// Nothing.
  millrace_fault_none __attribute__((swift_name("none"))),
  /// The machine crashes before the operation: this one and all later ones fail until the disk is restarted.
  millrace_fault_crash __attribute__((swift_name("crash"))),
  /// The machine crashes after a part of the operation.
  millrace_fault_torn __attribute__((swift_name("torn"))),
  /// A write stores its first part, and fails because the disk is full; a sync fails.
  millrace_fault_error __attribute__((swift_name("error"))),
  /// As `error`, and every later operation that needs room fails too, until the disk is restarted.
  millrace_fault_full __attribute__((swift_name("full"))),
};

/// Creates an empty disk, and registers it with SQLite under this name; NULL when there is no memory.
struct millrace_disk *_Nullable millrace_disk_make(const char *name);
/// Frees a disk that no connection uses.
void millrace_disk_free(struct millrace_disk *disk);

/// Chooses what happens at an operation, counted from 0 with the call; operations are writes, syncs of files and of the folder,
/// changes of size, and files that are made or removed.
void millrace_disk_plan(struct millrace_disk *disk, enum millrace_fault fault, uint64_t operation, uint64_t seed);
/// The number of operations since the plan was made.
uint64_t millrace_disk_operations(struct millrace_disk *disk);
/// The number of syncs of files that have succeeded since the disk was made.
uint64_t millrace_disk_syncs(struct millrace_disk *disk);
/// Synchronizes the folder, as a call of the system does; 0, or the error number if the operation meets a fault.
int millrace_disk_sync_folder(struct millrace_disk *disk);
/// The number of syncs of files that have failed since the disk was made.
uint64_t millrace_disk_failed_syncs(struct millrace_disk *disk);
/// The number of connections that have a database open.
int millrace_disk_connections(struct millrace_disk *disk, const char *file);
/// Loses, as the plan's seed draws, writes that are not durable, and lets operations succeed again.
void millrace_disk_restart(struct millrace_disk *disk);
/// Gives a disk that no connection uses the files of another one, with all writes durable.
void millrace_disk_copy(struct millrace_disk *disk, struct millrace_disk *from);
/// Makes a durable file of a disk that no connection uses, with these bytes.
void millrace_disk_write(struct millrace_disk *disk, const char *file, const uint8_t *bytes, uint64_t size);
/// Sets whether files can be made; existing ones can be written.
void millrace_disk_protect(struct millrace_disk *disk, bool is_protected);

/// Has another process hold the lock of writers, until SQLite has waited this long for it.
void millrace_disk_lock(struct millrace_disk *disk, int64_t microseconds);

/// The size of a file in bytes; 0 if there is none.
uint64_t millrace_disk_size(struct millrace_disk *disk, const char *file);
/// Copies the bytes of a file, of which there are `millrace_disk_size`.
void millrace_disk_read(struct millrace_disk *disk, const char *file, uint8_t *bytes);
/// Flips one bit of a file, on the disk and for readers.
void millrace_disk_flip(struct millrace_disk *disk, const char *file, uint64_t bit);
/// Cuts a file after this number of bytes, on the disk and for readers.
void millrace_disk_cut(struct millrace_disk *disk, const char *file, uint64_t size);

#pragma clang assume_nonnull end

#endif
