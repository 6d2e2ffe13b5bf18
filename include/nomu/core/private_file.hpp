#pragma once
/// Files that hold what another file holds, and must not be open to more people than that one.

#include <filesystem>
#include <string_view>

namespace nomu {

/// `write_file_atomically`, except that a new file gets no wider permissions than `like`, if that is a file.
void write_file_like(const std::filesystem::path& path, std::string_view bytes, const std::filesystem::path& like);

}  // namespace nomu
