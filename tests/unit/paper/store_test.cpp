#include "paper/results/store.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "message_of.hpp"
#include "nomu/core/error.hpp"
#include "unit/paper/experiment_folder.hpp"

namespace nomu {
namespace {

ResultRow row_of(std::uint64_t seed, double value = 0.1) {
  return {.key = {.spec = digest("spec"), .data = digest("data"), .seed = seed, .precision = "fp32"},
          .experiment = "toy-1d",
          .method = "nomu",
          .problem = "levy",
          .status = RunStatus::ok,
          .values = {{"auc", value}, {"min_nll", -1.0 / 3.0}},
          .provenance = {.revision = "abc", .engine = "cpu", .provider = "onednn", .isa = "avx512"},
          .seconds = 1.5};
}

void expect_same(const ResultRow& a, const ResultRow& b) {
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.method, b.method);
  EXPECT_EQ(a.problem, b.problem);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.values, b.values);
  EXPECT_EQ(a.provenance, b.provenance);
}

TEST(ResultRows, ComeBackAsTheyWere) {
  const ExperimentFolder folder;
  for (const char* name : {"rows.csv", "rows.csv.gz"}) {
    const std::vector<ResultRow> rows{row_of(501), row_of(502, 1e-300)};
    write_rows(folder.path() / name, rows);
    const std::vector<ResultRow> back = read_rows(folder.path() / name);
    ASSERT_EQ(back.size(), 2U);
    expect_same(rows[0], back[0]);
    expect_same(rows[1], back[1]);
  }
}

TEST(ResultRows, KeepWhatCouldNotBeMeasured) {
  ResultRow row = row_of(501, std::numeric_limits<double>::quiet_NaN());
  row.status = RunStatus::degenerate;
  const std::vector<ResultRow> back = parse_rows(format_rows({&row, 1}), "rows");
  EXPECT_TRUE(std::isnan(back[0].value("auc")));
  EXPECT_TRUE(std::isnan(back[0].value("no such value")));
  EXPECT_EQ(back[0].status, RunStatus::degenerate);
}

TEST(ResultRows, DamagedFilesAreRefused) {
  const ExperimentFolder folder;
  const std::vector<ResultRow> rows{row_of(501)};
  write_rows(folder.path() / "rows.csv.gz", rows);
  const std::string bytes = read_file(folder.path() / "rows.csv.gz");
  const auto cut = folder.write("cut.csv.gz", bytes.substr(0, bytes.size() / 2));
  EXPECT_NE(message_of<DataError>([&] { (void)read_rows(cut); }).find("damaged or cut off"), std::string::npos);
  std::string text = format_rows(rows);
  text.replace(text.find("ok"), 2, "so");
  EXPECT_NE(message_of<DataError>([&] { (void)parse_rows(text, "x"); }).find("'so' is not one of ok"),
            std::string::npos);
  EXPECT_NE(message_of<DataError>([&] { (void)parse_rows("study,method\na,b\n", "x"); }).find("problem"),
            std::string::npos);
}

TEST(ResultStore, FindsWhatAnotherProcessLeft) {
  const ExperimentFolder folder;
  ResultStore first(folder.path() / "rows");
  first.add(std::vector<ResultRow>{row_of(501), row_of(502)});
  first.add(std::vector<ResultRow>{row_of(503)});
  (void)folder.write("rows/.nomu-1-0.tmp", "half a file");
  const ResultStore second(folder.path() / "rows");
  EXPECT_EQ(second.size(), 3U);
  ASSERT_NE(second.find(row_of(503).key), nullptr);
  expect_same(*second.find(row_of(503).key), row_of(503));
  ResultKey other = row_of(503).key;
  other.precision = "tf32";
  EXPECT_EQ(second.find(other), nullptr);
}

TEST(ResultStore, ACohortWrittenTwiceIsOneFile) {
  const ExperimentFolder folder;
  for (int i = 0; i < 2; ++i) {
    ResultStore store(folder.path());
    store.add(std::vector<ResultRow>{row_of(501), row_of(502)});
  }
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) files += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(files, 1U);
  EXPECT_EQ(ResultStore(folder.path()).size(), 2U);
}

TEST(ResultStore, ImportedRowsAreFinishedAndYieldToItsOwn) {
  const ExperimentFolder folder;
  write_rows(folder.path() / "packed.csv.gz", std::vector<ResultRow>{row_of(501, 9.0), row_of(502, 9.0)});
  ResultStore store(folder.path() / "rows");
  store.add(std::vector<ResultRow>{row_of(501, 1.0)});
  store.import(folder.path() / "packed.csv.gz");
  EXPECT_EQ(store.size(), 2U);
  EXPECT_EQ(store.find(row_of(501).key)->value("auc"), 1.0);
  EXPECT_EQ(store.find(row_of(502).key)->value("auc"), 9.0);
  EXPECT_EQ(ResultStore(folder.path() / "rows").size(), 1U);
}

}  // namespace
}  // namespace nomu
