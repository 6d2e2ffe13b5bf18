// Several targets of the same rows: fits, joint bounds, one file.

#include "nomu/models/targets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "message_of.hpp"
#include "model_cases.hpp"
#include "model_file.hpp"
#include "nomu/data/table_io.hpp"
#include "nomu/models/archive.hpp"

namespace nomu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Two targets with independent noise.
std::vector<DataSet> two_targets(std::size_t rows, std::uint64_t seed = 3) {
  DataSet a = wavy_data(rows);
  DataSet b = a;
  Random random(seed);
  for (double& y : a.targets) y += random.normal();
  for (std::size_t i = 0; i < rows; ++i) b.targets[i] = b.row(i)[0] + random.normal();
  a.target_name = "a";
  b.target_name = "b";
  return {a, b};
}

TargetsRequest quick(std::string calibration = "auto") {
  return {.fit = {.preset = "written",
                  .settings = {{"train.epochs", "5"}, {"mean_net.hidden", "8"}, {"sigma_net.hidden", "8"}},
                  .calibration = std::move(calibration),
                  .level = 0.9},
          .targets = {"a", "b"}};
}

TEST(Targets, JointBoundsContainTheShareOfRowsTheyPromise) {
  for (const std::size_t rows : {300U, 80U}) {  // held out, and in folds
    const std::vector<DataSet> data = two_targets(rows);
    const TargetModels models = fit(quick(), data, test_engine());
    EXPECT_THAT(models.names(), ElementsAre("a", "b"));
    ASSERT_EQ(models.joint().kind, rows == 300 ? CalibrationKind::conformal : CalibrationKind::cross_conformal);
    const std::vector<Bounds> boxes = models.joint_bounds(data[0].inputs, 0.9);
    const Bounds own = models.models()[0].bounds(data[0].inputs, 0.9);
    double joint_width = 0.0;
    double own_width = 0.0;
    for (std::size_t i = 0; i < rows; ++i) {
      joint_width += boxes[0].upper[i] - boxes[0].lower[i];
      own_width += own.upper[i] - own.lower[i];
    }
    EXPECT_GT(joint_width, own_width);
    // By construction of the quantile, at least 90 % of the calibration rows lie within their joint score.
    if (rows == 300) {
      const HeldOut& held = models.models()[0].held_out();
      std::size_t inside = 0;
      for (const std::size_t i : held.rows) {
        bool all = true;
        for (std::size_t t = 0; t < 2; ++t) {
          const double y = data[t].targets[i];
          all = all && boxes[t].lower[i] <= y && y <= boxes[t].upper[i];
        }
        inside += all ? 1 : 0;
      }
      EXPECT_EQ(inside, 55U) << "ceil(61 * 0.9) of 60";
    }
  }
}

TEST(Targets, FilesKeepThemAndRefuseDamage) {
  const std::vector<DataSet> data = two_targets(80);
  const TargetModels models = fit(quick(), data, test_engine());
  const std::string bytes = pack_targets(models);
  EXPECT_TRUE(holds_targets(bytes));
  EXPECT_FALSE(holds_targets(pack_model(models.models()[0])));
  const TargetModels back = unpack_targets(bytes, "memory", test_engine());
  EXPECT_EQ(pack_targets(back), bytes);
  EXPECT_EQ(back.joint(), models.joint());
  EXPECT_EQ(back.joint_bounds(data[0].inputs, 0.9)[1].upper, models.joint_bounds(data[0].inputs, 0.9)[1].upper);
  EXPECT_EQ(back.describe(), models.describe());
  EXPECT_THAT(message_of<DataError>([&] { return unpack_model(bytes, "two.nomu", test_engine()); }),
              HasSubstr("two.nomu: the file holds models of several targets (a, b); choose one of them"));
  EXPECT_THAT(
      message_of<DataError>([&] { return unpack_targets(pack_model(models.models()[0]), "one.nomu", test_engine()); }),
      HasSubstr("one.nomu: the file holds a model of one target"));
  for (const std::size_t cut : {std::size_t{5}, std::size_t{40}, bytes.size() / 2, bytes.size() - 1}) {
    EXPECT_THROW((void)unpack_targets(bytes.substr(0, cut), "memory", test_engine()), DataError) << cut;
  }
  EXPECT_THROW((void)unpack_targets(bytes + "x", "memory", test_engine()), DataError);
}

TEST(Targets, EveryOneNeedsAName) {
  std::vector<DataSet> data = two_targets(80);
  TargetsRequest request = quick("none");
  request.targets[1] = "";
  EXPECT_THAT(message_of<ConfigError>([&] { return fit(request, data, test_engine()); }), HasSubstr("has no name"));
  data[1].target_name = "";
  EXPECT_THAT(message_of<DataError>([&] {
                const auto one = [&](const DataSet& rows) { return fit(request.fit, rows, test_engine()); };
                return TargetModels({one(data[0]), one(data[1])}, {});
              }),
              HasSubstr("has no name"));
}

TEST(Targets, ATargetIsFittedAsIfItWereAlone) {
  const std::vector<DataSet> data = two_targets(80);
  const TargetsRequest request = quick();
  const TargetModels models = fit(request, data, test_engine());
  FitRequest alone = request.fit;
  alone.target = "b";
  EXPECT_EQ(pack_model(models.model("b")), pack_model(fit(alone, data[1], test_engine())));
}

TEST(Targets, ByEvidenceToo) {
  const std::vector<DataSet> data = two_targets(80);
  TargetsRequest request = quick();
  request.fit.preset = "auto";  // choices that unseen rows make for each target
  const TargetModels models = fit(request, data, test_engine());
  for (std::size_t t = 0; t < data.size(); ++t) {
    FitRequest alone = request.fit;
    alone.target = request.targets[t];
    ASSERT_EQ(models.models()[t].spec().evidence.use, EvidenceSpec::Use::yes);
    EXPECT_EQ(pack_model(models.models()[t]), pack_model(fit(alone, data[t], test_engine())));
  }
}

TEST(Targets, FilesHoldTheRowsOnce) {
  const std::vector<DataSet> data = two_targets(80);
  const TargetModels models = fit(quick(), data, test_engine());
  const std::string bytes = pack_targets(models);
  const std::string first = pack_model(models.models()[0]);
  const std::string second = pack_model(models.models()[1]);
  const std::string inputs(reinterpret_cast<const char*>(data[0].inputs.data()),
                           sizeof(double) * data[0].inputs.size());
  ASSERT_NE(first.find(inputs), std::string::npos);
  EXPECT_NE(bytes.find(first), std::string::npos) << "the first model is in it as it is alone";
  EXPECT_EQ(bytes.find(inputs, bytes.find(inputs) + 1), std::string::npos);
  EXPECT_LT(bytes.size() + inputs.size(), first.size() + second.size());
  const TargetModels back = unpack_targets(bytes, "memory", test_engine());
  EXPECT_EQ(pack_model(back.models()[1]), second) << "nothing is lost";
}

TEST(Targets, FilesOfTheFirstFormatAreRead) {
  const TargetModels old = load_targets(NOMU_GOLDEN_DIR "/targets_v2.nomu", test_engine());
  EXPECT_THAT(old.names(), ElementsAre("a", "b"));
  const Table predicted = predict_table(old, read_table(NOMU_GOLDEN_DIR "/targets_v2_rows.csv"), 0.9, {}, true);
  const Table before = read_table(NOMU_GOLDEN_DIR "/targets_v2.csv");
  ASSERT_EQ(predicted.columns().size(), before.columns().size());
  for (const char* name : {"mean_a", "lower_a", "upper_b"}) {
    const std::size_t j = column_index(before, name);
    for (std::size_t i = 0; i < before.rows(); ++i) {
      const double then = std::stod(std::string(before.columns()[j][i]));
      EXPECT_NEAR(std::stod(std::string(predicted.columns()[j][i])), then, 1e-5 * (1.0 + std::abs(then))) << name;
    }
  }
  EXPECT_LT(pack_targets(old).size(), std::filesystem::file_size(NOMU_GOLDEN_DIR "/targets_v2.nomu"));
}

TEST(Targets, RowsThatDifferAreRefused) {
  std::vector<DataSet> data = two_targets(80);
  data[1].inputs[3] += 1.0;
  EXPECT_THAT(message_of<DataError>([&] { return fit(quick(), data, test_engine()); }),
              HasSubstr("the rows of 'b' and 'a' differ in more than the target"));
}

// Otherwise other rows of a table are complete for each model, and what is computed for all of them reads beyond the
// end.
TEST(Targets, ModelsOfOtherColumnsAreRefused) {
  std::vector<DataSet> data = two_targets(80);
  data[1].features[0].name = data[1].input_names[0] = "q";
  EXPECT_THAT(message_of<DataError>([&] { return fit(quick(), data, test_engine()); }),
              HasSubstr("the rows of 'b' and 'a' differ in more than the target"));
  const auto one = [&](const DataSet& rows) { return fit(quick("none").fit, rows, test_engine()); };
  EXPECT_THAT(message_of<DataError>([&] {
                return TargetModels({one(data[0]), one(data[1])}, {});
              }),
              HasSubstr("must have learned from the same inputs"));
}

TEST(Targets, AFileThatRenamesAColumnOfOneIsRefused) {
  const TargetModels models = fit(quick(), two_targets(80), test_engine());
  ModelFile file(pack_targets(models));
  auto& targets = file.header["targets"];
  const auto first = targets[0]["bytes"].get<std::size_t>();
  ModelFile second(std::string_view(file.blocks.back()).substr(first));
  ASSERT_EQ(file.blocks.back().substr(first), second.bytes()) << "taking it apart changes nothing";
  second.header["data"]["columns"][0]["name"] = "q";
  const std::string changed = second.bytes();
  targets[1]["bytes"] = changed.size();
  file.blocks.back() = file.blocks.back().substr(0, first) + changed;
  EXPECT_THAT(message_of<DataError>([&] { return unpack_targets(file.bytes(), "two.nomu", test_engine()); }),
              HasSubstr("two.nomu: the models of several targets must have learned from the same inputs"));
}

TEST(Targets, SetsOfRowsMustHaveTheSameLength) {
  const TargetModels models = fit(quick(), two_targets(80), test_engine());
  std::vector<DataSet> rows = two_targets(120, 9);
  const std::vector<std::size_t> some{0, 1, 2, 3, 4, 5, 6, 7};
  for (const std::size_t shorter : {1U, 0U}) {
    std::vector<DataSet> uneven = rows;
    uneven[shorter] = subset(rows[shorter], some);
    EXPECT_THAT(message_of<DataError>([&] { return evaluate(models, uneven, 0.9); }),
                HasSubstr("the targets must belong to the same rows"));
    EXPECT_THAT(message_of<DataError>([&] { return calibrated(models, uneven, FitRequest{.level = 0.9}); }),
                HasSubstr("the targets must belong to the same rows"));
  }
  rows.pop_back();
  EXPECT_THAT(message_of<DataError>([&] { return evaluate(models, rows, 0.9); }),
              HasSubstr("there is not one set of rows for each target"));
}

TEST(Targets, RecalibrationCountsTheRowsGiven) {
  const TargetModels models = fit(quick(), two_targets(80), test_engine());
  const TargetModels again = calibrated(models, two_targets(120, 9), FitRequest{.level = 0.9});
  EXPECT_EQ(again.joint().rows, 120U);
  EXPECT_THAT(again.joint_guarantee(0.9), HasSubstr("for all 2 targets at once: a new row"));
}

TEST(Targets, WhatCannotBeIsRefused) {
  std::vector<DataSet> data = two_targets(80);
  const TargetModels gaussian = fit(quick("nll"), data, test_engine());
  EXPECT_THAT(message_of<ConfigError>([&] { return gaussian.joint_bounds(data[0].inputs, 0.9); }),
              HasSubstr("joint bounds of all targets need conformal calibration, but this one is 'nll'"));
  TargetsRequest one = quick();
  one.targets = {"a"};
  EXPECT_THAT(message_of<ConfigError>([&] { return fit(one, std::span(data).first(1), test_engine()); }),
              HasSubstr("two or more"));
  TargetsRequest ranged = quick();
  ranged.ranges["c"] = {.low = 0.0};
  EXPECT_THAT(message_of<ConfigError>([&] { return fit(ranged, data, test_engine()); }),
              HasSubstr("a range is given for 'c', which is not a target"));
  data[1].noise.assign(80, 1.0);
  EXPECT_THAT(message_of<ConfigError>([&] { return fit(quick(), data, test_engine()); }),
              HasSubstr("known noise belongs to a single target"));
}

}  // namespace
}  // namespace nomu
