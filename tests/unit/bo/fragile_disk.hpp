#pragma once
/// A disk in memory under SQLite: what was not synced is lost, or half there, when the power is cut, and it can be
/// full. Registered as the default file system of SQLite while it lives.

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace nomu {

class FragileDisk {
 public:
  FragileDisk() {
    disk() = this;
    base_ = sqlite3_vfs_find(nullptr);
    vfs_ = *base_;
    vfs_.pNext = nullptr;
    vfs_.zName = "fragile";
    vfs_.szOsFile = sizeof(Handle);
    vfs_.xOpen = open;
    vfs_.xDelete = remove;
    vfs_.xAccess = access;
    vfs_.xFullPathname = full_path;
    sqlite3_vfs_register(&vfs_, 1);
  }
  FragileDisk(const FragileDisk&) = delete;
  FragileDisk& operator=(const FragileDisk&) = delete;
  ~FragileDisk() {
    sqlite3_vfs_unregister(&vfs_);
    sqlite3_vfs_register(base_, 1);
    disk() = nullptr;
  }

  void cut_after(long writes) { writes_left_ = writes; }
  void limit(std::size_t bytes) { most_bytes_ = bytes; }
  [[nodiscard]] bool is_off() const { return off_; }

  /// Power comes back: of the writes since the last sync of a file, some are there and some are not.
  void power_on(std::mt19937& random) {
    for (auto& [name, file] : files_) {
      file->now = file->synced;
      for (const Write& write : file->pending) {
        if (random() % 2 == 0) put(file->now, write.at, write.bytes.data(), write.bytes.size());
      }
      file->synced = file->now;
      file->pending.clear();
      file->shared.clear();
    }
    off_ = false;
    writes_left_ = -1;
  }

 private:
  struct Write {
    std::size_t at;
    std::vector<char> bytes;
  };
  struct File {
    std::vector<char> now, synced;
    std::vector<Write> pending;
    std::vector<std::unique_ptr<char[]>> shared;
  };
  struct Handle {
    sqlite3_file base;
    File* file;
  };

  static FragileDisk*& disk() {
    // SQLite hands its file systems no pointer of ours.
    // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
    static FragileDisk* current = nullptr;
    return current;
  }
  static File& file(sqlite3_file* handle) { return *reinterpret_cast<Handle*>(handle)->file; }

  static void put(std::vector<char>& bytes, std::size_t at, const char* data, std::size_t count) {
    if (bytes.size() < at + count) bytes.resize(at + count);
    std::memcpy(bytes.data() + at, data, count);
  }

  static int open(sqlite3_vfs*, const char* name, sqlite3_file* handle, int flags, int* out) {
    handle->pMethods = nullptr;
    const std::string path = name == nullptr ? "temporary" : name;
    auto& files = disk()->files_;
    if (!files.contains(path)) {
      if ((flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
      files[path] = std::make_unique<File>();
    }
    reinterpret_cast<Handle*>(handle)->file = files[path].get();
    handle->pMethods = methods();
    if (out != nullptr) *out = flags;
    return SQLITE_OK;
  }
  static int remove(sqlite3_vfs*, const char* name, int) {
    if (disk()->off_) return SQLITE_IOERR;
    disk()->files_.erase(name);
    return SQLITE_OK;
  }
  static int access(sqlite3_vfs*, const char* name, int, int* result) {
    const auto found = disk()->files_.find(name);
    *result = found != disk()->files_.end() && !found->second->now.empty() ? 1 : 0;
    return SQLITE_OK;
  }
  static int full_path(sqlite3_vfs*, const char* name, int count, char* out) {
    sqlite3_snprintf(count, out, "%s", name);
    return SQLITE_OK;
  }

  static int close(sqlite3_file*) { return SQLITE_OK; }
  static int read(sqlite3_file* handle, void* data, int count, sqlite3_int64 at) {
    const std::vector<char>& bytes = file(handle).now;
    std::memset(data, 0, static_cast<std::size_t>(count));
    const auto begin = std::min(static_cast<std::size_t>(at), bytes.size());
    const std::size_t there = std::min(static_cast<std::size_t>(count), bytes.size() - begin);
    std::copy_n(bytes.data() + begin, there, static_cast<char*>(data));  // nothing of an empty file: no memcpy
    return there == static_cast<std::size_t>(count) ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
  }
  static int write(sqlite3_file* handle, const void* data, int count, sqlite3_int64 at) {
    FragileDisk& d = *disk();
    if (d.writes_left_ == 0) d.off_ = true;
    if (d.off_) return SQLITE_IOERR;
    if (d.writes_left_ > 0) --d.writes_left_;
    const auto place = static_cast<std::size_t>(at);
    const auto size = static_cast<std::size_t>(count);
    File& f = file(handle);
    if (place + size > d.most_bytes_ && place + size > f.now.size()) return SQLITE_FULL;
    put(f.now, place, static_cast<const char*>(data), size);
    f.pending.push_back({place, {static_cast<const char*>(data), static_cast<const char*>(data) + size}});
    return SQLITE_OK;
  }
  static int truncate(sqlite3_file* handle, sqlite3_int64 size) {
    if (disk()->off_) return SQLITE_IOERR;
    file(handle).now.resize(static_cast<std::size_t>(size));
    file(handle).synced.resize(static_cast<std::size_t>(size));
    return SQLITE_OK;
  }
  static int sync(sqlite3_file* handle, int) {
    if (disk()->off_) return SQLITE_IOERR;
    file(handle).synced = file(handle).now;
    file(handle).pending.clear();
    return SQLITE_OK;
  }
  static int size(sqlite3_file* handle, sqlite3_int64* result) {
    *result = static_cast<sqlite3_int64>(file(handle).now.size());
    return SQLITE_OK;
  }
  static int lock(sqlite3_file*, int) { return SQLITE_OK; }
  static int reserved(sqlite3_file*, int* result) {
    *result = 0;
    return SQLITE_OK;
  }
  static int control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
  static int sector(sqlite3_file*) { return 4096; }
  static int character(sqlite3_file*) { return 0; }
  static int shm_map(sqlite3_file* handle, int page, int bytes, int extend, void volatile** out) {
    auto& shared = file(handle).shared;
    *out = nullptr;
    if (static_cast<std::size_t>(page) >= shared.size() && extend == 0) return SQLITE_OK;
    while (static_cast<std::size_t>(page) >= shared.size()) {
      shared.push_back(std::make_unique<char[]>(static_cast<std::size_t>(bytes)));
    }
    *out = shared[static_cast<std::size_t>(page)].get();
    return SQLITE_OK;
  }
  static int shm_lock(sqlite3_file*, int, int, int) { return SQLITE_OK; }
  static void shm_barrier(sqlite3_file*) {}
  static int shm_unmap(sqlite3_file* handle, int) {
    file(handle).shared.clear();
    return SQLITE_OK;
  }

  static const sqlite3_io_methods* methods() {
    static const sqlite3_io_methods all = [] {
      sqlite3_io_methods m{};
      m.iVersion = 2;
      m.xClose = close;
      m.xRead = read;
      m.xWrite = write;
      m.xTruncate = truncate;
      m.xSync = sync;
      m.xFileSize = size;
      m.xLock = lock;
      m.xUnlock = lock;
      m.xCheckReservedLock = reserved;
      m.xFileControl = control;
      m.xSectorSize = sector;
      m.xDeviceCharacteristics = character;
      m.xShmMap = shm_map;
      m.xShmLock = shm_lock;
      m.xShmBarrier = shm_barrier;
      m.xShmUnmap = shm_unmap;
      return m;
    }();
    return &all;
  }

  sqlite3_vfs* base_ = nullptr;
  sqlite3_vfs vfs_{};
  std::map<std::string, std::unique_ptr<File>> files_;
  long writes_left_ = -1;
  std::size_t most_bytes_ = static_cast<std::size_t>(-1) / 2;
  bool off_ = false;
};

}  // namespace nomu
