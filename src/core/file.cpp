#include "nomu/core/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <optional>
#include <system_error>
#include <utility>

#include "core/descriptor.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/private_file.hpp"

namespace nomu {
namespace {

namespace fs = std::filesystem;

/// Removes the file on destruction unless it was renamed to its final name.
class TemporaryFile {
 public:
  explicit TemporaryFile(fs::path path) : path_(std::move(path)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!renamed_) ::unlink(path_.c_str());
  }
  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] bool rename_to(const fs::path& target) {
    renamed_ = ::rename(path_.c_str(), target.c_str()) == 0;
    return renamed_;
  }

 private:
  fs::path path_;
  bool renamed_ = false;
};

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {  // standard output may be shared with a program that never waits
      struct pollfd ready {
        .fd = fd, .events = POLLOUT, .revents = 0
      };
      if (::poll(&ready, 1, -1) < 0 && errno != EINTR) return false;
      continue;
    }
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// A name next to the target; short, because the target's may already be the longest that the file system allows.
fs::path neighbour(const fs::path& target) {
  static std::atomic<unsigned> counter{0};
  return target.parent_path() / fmt::format(".nomu-{}-{}.tmp", ::getpid(), counter++);
}

struct Neighbour {
  Descriptor out;
  TemporaryFile file;
};

/// Creates a new temporary file; the user's umask takes from `mode`. `path` is the name in messages.
Neighbour open_neighbour(const fs::path& target, const fs::path& path, mode_t mode) {
  for (;;) {
    const fs::path name = neighbour(target);
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0) return {Descriptor(fd), TemporaryFile(name)};
    // A killed process with the same id may have left its temporary file behind.
    if (errno != EEXIST) fail_with_file("write", path, errno);
  }
}

/// Where a write goes once links are followed.
struct Target {
  fs::path path;
  bool exists = false;
  bool direct = false;       ///< written to as it is: a pipe, a device, an open file
  int open_descriptor = -1;  ///< the descriptor of this process that the path stands for
  mode_t mode = 0;
  gid_t group = 0;
};

/// Whether a path is an entry of /proc/<process>/fd, under any of its names (/dev/fd, /proc/self/fd).
bool is_descriptor(const fs::path& path) {
  std::error_code unknown;
  const fs::path folder = fs::canonical(path.has_parent_path() ? path.parent_path() : fs::path("."), unknown);
  return !unknown && folder.filename() == "fd" && folder.string().starts_with("/proc/");
}

/// The number of such an entry, -1 if it is another process's.
int own_descriptor(const fs::path& path) {
  std::error_code unknown;
  const std::string folder = fs::canonical(path.parent_path(), unknown).string();
  if (unknown || !folder.starts_with(fmt::format("/proc/{}/", ::getpid()))) return -1;
  const std::string name = path.filename().string();
  int number = -1;
  const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), number);
  return wrong == std::errc{} && end == name.data() + name.size() ? number : -1;
}

/// The name at the end of a chain of links, even if nothing has that name yet; empty for links in a circle. A link that
/// stands for an open file, such as that of /dev/stdout, is an end too: what it leads to belongs to whoever opened it.
std::optional<fs::path> end_of_links(const fs::path& path) {
  constexpr int most_links = 40;  // as the system allows
  fs::path end = path;
  for (int links = 0; links < most_links; ++links) {
    std::error_code no_link;
    const fs::path next = fs::read_symlink(end, no_link);
    if (no_link || is_descriptor(end)) return end;
    end = next.is_absolute() ? next : end.parent_path() / next;
  }
  return {};
}

fs::path followed(const fs::path& path) {
  if (const std::optional<fs::path> end = end_of_links(path)) return *end;
  fail_with_file("write", path, ELOOP);
}

/// The same with the folder under its only name.
fs::path place_of(const fs::path& path) {
  const fs::path end = end_of_links(path).value_or(path);
  std::error_code unknown;
  const fs::path folder = fs::canonical(end.has_parent_path() ? end.parent_path() : fs::path("."), unknown);
  return unknown ? end.lexically_normal() : folder / end.filename();
}

/// Refuses directories and protected files.
Target target_of(const fs::path& path) {
  Target target{.path = followed(path)};
  struct stat status {};
  target.exists = ::stat(target.path.c_str(), &status) == 0;
  // A name that is too long, say, would be noticed by the rename, after all the work.
  if (!target.exists && errno != ENOENT) fail_with_file("write", path, errno);
  target.mode = status.st_mode & 07777U;
  target.group = status.st_gid;
  if (target.exists && S_ISDIR(status.st_mode)) fail_with_file("write", path, EISDIR);
  const bool descriptor = target.exists && is_descriptor(target.path);
  if (descriptor) target.open_descriptor = own_descriptor(target.path);
  // Renaming onto a device would replace it by a regular file; renaming onto an open file would lose what is in it.
  target.direct = target.exists && (descriptor || !S_ISREG(status.st_mode));
  if (target.open_descriptor >= 0) {
    const int flags = ::fcntl(target.open_descriptor, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) fail_with_file("write", path, EBADF);
  } else if (target.exists && ::access(target.path.c_str(), W_OK) != 0) {
    // A rename needs no permission on the old file, so a file that its owner protected is checked here.
    fail_with_file("write", path, errno);
  }
  return target;
}

/// An open file is written to where its owner is: `>> log` appends.
void write_directly(const Target& target, const fs::path& path, std::string_view bytes) {
  Descriptor out(target.open_descriptor >= 0 ? ::fcntl(target.open_descriptor, F_DUPFD_CLOEXEC, 0)
                                             : ::open(target.path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (out.get() < 0) fail_with_file("write", path, errno);
  if (!write_all(out.get(), bytes) || !out.close()) fail_with_file<Error>("write", path, errno);
}

/// What files of a group may permit that are made from the files `like`. Of a pipe, say, there is nothing to compare.
mode_t permitted(const std::vector<fs::path>& like, gid_t group) {
  mode_t allowed = 07777U;
  for (const fs::path& other : like) {
    struct stat status {};
    if (::stat(other.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    mode_t given = status.st_mode & 0077U;
    if (status.st_gid != group) {  // one's group are the other's others, and the other way round
      const mode_t common = given & (given >> 3U) & 07U;
      given = common << 3U | common;
    }
    allowed &= 07700U | given;
  }
  return allowed;
}

/// The group that the system gives to a new file.
gid_t group_of_new(const fs::path& path) {
  struct stat folder {};
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (::stat(parent.c_str(), &folder) == 0 && (folder.st_mode & S_ISGID) != 0) return folder.st_gid;
  return ::getegid();
}

/// What `withhold_from_replaced` has been told.
std::atomic<unsigned>& withheld() {
  static std::atomic<unsigned> mask{0};
  return mask;
}

/// Permissions before there is anything to read: those of the file that is replaced, as far as `like` gives them.
void settle_permissions(int file, const Target& target, std::vector<fs::path> like, const fs::path& path) {
  constexpr auto same_owner = static_cast<uid_t>(-1);
  // Only the old file's group may have what the old file gave to its group.
  const bool moved = target.exists && ::fchown(file, same_owner, target.group) == 0;
  if (target.exists && !moved) like.push_back(target.path);
  struct stat own {};
  if (::fstat(file, &own) != 0) fail_with_file<Error>("write", path, errno);
  const mode_t wanted = target.exists ? target.mode & ~withheld() : own.st_mode & 07777U;
  const mode_t mode = wanted & permitted(like, own.st_gid);
  if (mode == (own.st_mode & 07777U) || ::fchmod(file, mode) == 0) return;
  if (target.exists) fail_with_file("write", path, errno);  // not every file system has permissions
}

/// A crash may lose the new directory entry until the directory itself is synced; the data is safe either way, so
/// failure here is not an error.
void sync_directory(const fs::path& directory) {
  const Descriptor dir(::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (dir.get() >= 0) ::fsync(dir.get());
}

}  // namespace

void write_file_atomically(const fs::path& path, std::string_view bytes) { write_file_like(path, bytes, {}); }

void write_file_like(const fs::path& path, std::string_view bytes, const std::vector<fs::path>& like) {
  const Target target = target_of(path);
  if (target.direct) return write_directly(target, path, bytes);
  // Whoever opens a file may read what is written to it later, so it never permits more than in the end.
  const mode_t mode = target.exists ? 0600U : 0666U & permitted(like, group_of_new(target.path));
  Neighbour neighbour = open_neighbour(target.path, path, mode);
  Descriptor& out = neighbour.out;
  settle_permissions(out.get(), target, like, path);
  if (!write_all(out.get(), bytes) || ::fsync(out.get()) != 0 || !out.close())
    fail_with_file<Error>("write", path, errno);
  if (!neighbour.file.rename_to(target.path)) fail_with_file<Error>("write", path, errno);
  sync_directory(target.path.parent_path());
}

unsigned permissions_like(const fs::path& path, const std::vector<fs::path>& like) {
  struct stat status {};
  return permitted(like, ::stat(path.c_str(), &status) == 0 ? status.st_gid : group_of_new(path));
}

void withhold_from_replaced(unsigned mask) { withheld() |= mask; }

bool claim_file(const fs::path& path) {
  const Descriptor made(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (made.get() < 0 && errno != EEXIST) fail_with_file("write", path, errno);
  return made.get() >= 0;
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code unknown;
  return fs::equivalent(a, b, unknown) || place_of(a) == place_of(b);
}

void require_writable(const fs::path& path) {
  const Target target = target_of(path);
  if (!target.direct) (void)open_neighbour(target.path, path, 0600);  // removed again at the end of this statement
}

}  // namespace nomu
