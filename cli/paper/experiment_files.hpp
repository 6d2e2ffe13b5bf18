#pragma once
// Finds the experiments of the paper: installed with the tool, or in the tree it was built in.

#include <filesystem>
#include <string>

namespace nomu::cli {

/// share/nomu/paper next to the tool's folder, or experiments/paper in a folder above it. Throws DataError naming where
/// it looked.
[[nodiscard]] std::filesystem::path experiment_folder();

/// The file of an experiment by name, or the name itself if it ends in .toml. Throws ConfigError with the nearest name.
[[nodiscard]] std::filesystem::path experiment_file(const std::filesystem::path& folder, const std::string& name);

}  // namespace nomu::cli
