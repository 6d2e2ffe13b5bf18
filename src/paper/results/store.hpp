#pragma once
/// Finished runs of experiments: one file per cohort, written by rename, so that a kill at any moment loses the cohort
/// in work and nothing else. Rows are found by what determines their numbers, whichever experiment asked for them.

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace nomu {

/// All that determines the numbers of a run. Two runs with equal keys are the same run.
struct ResultKey {
  std::string spec;  ///< digest of the method, its preset and settings
  std::string data;  ///< digest of the rows: of a file's bytes, or of the recipe where they are generated
  std::uint64_t seed = 0;
  std::string precision;             ///< of the matrix products: "fp32", "tf32"
  std::int64_t results_version = 1;  ///< raised by an experiment when its numbers change on purpose

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the comparison with 0 for a pointer
  friend auto operator<=>(const ResultKey&, const ResultKey&) = default;
};

/// 16 hexadecimal digits that stand for a text in a key.
[[nodiscard]] std::string digest(std::string_view text);

/// Where the numbers came from: recorded with them, no part of the key.
struct Provenance {
  std::string revision;
  std::string engine;
  std::string provider;
  std::string isa;

  friend bool operator==(const Provenance&, const Provenance&) = default;
};

/// What became of a run.
enum class RunStatus {
  ok,
  diverged,   ///< in training, after its restarts too
  degenerate  ///< its predictions cannot be scored: a sigma of 0, or a number that is not finite
};

/// One run of one method on one problem.
struct ResultRow {
  ResultKey key;
  std::string experiment;  ///< that asked for it first
  std::string method;      ///< column of the experiment
  std::string problem;     ///< function, data set or dimension
  RunStatus status = RunStatus::ok;
  std::vector<std::pair<std::string, double>> values;  ///< by name; NaN where there is none
  Provenance provenance;
  double seconds = 0.0;  ///< its share of the time its cohort took

  /// NaN where there is no such value.
  [[nodiscard]] double value(std::string_view name) const;
};

/// Rows as CSV text and back, in the given order. Reading throws DataError naming row and column.
[[nodiscard]] std::string format_rows(std::span<const ResultRow> rows);
[[nodiscard]] std::vector<ResultRow> parse_rows(std::string_view text, const std::string& name);

/// One file of rows, compressed where the name ends in .gz. Writing is all or nothing and gives the same bytes for the
/// same rows. Throws DataError.
void write_rows(const std::filesystem::path& path, std::span<const ResultRow> rows);
[[nodiscard]] std::vector<ResultRow> read_rows(const std::filesystem::path& path);

/// The rows under one folder and those imported from packed files. One process writes at a time; a second one would
/// only repeat work.
class ResultStore {
 public:
  /// Reads what is there; the folder is made by the first `add`. Throws DataError for a file that cannot be read.
  explicit ResultStore(std::filesystem::path folder);

  /// Counts the rows of a packed file as finished; rows of the folder win.
  void import(const std::filesystem::path& packed);

  /// Keeps the rows of one cohort: on disk before it returns.
  void add(std::span<const ResultRow> rows);

  /// Null where the run is not finished.
  [[nodiscard]] const ResultRow* find(const ResultKey& key) const;

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::map<ResultKey, ResultRow> rows_;
};

}  // namespace nomu
