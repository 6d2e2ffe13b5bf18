#pragma once
/// Finished runs of experiments: one file per cohort, written by rename, so that killing the process loses only the
/// cohort being trained. Rows are found by what determines their numbers, whichever experiment produced them.

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace nomu {

/// Everything that determines the numbers of a run. Two runs with equal keys are the same run.
struct ResultKey {
  std::string spec;  ///< digest of the method, its preset and settings
  std::string data;  ///< digest of the rows: of a file's bytes, or of the recipe if they are generated
  std::uint64_t seed = 0;
  std::string precision;             ///< of the matrix products: "fp32", "tf32"
  std::int64_t results_version = 1;  ///< increased by an experiment when its numbers change on purpose

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the comparison with 0 for a pointer
  friend auto operator<=>(const ResultKey&, const ResultKey&) = default;
};

/// One line that only this key has.
[[nodiscard]] std::string key_text(const ResultKey& key);

/// A text's digest for use in a key: 16 hexadecimal digits.
[[nodiscard]] std::string digest(std::string_view text);

/// Where the numbers came from: recorded with them, not part of the key.
struct Provenance {
  std::string revision;
  std::string engine;
  std::string provider;
  std::string isa;

  friend bool operator==(const Provenance&, const Provenance&) = default;
};

/// The outcome of a run.
enum class RunStatus {
  ok,
  diverged,   ///< in training, even after restarts
  degenerate  ///< its predictions cannot be scored: a sigma of 0, or a number that is not finite
};

/// One run of one method on one problem.
struct ResultRow {
  ResultKey key;
  std::string experiment;  ///< the experiment that ran it first
  std::string method;      ///< column of the experiment
  std::string problem;     ///< function, data set or dimension
  RunStatus status = RunStatus::ok;
  std::vector<std::pair<std::string, double>> values;  ///< (name, value); NaN if there is none
  Provenance provenance;
  double seconds = 0.0;  ///< its share of its cohort's time

  /// NaN if there is no such value.
  [[nodiscard]] double value(std::string_view name) const;
};

/// Rows as CSV text and back, in the given order. Reading throws DataError naming row and column.
[[nodiscard]] std::string format_rows(std::span<const ResultRow> rows);
[[nodiscard]] std::vector<ResultRow> parse_rows(std::string_view text, const std::string& name);

/// One file of rows, compressed if the name ends in .gz. Writing is all or nothing and gives the same bytes for the
/// same rows. Throws DataError.
void write_rows(const std::filesystem::path& path, std::span<const ResultRow> rows);
[[nodiscard]] std::vector<ResultRow> read_rows(const std::filesystem::path& path);

/// The rows in one folder and those imported from packed files. Only one process should write at a time; a second one
/// would just repeat work.
class ResultStore {
 public:
  /// Without a folder: rows are kept in memory alone.
  ResultStore() = default;
  /// Reads the folder's files; the first `add` creates the folder. Throws DataError for a file that cannot be read.
  explicit ResultStore(std::filesystem::path folder);

  /// Adds the rows of a packed file as finished; rows already in the store take precedence.
  void import(const std::filesystem::path& packed);

  /// Adds rows that are stored elsewhere as finished; rows already in the store take precedence.
  void include(std::span<const ResultRow> rows);

  /// Stores the rows of one cohort; if there is a folder, they are on disk when it returns.
  void add(std::span<const ResultRow> rows);

  /// Null if the run is not finished.
  [[nodiscard]] const ResultRow* find(const ResultKey& key) const;

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::map<ResultKey, ResultRow> rows_;
};

}  // namespace nomu
