#pragma once
// The data sets of the paper's experiments, read from a folder given by the user. None of them is part of the project,
// so the error for a missing file says where it belongs and where to get it.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "nomu/data/dataset.hpp"
#include "nomu/data/split.hpp"

namespace nomu {

/// Numbers separated by blanks or tabs, the same count in every line.
struct NumberTable {
  std::vector<double> values;  ///< [rows][cols]
  std::size_t cols = 0;

  [[nodiscard]] std::size_t rows() const { return cols == 0 ? 0 : values.size() / cols; }
};

/// Reads a table, ignoring the first `skip` lines. Throws DataError naming file and line.
[[nodiscard]] NumberTable read_numbers(const std::filesystem::path& file, std::size_t skip = 0);

/// Row indices, all below `rows`.
[[nodiscard]] std::vector<std::size_t> read_indices(const std::filesystem::path& file, std::size_t rows);

/// The file `data/part`. Throws ConfigError when no folder was given, DataError when there is no such file; both say
/// where to get it.
[[nodiscard]] std::filesystem::path data_file(const std::filesystem::path& data, const std::string& part);

/// Inputs and target of a UCI set, chosen by its index files.
[[nodiscard]] DataSet read_uci(const std::filesystem::path& data, const std::string& set);

/// The same as read by the paper's authors: three sets have their rows in another order, and more digits.
[[nodiscard]] DataSet read_uci_authors(const std::filesystem::path& data, const std::string& set);

/// Split number `split` of a set with this many rows, from the folder "uci" (canonical) or "uci_gap" (the middle third
/// along one input is the test part).
[[nodiscard]] Split read_uci_split(const std::filesystem::path& data, const std::string& folder, const std::string& set,
                                   std::size_t split, std::size_t rows);

/// The initial points of the authors' optimisation runs, [count][dimension] in [-1,1]^d; "levy_published" and "levy"
/// have the same. Throws DataError for a function, a seed or a number of points that they do not have.
[[nodiscard]] std::vector<double> read_initial_points(const std::filesystem::path& data, const std::string& function,
                                                      std::size_t dimension, std::uint64_t seed, std::size_t count);

/// Yearly solar irradiance, 1610 to 2000: year and reconstructed total.
[[nodiscard]] DataSet read_solar(const std::filesystem::path& data);

}  // namespace nomu
