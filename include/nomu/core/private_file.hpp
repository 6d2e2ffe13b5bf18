#pragma once
/// Files that hold what other files hold, and must not be open to more people than those.

#include <filesystem>
#include <string_view>
#include <vector>

namespace nomu {

/// `write_file_atomically`, except that a new file gets no wider permissions than each of `like` that is a file.
void write_file_like(const std::filesystem::path& path, std::string_view bytes,
                     const std::vector<std::filesystem::path>& like);

}  // namespace nomu
