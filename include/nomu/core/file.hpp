#pragma once
/// Whole files in and out. Writing is all or nothing: a reader sees the old file or the new one, never a part of it.

#include <filesystem>
#include <string>
#include <string_view>

namespace nomu {

/// The bytes of a file. Throws DataError naming the path and the system's reason when it cannot be read (a directory,
/// for example, cannot).
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

/// The same for a file that should begin with `begin`. Any other is not read to its end, for it may have none.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::string_view begin);

/// Replaces the file by `bytes`: writes a temporary file next to it, syncs that to disk and renames it. On failure the
/// temporary file is removed, the old file is untouched and the error names the path and the system's reason: DataError
/// for a path that cannot be written to, Error if writing began and failed (a full disk). Symbolic links are followed,
/// permissions of an existing file are kept; a device, a pipe and what /dev/stdout and /dev/fd stand for are written to
/// directly, as they are open.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Creates an empty file and returns true; returns false if the file exists. If several processes try, one succeeds.
/// Throws DataError if the file cannot be created.
[[nodiscard]] bool claim_file(const std::filesystem::path& path);

/// Throws the DataError that `write_file_atomically` would throw, so that hours of work are not lost to a bad path.
/// Leaves nothing behind.
void require_writable(const std::filesystem::path& path);

}  // namespace nomu
