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
  for (const ResultRow& row : rows) keys += key_text(row.key);
  return digest(keys) + ".csv";
}

}  // namespace

std::string key_text(const ResultKey& key) {
  return fmt::format("{} {} {} {} {}\n", key.spec, key.data, key.seed, key.precision, key.results_version);
}

ResultStore::ResultStore(fs::path folder) : folder_(std::move(folder)) {
  for (const fs::path& file : files_of(folder_)) import(file);
}

void ResultStore::import(const fs::path& packed) { include(read_rows(packed)); }

void ResultStore::include(std::span<const ResultRow> rows) {
  for (const ResultRow& row : rows) rows_.try_emplace(row.key, row);
}

void ResultStore::add(std::span<const ResultRow> rows) {
  if (rows.empty()) return;
  include(rows);
  if (folder_.empty()) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) {
    throw DataError("paper/store", fmt::format("cannot create the folder '{}': {}", folder_.string(), error.message()));
  }
  write_file_atomically(folder_ / file_name(rows), format_rows(rows));
}

const ResultRow* ResultStore::find(const ResultKey& key) const {
  const auto found = rows_.find(key);
  return found == rows_.end() ? nullptr : &found->second;
}

}  // namespace nomu
