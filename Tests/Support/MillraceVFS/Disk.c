#include "Disk.h"

#ifdef SQLite

#include <errno.h>

// MARK: Bytes

void millrace_resize(struct bytes *bytes, uint64_t count) {
  if (count > bytes->count) {
    bytes->data = realloc(bytes->data, count);
    memset(bytes->data + bytes->count, 0, count - bytes->count);
  }
  bytes->count = count;
}

void millrace_put(struct bytes *bytes, uint64_t offset, const void *data, uint64_t count) {
  if (offset + count > bytes->count) millrace_resize(bytes, offset + count);
  if (count > 0) memcpy(bytes->data + offset, data, count);
}

void millrace_copy(struct bytes *to, const struct bytes *from) {
  to->count = 0;
  millrace_put(to, 0, from->data, from->count);
}

static void clear(struct bytes *bytes) {
  free(bytes->data);
  *bytes = (struct bytes){0};
}

/// SplitMix64, by Steele, Lea and Flood.
uint64_t millrace_draw(struct millrace_disk *disk) {
  uint64_t value = (disk->random += 0x9E3779B97F4A7C15);
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

// MARK: Changes

void millrace_add_change(struct file *file, bool sets_size, uint64_t offset, const void *data, uint64_t count) {
  struct change *change = calloc(1, sizeof *change);
  change->sets_size = sets_size;
  change->offset = offset;
  millrace_put(&change->bytes, 0, data, count);
  *file->last_change = change;
  file->last_change = &change->next;
}

void millrace_forget_changes(struct file *file) {
  while (file->changes) {
    struct change *change = file->changes;
    file->changes = change->next;
    clear(&change->bytes);
    free(change);
  }
  file->last_change = &file->changes;
}

void millrace_keep_all(struct file *file) {
  for (struct change *change = file->changes; change; change = change->next) {
    if (change->sets_size) {
      millrace_resize(&file->durable, change->offset);
    } else {
      millrace_put(&file->durable, change->offset, change->bytes.data, change->bytes.count);
    }
  }
  millrace_forget_changes(file);
}

void millrace_keep_some(struct millrace_disk *disk, struct file *file) {
  for (struct change *change = file->changes; change; change = change->next) {
    if (change->sets_size) {
      if (millrace_draw(disk) & 1) millrace_resize(&file->durable, change->offset);
      continue;
    }
    for (uint64_t start = 0; start < change->bytes.count;) {
      uint64_t end = (change->offset + start) / sector * sector + sector - change->offset;
      if (end > change->bytes.count) end = change->bytes.count;
      if (millrace_draw(disk) & 1) millrace_put(&file->durable, change->offset + start, change->bytes.data + start, end - start);
      start = end;
    }
  }
  millrace_forget_changes(file);
}

void millrace_free_shared(struct file *file) {
  for (int index = 0; index < 32; index++) {
    free(file->shared[index]);
    file->shared[index] = NULL;
  }
}

void millrace_remove(struct file *file) {
  millrace_forget_changes(file);
  clear(&file->seen);
  clear(&file->durable);
  millrace_free_shared(file);
  file->exists = false;
  file->is_durable = false;
  file->is_revivable = false;
}

void millrace_hide(struct file *file) {
  if (!file->is_durable) {
    millrace_remove(file);
    return;
  }
  millrace_forget_changes(file);
  clear(&file->seen);
  millrace_free_shared(file);
  file->exists = false;
  file->is_revivable = true;
}

void millrace_sync_folder(struct millrace_disk *disk) {
  for (int index = 0; index < most_files; index++) {
    struct file *file = &disk->files[index];
    if (file->exists) file->is_durable = true;
    if (file->is_revivable) millrace_remove(file);
  }
}

enum millrace_fault millrace_begin(struct millrace_disk *disk) {
  uint64_t operation = disk->operations++;
  if (disk->has_crashed) return millrace_fault_crash;
  if (disk->is_full) return millrace_fault_full;
  if (disk->fault == millrace_fault_none || operation != disk->planned) return millrace_fault_none;
  if (disk->fault == millrace_fault_crash || disk->fault == millrace_fault_torn) disk->has_crashed = true;
  if (disk->fault == millrace_fault_full) disk->is_full = true;
  return disk->fault;
}

bool millrace_syncs(const struct millrace_disk *disk, enum millrace_fault fault) {
  // A full disk has room for what was written before.
  return fault == millrace_fault_none || (fault == millrace_fault_full && disk->planned != disk->operations - 1);
}

bool millrace_try_folder(struct millrace_disk *disk) {
  enum millrace_fault fault = millrace_begin(disk);
  bool succeeds = millrace_syncs(disk, fault);
  if (succeeds || (fault == millrace_fault_torn && (millrace_draw(disk) & 1))) millrace_sync_folder(disk);
  return succeeds;
}

struct file *millrace_find(struct millrace_disk *disk, const char *name) {
  for (int index = 0; index < most_files; index++) {
    if (disk->files[index].exists && strcmp(disk->files[index].name, name) == 0) return &disk->files[index];
  }
  return NULL;
}

// MARK: For tests

void millrace_disk_plan(struct millrace_disk *disk, enum millrace_fault fault, uint64_t operation, uint64_t seed) {
  LOCKED(disk);
  disk->fault = fault;
  disk->planned = operation;
  disk->operations = 0;
  disk->random = seed;
  UNLOCKED(disk);
}

uint64_t millrace_disk_operations(struct millrace_disk *disk) {
  LOCKED(disk);
  uint64_t operations = disk->operations;
  UNLOCKED(disk);
  return operations;
}

uint64_t millrace_disk_syncs(struct millrace_disk *disk) {
  LOCKED(disk);
  uint64_t count = disk->syncs;
  UNLOCKED(disk);
  return count;
}

int millrace_disk_sync_folder(struct millrace_disk *disk) {
  LOCKED(disk);
  bool succeeds = millrace_try_folder(disk);
  UNLOCKED(disk);
  return succeeds ? 0 : EIO;
}

uint64_t millrace_disk_failed_syncs(struct millrace_disk *disk) {
  LOCKED(disk);
  uint64_t count = disk->failed_syncs;
  UNLOCKED(disk);
  return count;
}

int millrace_disk_connections(struct millrace_disk *disk, const char *name) {
  LOCKED(disk);
  struct file *file = millrace_find(disk, name);
  int count = file ? file->connections : 0;
  UNLOCKED(disk);
  return count;
}

void millrace_disk_restart(struct millrace_disk *disk) {
  LOCKED(disk);
  for (int index = 0; index < most_files; index++) {
    struct file *file = &disk->files[index];
    if (file->is_revivable && (millrace_draw(disk) & 1)) {
      file->exists = true;
      file->is_revivable = false;
      millrace_copy(&file->seen, &file->durable);
      continue;
    }
    if (!file->exists) {
      if (file->is_revivable) millrace_remove(file);
      continue;
    }
    // A file that was never synchronized may be gone with its name.
    if (!file->is_durable && (millrace_draw(disk) & 1)) {
      millrace_remove(file);
      continue;
    }
    file->is_durable = true;
    millrace_keep_some(disk, file);
    millrace_copy(&file->seen, &file->durable);
  }
  disk->has_crashed = disk->is_full = false;
  disk->fault = millrace_fault_none;
  UNLOCKED(disk);
}

void millrace_disk_copy(struct millrace_disk *disk, struct millrace_disk *from) {
  LOCKED(from);
  for (int index = 0; index < most_files; index++) {
    struct file *file = &disk->files[index], *original = &from->files[index];
    if (file->exists || file->is_revivable) millrace_remove(file);
    if (!original->exists) continue;
    *file = (struct file){.exists = true, .is_durable = true};
    strcpy(file->name, original->name);
    file->last_change = &file->changes;
    millrace_copy(&file->seen, &original->seen);
    millrace_copy(&file->durable, &original->seen);
  }
  UNLOCKED(from);
}

void millrace_disk_write(struct millrace_disk *disk, const char *name, const uint8_t *bytes, uint64_t size) {
  LOCKED(disk);
  struct file *file = NULL;
  for (int index = 0; index < most_files && !file; index++)
    if (!disk->files[index].exists && !disk->files[index].is_revivable) file = &disk->files[index];
  if (file) {
    *file = (struct file){.exists = true, .is_durable = true};
    strcpy(file->name, name);
    file->last_change = &file->changes;
    millrace_resize(&file->seen, size);
    memcpy(file->seen.data, bytes, size);
    millrace_copy(&file->durable, &file->seen);
  }
  UNLOCKED(disk);
}

void millrace_disk_protect(struct millrace_disk *disk, bool is_protected) {
  LOCKED(disk);
  disk->is_protected = is_protected;
  UNLOCKED(disk);
}

void millrace_disk_lock(struct millrace_disk *disk, int64_t microseconds) {
  LOCKED(disk);
  disk->locked = microseconds;
  UNLOCKED(disk);
}

uint64_t millrace_disk_size(struct millrace_disk *disk, const char *name) {
  LOCKED(disk);
  struct file *file = millrace_find(disk, name);
  uint64_t size = file ? file->seen.count : 0;
  UNLOCKED(disk);
  return size;
}

void millrace_disk_read(struct millrace_disk *disk, const char *name, uint8_t *bytes) {
  LOCKED(disk);
  struct file *file = millrace_find(disk, name);
  if (file && file->seen.count > 0) memcpy(bytes, file->seen.data, file->seen.count);
  UNLOCKED(disk);
}

void millrace_disk_flip(struct millrace_disk *disk, const char *name, uint64_t bit) {
  LOCKED(disk);
  struct file *file = millrace_find(disk, name);
  if (file && bit / 8 < file->seen.count) {
    file->seen.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    if (bit / 8 < file->durable.count) file->durable.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
  }
  UNLOCKED(disk);
}

void millrace_disk_cut(struct millrace_disk *disk, const char *name, uint64_t size) {
  LOCKED(disk);
  struct file *file = millrace_find(disk, name);
  if (file && size < file->seen.count) {
    millrace_resize(&file->seen, size);
    if (size < file->durable.count) millrace_resize(&file->durable, size);
  }
  UNLOCKED(disk);
}

#endif
