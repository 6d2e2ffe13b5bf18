#pragma once
/// Writes files that contain data of other files, with permissions that are no wider than theirs.

#include <filesystem>
#include <string_view>
#include <vector>

namespace nomu {

/// `write_file_atomically`, except that a new file gets no permission that one of the files `like` does not give.
void write_file_like(const std::filesystem::path& path, std::string_view bytes,
                     const std::vector<std::filesystem::path>& like);

}  // namespace nomu
