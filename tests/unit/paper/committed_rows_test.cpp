// Every committed row of experiments/results is found by the key that today's experiments give it. Data sets are read
// from the folder NOMU_DATA or from ../shared/data; without them the experiments on data are skipped.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "nomu/core/file.hpp"
#include "paper/experiment/experiment.hpp"
#include "paper/results/store.hpp"
#include "paper/run/runner.hpp"

namespace nomu {
namespace {

namespace fs = std::filesystem;

fs::path project() { return fs::path(NOMU_GOLDEN_DIR).parent_path().parent_path(); }

/// Empty where the data are not at hand.
fs::path data_folder() {
  if (const char* named = std::getenv("NOMU_DATA"); named != nullptr) return named;
  fs::path shared = project().parent_path() / "shared" / "data";
  return fs::is_directory(shared) ? shared : fs::path();
}

/// The experiment whose rows a file holds, by the file's name; empty: a file of another format, without keys.
std::string experiment_of(const std::string& file) {
  static const std::map<std::string, std::string> others{
      {"testbed-uniform-fp32.csv.gz", "testbed-uniform"},  // the same experiment in another precision
      {"toy_1d_nomu_published.csv.gz", ""},                // made by `nomu demo`, see experiments/results/README.md
      {"uci_auto.csv", ""},                                // made by benchmarks/uci
  };
  const auto other = others.find(file);
  return other != others.end() ? other->second : file.substr(0, file.find('.'));
}

std::set<ResultKey> keys_of(const ExperimentSpec& spec, const std::set<std::string>& precisions) {
  std::set<ResultKey> keys;
  for (const std::string& precision : precisions) {
    for (const Piece& piece : expand_experiment(spec, precision, true)) {
      for (const ExperimentRun& run : piece.runs) keys.insert(run.key);
    }
  }
  return keys;
}

class CommittedRows : public testing::TestWithParam<std::string> {};

TEST_P(CommittedRows, AreFoundByTheirKeys) {
  const std::string name = experiment_of(GetParam());
  ExperimentSpec spec =
      read_experiment(project() / "experiments" / "paper" / (name + ".toml"), ExperimentProfile::full);
  spec.data = data_folder();
  if ((spec.kind == "uci" || spec.kind == "solar") && spec.data.empty()) {
    GTEST_SKIP() << "NOT RUN: needs the UCI and solar data; name their folder by the environment variable NOMU_DATA";
  }
  const std::vector<ResultRow> rows = read_rows(project() / "experiments" / "results" / GetParam());
  std::set<std::string> precisions;
  for (const ResultRow& row : rows) precisions.insert(row.key.precision);
  const std::set<ResultKey> keys = keys_of(spec, precisions);
  std::map<std::string, std::size_t> lost;
  for (const ResultRow& row : rows) {
    if (!keys.contains(row.key)) ++lost[row.method + " on " + row.problem];
  }
  EXPECT_FALSE(rows.empty());
  for (const auto& [what, count] : lost) {
    ADD_FAILURE() << count << " rows of " << what << " are not found by today's keys: a change moved them";
  }
}

/// Rows that still wait to be run again from a committed revision: lines of file, method and revision.
std::set<std::string> rows_to_repeat() {
  std::set<std::string> rows;
  std::istringstream lines(read_file(project() / "tests" / "unit" / "paper" / "rows_to_repeat.txt"));
  for (std::string line; std::getline(lines, line);) rows.insert(line);
  return rows;
}

bool in_repository(const std::string& revision) {
  const std::string command = "git -C '" + project().string() + "' cat-file -e '" + revision + "^{commit}' 2>/dev/null";
  return std::system(command.c_str()) == 0;  // NOLINT(cert-env33-c,concurrency-mt-unsafe): in a test, on own text
}

TEST_P(CommittedRows, ComeFromCommittedRevisions) {
  if (!in_repository("HEAD")) GTEST_SKIP() << "NOT RUN: this is no checkout of the repository";
  std::map<std::string, bool> known;
  std::set<std::string> wrong;
  for (const ResultRow& row : read_rows(project() / "experiments" / "results" / GetParam())) {
    const std::string& revision = row.provenance.revision;
    const auto [place, added] = known.try_emplace(revision, false);
    if (added) place->second = revision.find("-dirty") == std::string::npos && in_repository(revision);
    if (!place->second) wrong.insert(GetParam() + " " + row.method + " " + revision);
  }
  const std::set<std::string> waiting = rows_to_repeat();
  for (const std::string& row : wrong) {
    EXPECT_TRUE(waiting.contains(row)) << row << ": run it again from a committed revision";
  }
  for (const std::string& row : waiting) {
    if (row.starts_with(GetParam() + " ")) {
      EXPECT_TRUE(wrong.contains(row)) << row << ": done, so strike it off rows_to_repeat.txt";
    }
  }
}

TEST_P(CommittedRows, NameTheEngineThatComputedThem) {
  for (const ResultRow& row : read_rows(project() / "experiments" / "results" / GetParam())) {
    const std::string what = row.method + " on " + row.problem + ", seed " + std::to_string(row.key.seed);
    if (row.key.precision == "fp64") {
      EXPECT_EQ(row.provenance.engine, "cpu") << what << ": double precision is the host's";
    } else if (row.key.precision == "tf32") {
      EXPECT_EQ(row.provenance.engine, "cuda") << what << ": tf32 is the GPU's";
    } else {
      EXPECT_EQ(row.key.precision, "fp32") << what;
    }
  }
}

std::vector<std::string> committed_files() {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(project() / "experiments" / "results")) {
    const std::string file = entry.path().filename().string();
    if (file.find(".csv") != std::string::npos && !experiment_of(file).empty()) files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  return files;
}

INSTANTIATE_TEST_SUITE_P(Results, CommittedRows, testing::ValuesIn(committed_files()), [](const auto& tested) {
  std::string name = tested.param.substr(0, tested.param.find('.'));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace nomu
