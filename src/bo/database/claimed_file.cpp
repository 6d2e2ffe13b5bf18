#include "bo/database/claimed_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"

namespace nomu {
namespace {

/// Whether the open file still has this name; a process that failed may have removed it meanwhile.
bool has_name(int file, const std::filesystem::path& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

}  // namespace

ClaimedFile::ClaimedFile(const std::filesystem::path& path) : created_(claim_file(path)) {
  file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file_ < 0) {
    throw DataError("bo/study",
                    fmt::format("cannot write '{}': {}", path.string(), std::generic_category().message(errno)));
  }
  const bool taken = ::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  locked_ = !taken && has_name(file_, path);
}

ClaimedFile::~ClaimedFile() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace nomu
