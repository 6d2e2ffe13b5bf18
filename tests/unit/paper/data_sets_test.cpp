// The data sets of the paper's experiments: splits, readers, protocols. What needs the data themselves reads them from
// the folder named by NOMU_DATA and is skipped without it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "message_of.hpp"
#include "nomu/core/error.hpp"
#include "paper/kinds/calibrated_fit.hpp"
#include "paper/kinds/solar.hpp"
#include "paper/problems/data_files.hpp"
#include "paper/problems/paper_split.hpp"
#include "paper/run/runner.hpp"
#include "unit/paper/experiment_folder.hpp"

namespace nomu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Empty where the data are not at hand.
std::filesystem::path data_folder() {
  const char* folder = std::getenv("NOMU_DATA");
  return folder == nullptr ? "" : folder;
}

/// Tests on the data sets themselves.
class RealData : public testing::Test {
 protected:
  void SetUp() override {
    if (data_folder().empty()) {
      GTEST_SKIP() << "NOT RUN: needs the UCI and solar data; name their folder by the environment variable NOMU_DATA";
    }
  }
};

// NumPy 1.19: RandomState(0).permutation(10) is 2 8 4 9 1 6 7 3 0 5.
TEST(PaperSplit, ShufflesAsTheAuthorsDid) {
  const Split split = paper_split(10, 3, 0);
  EXPECT_THAT(split.test, ElementsAre(2, 8, 4));
  EXPECT_THAT(split.train, ElementsAre(9, 1, 6, 7, 3, 0, 5));
  EXPECT_EQ(message_of<ConfigError>([] { return paper_split(5, 5, 1); }),
            "[paper/split] 5 test rows cannot be taken from 5 rows");
}

/// Years of the solar series as they really are; the values play no part.
DataSet years() {
  std::vector<double> x;
  std::vector<double> y;
  for (int year = 1610; year <= 2000; ++year) {
    x.push_back(year);
    y.push_back(std::sin(year));
  }
  return make_dataset(x, 1, y);
}

TEST(Solar, TheRowsAreThoseOfThePublishedSplit) {
  const RunData data = solar_rows(years(), 655);
  EXPECT_EQ(data.train.rows(), 194U);
  EXPECT_EQ(data.test.rows(), 197U);
  std::set<int> test;
  for (const double x : data.test.inputs) test.insert(static_cast<int>(std::lround(1805.0 + 195.0 * x)));
  for (const int year : {1630, 1649, 1712, 1895, 1977, 1616, 1625, 1670, 1793, 1899, 1957, 2000}) {
    EXPECT_TRUE(test.contains(year)) << year;
  }
  for (const int year : {1610, 1629, 1650, 1711, 1978, 1999}) EXPECT_FALSE(test.contains(year)) << year;
}

TEST(DataFiles, NumbersAreReadAndWrongOnesNamed) {
  const ExperimentFolder folder;
  const NumberTable table = read_numbers(folder.write("a.txt", "year x\n 1 -2.5e1\t+3\n\n4 5 6\r\n"), 1);
  EXPECT_EQ(table.cols, 3U);
  EXPECT_THAT(table.values, ElementsAre(1.0, -25.0, 3.0, 4.0, 5.0, 6.0));
  const auto refusal = [&](const char* text) {
    const auto file = folder.write("b.txt", text);
    return message_of<DataError>([&] { return read_numbers(file); });
  };
  EXPECT_THAT(refusal("1 2\n3 x\n"), HasSubstr("b.txt, line 2: column 2 is not a number"));
  EXPECT_THAT(refusal("1 2\n3\n"), HasSubstr("b.txt, line 2: 1 numbers, but the lines before it have 2"));
  EXPECT_THAT(refusal("\n"), HasSubstr("b.txt contains no numbers"));
  const auto indices = folder.write("i.txt", "0\n3\n");
  EXPECT_THAT(read_indices(indices, 4), ElementsAre(0, 3));
  EXPECT_THAT(message_of<DataError>([&] { return read_indices(indices, 3); }),
              HasSubstr("3 is not the index of one of 3"));
}

TEST(DataFiles, MissingOnesSayWhereTheyComeFrom) {
  const ExperimentFolder folder;
  EXPECT_THAT(message_of<ConfigError>([] { return read_uci("", "boston"); }),
              testing::AllOf(HasSubstr("'uci/boston/data.txt'"), HasSubstr("--data"), HasSubstr("cambridge-mlg/DUN")));
  EXPECT_THAT(message_of<DataError>([&] { return read_solar(folder.path()); }),
              testing::AllOf(HasSubstr("solar/irradiance_data.txt'"), HasSubstr("marketdesignresearch/NOMU")));
}

ExperimentSpec small_experiment(const ExperimentFolder& folder, const std::string& protocol,
                                const std::string& method) {
  const auto file = folder.write("small.toml",
                                 "kind = \"uci\"\nproblems = [\"made\"]\nfirst_seed = 0\nruns = 2\n"
                                 "[[method]]\nname = \"m\"\nprotocol = \"" +
                                     protocol + "\"\n" + method);
  return read_experiment(file, ExperimentProfile::full);
}

/// All rows of a small experiment, every one of them scored.
std::vector<ResultRow> rows_of(const ExperimentSpec& spec, const std::filesystem::path& folder) {
  const auto engine = make_engine({.device = "cpu"});
  ResultStore store(folder);
  EXPECT_EQ(run_experiment(spec, store, *engine).failed, 0U);
  std::vector<ResultRow> rows;
  for (const Piece& piece : expand_experiment(spec, "fp32", false)) {
    EXPECT_EQ(piece.runs.size(), 2U) << "all splits are one cohort";
    for (const ExperimentRun& run : piece.runs) rows.push_back(*store.find(run.key));
  }
  return rows;
}

TEST(UciExperiment, CalibratesOnValidationRowsAndFitsAgain) {
  const ExperimentFolder folder;
  const ExperimentSpec spec =
      small_experiment(folder, "refit", "method = \"gp\"\npreset = \"auto\"\nset.restarts = 0\n");
  for (const ResultRow& row : rows_of(spec, folder.path() / "rows")) {
    EXPECT_LT(row.value("rmse"), 2.0) << "the noise has deviation 1, the target 14";
    EXPECT_LT(row.value("nll"), 2.5) << "1.4 for the true distribution";
    EXPECT_GE(row.value("coverage"), 0.75);
    EXPECT_GT(row.value("c_noise"), 0.5);
  }
}

TEST(UciExperiment, ThePublishedProtocolFindsItsReadout) {
  const ExperimentFolder folder;
  const ExperimentSpec spec =
      small_experiment(folder, "published",
                       "preset = \"auto\"\nset.ensemble = 1\nset.train.epochs = 800\nset.mean_net.hidden = [16]\n"
                       "set.sigma_net.hidden = [8]\n");
  for (const ResultRow& row : rows_of(spec, folder.path() / "rows")) {
    EXPECT_LT(row.value("rmse"), 10.0) << "the target's deviation is 14";
    EXPECT_TRUE(std::isfinite(row.value("nll")));
    const double thousands = 1000.0 * row.value("c_model");
    EXPECT_NEAR(thousands, std::round(thousands), 1e-9) << "c has three decimals";
    EXPECT_EQ(row.value("c_model"), row.value("c_noise"));
  }
}

TEST(UciExperiment, WithoutCalibrationSigmaStaysAsItIs) {
  const ExperimentFolder folder;
  const ExperimentSpec spec =
      small_experiment(folder, "uncalibrated", "method = \"gp\"\npreset = \"auto\"\nset.restarts = 0\n");
  for (const ResultRow& row : rows_of(spec, folder.path() / "rows")) {
    EXPECT_LT(row.value("nll"), 2.5);
    EXPECT_EQ(row.value("c_model"), 1.0);
    EXPECT_EQ(row.value("c_noise"), 1.0);
  }
}

TEST(UciExperiment, ASearchTakesWhatValidationRowsPrefer) {
  const ExperimentFolder folder;
  const std::string network =
      "method = \"mc_dropout\"\npreset = \"auto\"\nset.net.hidden = [16]\nset.learn_noise = true\nset.dropout = 0.05\n";
  const auto rows = [&](const std::string& name, const std::string& settings) {
    return rows_of(small_experiment(folder, "refit", network + settings), folder.path() / name);
  };
  const std::vector<ResultRow> good = rows("good", "set.train.epochs = 600\n");
  const std::vector<ResultRow> poor = rows("poor", "set.train.epochs = 1\n");
  const std::vector<ResultRow> found = rows("found", "search.train.epochs = [1, 600]\n");
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NE(good[i].value("nll"), poor[i].value("nll"));
    EXPECT_EQ(found[i].value("nll"), good[i].value("nll")) << "the same fit as without a search";
    EXPECT_NE(found[i].key.spec, good[i].key.spec);
  }
}

TEST(UciExperiment, WrongNamesAreRefused) {
  const ExperimentFolder folder;
  const auto engine = make_engine({.device = "cpu"});
  ExperimentSpec spec = small_experiment(folder, "refitt", "preset = \"auto\"\n");
  ResultStore store(folder.path() / "rows");
  EXPECT_EQ(message_of<ConfigError>([&] { return run_experiment(spec, store, *engine), 0; }),
            "[paper/uci] protocol must be refit, published or uncalibrated, got 'refitt'");
  spec.problems = {"bosten"};
  EXPECT_EQ(message_of<ConfigError>([&] { return run_experiment(spec, store, *engine), 0; }),
            "[paper/uci] there is no UCI data set 'bosten', did you mean 'boston'?");
  spec.kind = "solar";
  EXPECT_THAT(message_of<ConfigError>([&] { return run_experiment(spec, store, *engine), 0; }),
              HasSubstr("the seed of a split, such as split-655, got 'bosten'"));
}

TEST_F(RealData, SetsAreAsPublished) {
  ExperimentSpec spec;
  spec.kind = "uci";
  spec.data = data_folder();
  const ExperimentKind& kind = find_kind(spec);
  EXPECT_EQ(kind.shape(spec, "naval").rows, 10741U);
  EXPECT_EQ(kind.shape(spec, "naval").cols, 16U);
  EXPECT_EQ(kind.most_runs(spec, "protein"), 5);
  EXPECT_EQ(kind.most_runs(spec, "boston"), 20);
  EXPECT_EQ(kind.most_runs(spec, "boston-gap"), 13);
  const RunData authors = kind.draw(spec, {.problem = "concrete-authors", .seed = 0, .key = {}});
  EXPECT_EQ(authors.train.rows(), 741U);
  EXPECT_EQ(authors.validation.rows(), 186U);
  EXPECT_EQ(authors.test.rows(), 103U);
  const RunData gap = kind.draw(spec, {.problem = "yacht-gap", .seed = 2, .key = {}});
  EXPECT_EQ(gap.train.rows() + gap.validation.rows(), 206U);
  EXPECT_EQ(gap.test.rows(), 102U);
}

TEST_F(RealData, TestRowsAreNeverSeen) {
  ExperimentSpec spec;
  spec.kind = "uci";
  spec.data = data_folder();
  const RunData data = find_kind(spec).draw(spec, {.problem = "yacht", .seed = 3, .key = {}});
  EXPECT_EQ(data.train.rows() + data.validation.rows(), 277U);
  std::set<std::vector<double>> seen;
  for (const DataSet* part : {&data.train, &data.validation}) {
    for (std::size_t i = 0; i < part->rows(); ++i) seen.insert({part->row(i).begin(), part->row(i).end()});
  }
  for (std::size_t i = 0; i < data.test.rows(); ++i) {
    EXPECT_FALSE(seen.contains({data.test.row(i).begin(), data.test.row(i).end()}));
  }
}

}  // namespace
}  // namespace nomu
