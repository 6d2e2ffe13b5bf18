#pragma once
// The data sets of the paper's experiments, read from a folder that the user names. None of them is part of the
// project, so a file that is not there is answered with where it belongs and where it comes from.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "nomu/data/dataset.hpp"
#include "nomu/data/split.hpp"

namespace nomu {

/// Numbers separated by blanks or tabs, equally many in every line.
struct NumberTable {
  std::vector<double> values;  ///< [rows][cols]
  std::size_t cols = 0;

  [[nodiscard]] std::size_t rows() const { return cols == 0 ? 0 : values.size() / cols; }
};

/// Throws DataError naming file and line, or for a missing file where to get it. `skip` lines are no numbers.
[[nodiscard]] NumberTable read_numbers(const std::filesystem::path& file, std::size_t skip = 0);

/// Row numbers, one a line, all below `rows`.
[[nodiscard]] std::vector<std::size_t> read_indices(const std::filesystem::path& file, std::size_t rows);

/// The file `data/part`. Throws ConfigError where no folder was named, DataError where there is no such file; both say
/// where to get it.
[[nodiscard]] std::filesystem::path data_file(const std::filesystem::path& data, const std::string& part);

/// Inputs and target of a UCI set as its index files say.
[[nodiscard]] DataSet read_uci(const std::filesystem::path& data, const std::string& set);

/// The same as the paper's authors read it: three sets have rows in another order, and more digits.
[[nodiscard]] DataSet read_uci_authors(const std::filesystem::path& data, const std::string& set);

/// Split number `split` of the folder "uci" (canonical) or "uci_gap" (the middle third along one input is the test
/// part) for a set of so many rows.
[[nodiscard]] Split read_uci_split(const std::filesystem::path& data, const std::string& folder, const std::string& set,
                                   std::size_t split, std::size_t rows);

/// Yearly solar irradiance, 1610 to 2000: year and reconstructed total.
[[nodiscard]] DataSet read_solar(const std::filesystem::path& data);

}  // namespace nomu
