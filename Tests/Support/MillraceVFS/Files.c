#include "Disk.h"

#ifdef SQLite

/// An open file, as SQLite has it.
struct handle {
  sqlite3_file base;
  struct millrace_disk *disk;
  struct file *file;
  bool is_main;
  /// Whether the next sync synchronizes the folder too.
  bool syncs_folder;
};

static int close_file(sqlite3_file *base) {
  struct handle *handle = (struct handle *)base;
  LOCKED(handle->disk);
  if (handle->is_main && --handle->file->connections == 0) millrace_free_shared(handle->file);
  UNLOCKED(handle->disk);
  return SQLITE_OK;
}

static int read_file(sqlite3_file *base, void *data, int count, sqlite3_int64 offset) {
  struct handle *handle = (struct handle *)base;
  LOCKED(handle->disk);
  struct bytes *bytes = &handle->file->seen;
  uint64_t there = (uint64_t)offset < bytes->count ? bytes->count - (uint64_t)offset : 0;
  if (there > (uint64_t)count) there = (uint64_t)count;
  int code = SQLITE_OK;
  if (handle->disk->has_crashed) {
    code = SQLITE_IOERR_READ;
  } else {
    if (there > 0) memcpy(data, bytes->data + offset, there);
    if (there < (uint64_t)count) {
      memset((uint8_t *)data + there, 0, (uint64_t)count - there);
      code = SQLITE_IOERR_SHORT_READ;
    }
  }
  UNLOCKED(handle->disk);
  return code;
}

static int write_file(sqlite3_file *base, const void *data, int count, sqlite3_int64 offset) {
  struct handle *handle = (struct handle *)base;
  LOCKED(handle->disk);
  enum millrace_fault fault = millrace_begin(handle->disk);
  uint64_t stored = (uint64_t)count;
  int code = SQLITE_OK;
  switch (fault) {
    case millrace_fault_none: break;
    case millrace_fault_crash:
      stored = 0;
      code = SQLITE_IOERR_WRITE;
      break;
    case millrace_fault_torn:
      stored = millrace_draw(handle->disk) % ((uint64_t)count + 1);
      code = SQLITE_IOERR_WRITE;
      break;
    case millrace_fault_error:
    case millrace_fault_full:
      stored = millrace_draw(handle->disk) % ((uint64_t)count + 1);
      code = SQLITE_FULL;
      break;
  }
  if (stored > 0) {
    millrace_put(&handle->file->seen, (uint64_t)offset, data, stored);
    millrace_add_change(handle->file, false, (uint64_t)offset, data, stored);
  }
  UNLOCKED(handle->disk);
  return code;
}

static int truncate_file(sqlite3_file *base, sqlite3_int64 size) {
  struct handle *handle = (struct handle *)base;
  LOCKED(handle->disk);
  enum millrace_fault fault = millrace_begin(handle->disk);
  bool is_done = fault == millrace_fault_none || (fault == millrace_fault_torn && (millrace_draw(handle->disk) & 1));
  if (is_done) {
    millrace_resize(&handle->file->seen, (uint64_t)size);
    millrace_add_change(handle->file, true, (uint64_t)size, NULL, 0);
  }
  UNLOCKED(handle->disk);
  return fault == millrace_fault_none ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
}

static int sync_file(sqlite3_file *base, int flags) {
  (void)flags;
  struct handle *handle = (struct handle *)base;
  LOCKED(handle->disk);
  enum millrace_fault fault = millrace_begin(handle->disk);
  bool succeeds = millrace_syncs(handle->disk, fault);
  if (succeeds) {
    handle->disk->syncs++;
    millrace_keep_all(handle->file);
    // SQLite ignores a failure, as that of open(2) without a free descriptor.
    if (handle->syncs_folder) millrace_try_folder(handle->disk);
    handle->syncs_folder = false;
  } else if (fault != millrace_fault_crash) {
    // Linux forgets the writes of a sync that has failed: readers of each process see them, and no later sync writes them.
    millrace_keep_some(handle->disk, handle->file);
    if (fault != millrace_fault_torn) handle->disk->failed_syncs++;
  }
  UNLOCKED(handle->disk);
  return succeeds ? SQLITE_OK : SQLITE_IOERR_FSYNC;
}

static int size_of_file(sqlite3_file *base, sqlite3_int64 *size) {
  struct handle *handle = (struct handle *)base;
  LOCKED(handle->disk);
  *size = (sqlite3_int64)handle->file->seen.count;
  UNLOCKED(handle->disk);
  return SQLITE_OK;
}

// One connection uses a disk at a time, so locks are free but for the one that a test holds.
static int lock_file(sqlite3_file *base, int level) {
  (void)base, (void)level;
  return SQLITE_OK;
}

static int check_lock(sqlite3_file *base, int *is_locked) {
  (void)base;
  *is_locked = 0;
  return SQLITE_OK;
}

static int control_file(sqlite3_file *base, int operation, void *argument) {
  (void)base, (void)operation, (void)argument;
  return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *base) {
  (void)base;
  return sector;
}

static int characteristics(sqlite3_file *base) {
  (void)base;
  return 0;
}

static int map_shared(sqlite3_file *base, int index, int size, int extends, void volatile **memory) {
  struct handle *handle = (struct handle *)base;
  if (index >= 32) return SQLITE_IOERR_SHMMAP;
  LOCKED(handle->disk);
  if (handle->file->shared[index] == NULL && extends) handle->file->shared[index] = calloc(1, (size_t)size);
  *memory = handle->file->shared[index];
  UNLOCKED(handle->disk);
  return SQLITE_OK;
}

static int lock_shared(sqlite3_file *base, int offset, int count, int flags) {
  (void)count;
  struct handle *handle = (struct handle *)base;
  // The lock of writers is the first one.
  bool is_writer = offset == 0 && flags == (SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE);
  LOCKED(handle->disk);
  int code = is_writer && handle->disk->locked > 0 ? SQLITE_BUSY : SQLITE_OK;
  UNLOCKED(handle->disk);
  return code;
}

static void order_shared(sqlite3_file *base) {
  (void)base;
  __sync_synchronize();
}

static int unmap_shared(sqlite3_file *base, int removes) {
  (void)base, (void)removes;
  return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
  .iVersion = 2,
  .xClose = close_file,
  .xRead = read_file,
  .xWrite = write_file,
  .xTruncate = truncate_file,
  .xSync = sync_file,
  .xFileSize = size_of_file,
  .xLock = lock_file,
  .xUnlock = lock_file,
  .xCheckReservedLock = check_lock,
  .xFileControl = control_file,
  .xSectorSize = sector_size,
  .xDeviceCharacteristics = characteristics,
  .xShmMap = map_shared,
  .xShmLock = lock_shared,
  .xShmBarrier = order_shared,
  .xShmUnmap = unmap_shared,
};

// MARK: The file system

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *opened) {
  struct millrace_disk *disk = vfs->pAppData;
  struct handle *handle = (struct handle *)base;
  base->pMethods = NULL;
  if (name == NULL || strlen(name) >= longest_name) return SQLITE_CANTOPEN;
  LOCKED(disk);
  struct file *file = millrace_find(disk, name);
  int code = disk->has_crashed ? SQLITE_CANTOPEN : SQLITE_OK;
  if (code == SQLITE_OK && file == NULL) {
    bool is_made = (flags & SQLITE_OPEN_CREATE) && !disk->is_protected && millrace_begin(disk) == millrace_fault_none;
    // A new file takes the place of the one that was removed.
    for (int index = 0; is_made && index < most_files; index++) {
      struct file *removed = &disk->files[index];
      if (removed->is_revivable && strcmp(removed->name, name) == 0) millrace_remove(removed);
    }
    for (int index = 0; is_made && file == NULL && index < most_files; index++) {
      if (disk->files[index].exists || disk->files[index].is_revivable) continue;
      file = &disk->files[index];
      *file = (struct file){.exists = true};
      strcpy(file->name, name);
      file->last_change = &file->changes;
    }
    if (file == NULL) code = SQLITE_CANTOPEN;
  }
  if (code == SQLITE_OK) {
    handle->disk = disk;
    handle->file = file;
    handle->is_main = (flags & SQLITE_OPEN_MAIN_DB) != 0;
    handle->syncs_folder = !handle->is_main && (flags & SQLITE_OPEN_CREATE) != 0;
    if (handle->is_main) file->connections++;
    base->pMethods = &methods;
    if (opened) *opened = flags;
  }
  UNLOCKED(disk);
  return code;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int syncs) {
  struct millrace_disk *disk = vfs->pAppData;
  LOCKED(disk);
  struct file *file = millrace_find(disk, name);
  int code = file ? SQLITE_OK : SQLITE_IOERR_DELETE_NOENT;
  if (file) {
    enum millrace_fault fault = millrace_begin(disk);
    if (fault == millrace_fault_none || (fault == millrace_fault_torn && (millrace_draw(disk) & 1))) {
      millrace_hide(file);
      if (syncs) millrace_try_folder(disk);
    }
    if (fault != millrace_fault_none) code = SQLITE_IOERR_DELETE;
  }
  UNLOCKED(disk);
  return code;
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  (void)flags;
  struct millrace_disk *disk = vfs->pAppData;
  LOCKED(disk);
  struct file *file = millrace_find(disk, name);
  // A file without bytes is none to SQLite.
  *result = file != NULL && (flags != SQLITE_ACCESS_EXISTS || file->seen.count > 0);
  UNLOCKED(disk);
  return SQLITE_OK;
}

static int full_name(sqlite3_vfs *vfs, const char *name, int count, char *full) {
  (void)vfs;
  sqlite3_snprintf(count, full, "%s", name);
  return SQLITE_OK;
}

static int fill_random(sqlite3_vfs *vfs, int count, char *bytes) {
  struct millrace_disk *disk = vfs->pAppData;
  LOCKED(disk);
  for (int index = 0; index < count; index++) bytes[index] = (char)millrace_draw(disk);
  UNLOCKED(disk);
  return count;
}

static int wait_for(sqlite3_vfs *vfs, int microseconds) {
  struct millrace_disk *disk = vfs->pAppData;
  LOCKED(disk);
  disk->locked -= microseconds;
  UNLOCKED(disk);
  return microseconds;
}

static int read_time(sqlite3_vfs *vfs, double *days) {
  (void)vfs;
  *days = 2461369;
  return SQLITE_OK;
}

static int last_error(sqlite3_vfs *vfs, int count, char *text) {
  (void)vfs, (void)count, (void)text;
  return 0;
}

// MARK: Disks

struct millrace_disk *millrace_disk_make(const char *name) {
  struct millrace_disk *disk = calloc(1, sizeof *disk);
  if (disk == NULL || strlen(name) >= longest_name) return NULL;
  pthread_mutex_init(&disk->mutex, NULL);
  strcpy(disk->vfs_name, name);
  disk->vfs = (sqlite3_vfs){
    .iVersion = 1,
    .szOsFile = sizeof(struct handle),
    .mxPathname = longest_name,
    .zName = disk->vfs_name,
    .pAppData = disk,
    .xOpen = open_file,
    .xDelete = delete_file,
    .xAccess = access_file,
    .xFullPathname = full_name,
    .xRandomness = fill_random,
    .xSleep = wait_for,
    .xCurrentTime = read_time,
    .xGetLastError = last_error,
  };
  if (sqlite3_vfs_register(&disk->vfs, 0) == SQLITE_OK) return disk;
  free(disk);
  return NULL;
}

void millrace_disk_free(struct millrace_disk *disk) {
  sqlite3_vfs_unregister(&disk->vfs);
  for (int index = 0; index < most_files; index++) {
    if (disk->files[index].exists || disk->files[index].is_revivable) millrace_remove(&disk->files[index]);
  }
  pthread_mutex_destroy(&disk->mutex);
  free(disk);
}

#endif
