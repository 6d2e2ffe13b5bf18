#pragma once
// Networks whose numbers are in a second file in the same folder, as PyTorch writes them.

#include <filesystem>
#include <string>
#include <vector>

namespace nomu {

/// A network as one file, and the other files that its numbers were read from.
struct WholeNetwork {
  std::string bytes;
  std::vector<std::filesystem::path> weights = {};
};

/// The file with all its numbers inside; a file that needs no other comes back as it is. Numbers are read from plain
/// files in `folder` and from nowhere else. Throws DataError for a path with folders, a link, anything that is not a
/// file, and for numbers that are not where the network says.
[[nodiscard]] WholeNetwork with_external_data(std::string bytes, const std::filesystem::path& folder);

}  // namespace nomu
