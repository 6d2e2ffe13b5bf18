#pragma once
// File systems that several machines share. SQLite's log lives in memory that processes of one machine share, and locks
// of such file systems often promise more than they hold, so a study there can be damaged.

#include <cstdint>
#include <filesystem>
#include <string>

namespace nomu {

/// What a file system with this magic number (statfs) is called if machines share it; empty if they do not. `type` is
/// what the table of mounts calls it, which tells the kinds of FUSE apart.
[[nodiscard]] std::string shared_file_system(std::uint32_t magic, const std::string& type);

/// Throws DataError, with the ways out, if the file or the folder it would be in is on such a file system.
void refuse_shared_file_system(const std::filesystem::path& file);

/// The message of the refusal.
[[nodiscard]] std::string shared_file_system_message(const std::string& file, const std::string& system);

}  // namespace nomu
