#pragma once
/// Whole files in and out. Writing is all or nothing: a reader sees the old file or the new one, never a part of it.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace nomu {

/// What a file should be. One that is something else is not read to its end, for it may have none.
struct ExpectedFile {
  std::string_view begin = {};  ///< of one that begins otherwise the first bytes are read, for the caller to refuse
  bool text = false;            ///< the same for one with a zero byte, up to there
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();  ///< bytes; a larger one is refused
};

/// What is not a file (a pipe, a device) does not tell how long it is. This is as much as is read of it: 1 GiB.
constexpr std::uint64_t most_of_pipe = std::uint64_t{1} << 30U;

/// The bytes of a file. Throws DataError naming the path and the system's reason when it cannot be read (a directory,
/// for example, cannot), and when it has more bytes than expected or than there is memory.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, const ExpectedFile& expected = {});

/// The same for a file that should begin with `begin`.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::string_view begin);

/// The same for what is not a file: `read` waits for bytes, fills in as many as there are and says how many, or 0 at
/// the end.
[[nodiscard]] std::string read_pipe(const std::filesystem::path& path, const ExpectedFile& expected,
                                    const std::function<std::size_t(std::span<char>)>& read);

/// Replaces the file by `bytes`: writes a temporary file next to it, syncs that to disk and renames it. On failure the
/// temporary file is removed, the old file is untouched and the error names the path and the system's reason: DataError
/// for a path that cannot be written to, Error if writing began and failed (a full disk). Symbolic links are followed,
/// permissions of an existing file are kept; a device, a pipe and what /dev/stdout and /dev/fd stand for are written to
/// directly, as they are open.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Creates an empty file and returns true; returns false if the file exists. If several processes try, one succeeds.
/// Throws DataError if the file cannot be created.
[[nodiscard]] bool claim_file(const std::filesystem::path& path);

/// Whether two paths are the same file, or would be if they were written, links followed.
[[nodiscard]] bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Throws the DataError that `write_file_atomically` would throw, so that hours of work are not lost to a bad path.
/// Leaves nothing behind.
void require_writable(const std::filesystem::path& path);

}  // namespace nomu
