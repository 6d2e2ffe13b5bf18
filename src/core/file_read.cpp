// Reading: a file may claim any size, and what is not a file may have no end.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <new>
#include <optional>
#include <string>

#include "core/descriptor.hpp"
#include "nomu/core/file.hpp"

namespace nomu {
namespace {

namespace fs = std::filesystem;
using Read = std::function<std::size_t(std::span<char>)>;

[[noreturn]] void refuse(const fs::path& path, std::string_view what) {
  throw DataError("core/file", fmt::format("cannot read '{}': {}", path.string(), what));
}

/// That there is more to read than there may be.
[[noreturn]] void refuse_rest(const fs::path& path, const ExpectedFile& expected, bool pipe) {
  if (expected.most <= most_of_pipe || !pipe)
    refuse(path, fmt::format("it has more than {} bytes, as many as a file of this kind may have", expected.most));
  refuse(path, fmt::format("it goes on after {} bytes, all that is read of a pipe or a device; save it as a file first",
                           most_of_pipe));
}

/// A file with holes has more bytes than the disk, and reading it would end in a kill, not in an exception.
void reserve(const fs::path& path, std::string& bytes, std::uint64_t size) {
  const auto memory =
      static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  try {
    if (size > memory) throw std::bad_alloc();
    bytes.reserve(std::max<std::uint64_t>(size, bytes.size()));
  } catch (const std::exception&) {
    refuse(path, fmt::format("it has {} bytes, more than there is memory", size));
  }
}

/// `size`: of a file; of a pipe it is not known.
std::string read_as(const fs::path& path, const ExpectedFile& expected, std::optional<std::uint64_t> size,
                    const Read& read) {
  constexpr std::size_t chunk = std::size_t{1} << 16U;
  const std::uint64_t most = size ? expected.most : std::min(expected.most, most_of_pipe);
  std::string bytes;
  std::string buffer(chunk, '\0');
  for (;;) {
    const std::string_view got(buffer.data(), read(buffer));
    if (got.empty()) return bytes;
    if (got.size() > most - bytes.size()) refuse_rest(path, expected, !size);
    const bool first = bytes.empty();
    bytes += got;
    if (bytes.size() >= expected.begin.size() && !bytes.starts_with(expected.begin)) return bytes;
    if (expected.text && got.find('\0') != std::string_view::npos) return bytes;
    // Not before: the first bytes show whether there is anything to be read at all.
    if (first && size) reserve(path, bytes, *size);
  }
}

}  // namespace

std::string read_file(const fs::path& path, const ExpectedFile& expected) {
  const Descriptor in(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (in.get() < 0) fail_with_file("read", path, errno);
  const auto read = [&](std::span<char> into) {
    for (;;) {
      const ssize_t got = ::read(in.get(), into.data(), into.size());
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) fail_with_file("read", path, errno);
    }
  };
  struct stat status {};
  if (::fstat(in.get(), &status) != 0 || !S_ISREG(status.st_mode)) return read_pipe(path, expected, read);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > expected.most) refuse_rest(path, expected, false);
  return read_as(path, expected, size, read);
}

std::string read_file(const fs::path& path, std::string_view begin) {
  return read_file(path, ExpectedFile{.begin = begin});
}

std::string read_pipe(const fs::path& path, const ExpectedFile& expected, const Read& read) {
  return read_as(path, expected, {}, read);
}

}  // namespace nomu
