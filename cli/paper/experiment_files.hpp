#pragma once
// Where the experiments of the paper lie: installed beside the tool, or in the tree it was built in.

#include <filesystem>
#include <string>

namespace nomu::cli {

/// share/nomu/paper beside the folder of the tool, or experiments/paper in a folder above it. Throws DataError naming
/// where it looked.
[[nodiscard]] std::filesystem::path experiment_folder();

/// The file of an experiment by name, or the name itself where it ends in .toml. Throws ConfigError naming the nearest.
[[nodiscard]] std::filesystem::path experiment_file(const std::filesystem::path& folder, const std::string& name);

}  // namespace nomu::cli
