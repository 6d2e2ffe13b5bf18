#pragma once
/// Whole files in and out. Writing is all or nothing: a reader sees the old file or the new one, never a part of it.

#include <filesystem>
#include <string>
#include <string_view>

namespace nomu {

/// The bytes of a file. Throws DataError naming the path and the system's reason when it cannot be read (a directory,
/// for example, cannot).
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

/// Replaces the file by `bytes`: writes a neighbour, syncs it to disk and renames it. On failure the neighbour is
/// removed, the old file is untouched and the error names the path and the system's reason: DataError for a path that
/// cannot be written to, Error where writing began and failed (a full disk). Symbolic links are followed, permissions
/// of an existing file are kept; a device or pipe is written to directly.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Makes an empty file and returns true; false where there is one already. Of several processes that try, one succeeds.
/// Throws DataError where it cannot be made.
[[nodiscard]] bool claim_file(const std::filesystem::path& path);

/// Throws the DataError that `write_file_atomically` would, before hours of work instead of after them. Leaves no
/// trace.
void require_writable(const std::filesystem::path& path);

}  // namespace nomu
