#pragma once
// An open file, and what is said when the system refuses to read or write one.

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "nomu/core/error.hpp"

namespace nomu {

/// DataError if the path is to blame, Error if the system failed while writing.
template <class ErrorType = DataError>
[[noreturn]] void fail_with_file(std::string_view action, const std::filesystem::path& path, int code) {
  // generic_category().message instead of strerror, which may share a buffer between threads.
  throw ErrorType("core/file",
                  fmt::format("cannot {} '{}': {}", action, path.string(), std::generic_category().message(code)));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }

  /// Closing may report a delayed write error (network file systems), so it is a separate step.
  [[nodiscard]] bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

}  // namespace nomu
