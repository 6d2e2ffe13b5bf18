#pragma once
/// Writes files that contain data of other files, with permissions that are no wider than theirs.

#include <filesystem>
#include <string_view>
#include <vector>

namespace nomu {

/// `write_file_atomically`, except that the file gets no permission that one of the files `like` does not give, not
/// even if it replaces one that has it. To a group that is not that of such a file, only what the file gives to its
/// group and to all others is given.
void write_file_like(const std::filesystem::path& path, std::string_view bytes,
                     const std::vector<std::filesystem::path>& like);

/// What a file at `path` may permit if it is made from the files `like`: bits as of chmod.
[[nodiscard]] unsigned permissions_like(const std::filesystem::path& path,
                                        const std::vector<std::filesystem::path>& like);

/// Files that this process replaces from now on lose these permissions, as umask takes them from those that it creates.
void withhold_from_replaced(unsigned mask);

}  // namespace nomu
