#include "paper/results/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"

namespace nomu {
namespace {

namespace fs = std::filesystem;

/// Files of finished cohorts, sorted. Half-written files of a killed process have another extension and are ignored.
std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, missing)) {
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

/// The same cohort always gets the same file name, so that writing it twice leaves one file.
std::string file_name(std::span<const ResultRow> rows) {
  std::string keys;
  for (const ResultRow& row : rows) {
    keys += fmt::format("{} {} {} {} {}\n", row.key.spec, row.key.data, row.key.seed, row.key.precision,
                        row.key.results_version);
  }
  return digest(keys) + ".csv";
}

}  // namespace

ResultStore::ResultStore(fs::path folder) : folder_(std::move(folder)) {
  for (const fs::path& file : files_of(folder_)) {
    for (ResultRow& row : read_rows(file)) rows_.try_emplace(row.key, std::move(row));
  }
}

void ResultStore::import(const fs::path& packed) {
  for (ResultRow& row : read_rows(packed)) rows_.try_emplace(row.key, std::move(row));
}

void ResultStore::add(std::span<const ResultRow> rows) {
  if (rows.empty()) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) {
    throw DataError("paper/store", fmt::format("cannot create the folder '{}': {}", folder_.string(), error.message()));
  }
  write_file_atomically(folder_ / file_name(rows), format_rows(rows));
  for (const ResultRow& row : rows) rows_.try_emplace(row.key, row);
}

const ResultRow* ResultStore::find(const ResultKey& key) const {
  const auto found = rows_.find(key);
  return found == rows_.end() ? nullptr : &found->second;
}

}  // namespace nomu
