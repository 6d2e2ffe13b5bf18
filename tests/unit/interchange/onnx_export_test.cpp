#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "message_of.hpp"
#include "nomu/core/error.hpp"
#include "nomu/interchange/attach.hpp"
#include "nomu/interchange/onnx.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

/// What the files compute is checked from outside, by tests/cli/test_onnx.py.
class OnnxExport : public testing::Test {
 protected:
  void SetUp() override {
    if (!onnx_available()) GTEST_SKIP() << "built without ONNX";
  }

  static Model quick(MethodSpec method, CalibrationChoice kind) {
    std::vector<double> inputs;
    std::vector<double> targets;
    for (int i = 0; i < 24; ++i) {
      inputs.push_back(i / 12.0 - 1.0);
      targets.push_back(std::sin(3.0 * inputs.back()));
    }
    return fit({.method = std::move(method), .calibration = {.kind = kind}},
               make_dataset(std::move(inputs), 1, std::move(targets)));
  }
};

TEST_F(OnnxExport, OneFileHoldsAllFoldModels) {
  AnnSpec method;
  method.net.hidden = {4};
  method.train.epochs = 5;
  const Model model = quick(method, CalibrationChoice::conformal);
  ASSERT_EQ(model.fitted().members(), 11U);
  const std::string bytes = pack_onnx(model, 0.9);
  EXPECT_EQ(bytes, pack_onnx(model, 0.9));
  for (const char* word : {"TopK", "lower", "upper", "nomu.level", "nomu.target"}) EXPECT_THAT(bytes, HasSubstr(word));
  EXPECT_THAT(message_of<ConfigError>([&] { (void)pack_onnx(model, 0.999); }), HasSubstr("calibration rows"));
  EXPECT_THAT(message_of<ConfigError>([&] { (void)pack_onnx(model, 0.4); }), HasSubstr("from one half on, got 0.4"));
}

TEST_F(OnnxExport, AGaussianProcessIsRefusedByName) {
  const Model model = quick(GpSpec{}, CalibrationChoice::none);
  EXPECT_THAT(message_of<ConfigError>([&] { (void)pack_onnx(model); }), HasSubstr("(method 'gp')"));
}

TEST_F(OnnxExport, NumbersBeyondSinglePrecisionAreRefused) {
  AnnSpec method;
  method.net.hidden = {4};
  method.train.epochs = 2;
  for (const double unit : {1e35, 1e-35}) {
    const DataSet data = make_dataset({1, 2, 3, 4, 5, 6}, 1, {unit, 3 * unit, 2 * unit, 5 * unit, 4 * unit, 6 * unit});
    const Model model = fit({.method = method, .calibration = {.kind = CalibrationChoice::none}}, data);
    EXPECT_THAT(message_of<ConfigError>([&] { (void)pack_onnx(model); }),
                HasSubstr(unit > 1.0 ? "column 'y' (up to 6e+35) are too large" : "(up to 6e-35) are too small"));
  }
}

TEST_F(OnnxExport, ATargetDrawnInIsRefused) {
  AnnSpec method;
  method.net.hidden = {4};
  method.train.epochs = 2;
  const Model model = quick(method, CalibrationChoice::none);
  ModelParts parts = model.parts();
  parts.scalings[0].target.reach = 3.0;
  const Model changed(parts, model.fitted().select(std::vector<std::size_t>{0}), model.engine());
  EXPECT_THAT(message_of<ConfigError>([&] { (void)pack_onnx(changed); }), HasSubstr("far values are compressed"));
}

/// A model of two columns that was fitted by evidence, and its fold models.
Model quick_evidence() {
  std::vector<double> inputs;
  std::vector<double> targets;
  for (int i = 0; i < 40; ++i) {
    inputs.insert(inputs.end(), {std::cos(i), std::sin(7.0 * i)});
    targets.push_back(inputs[inputs.size() - 2] + 0.1 * std::cos(13.0 * i));
  }
  NomuSpec method;
  method.noise = Noise::learned;
  method.train.epochs = 3;
  const FitSpec spec{.method = method,
                     .evidence = {.use = EvidenceSpec::Use::yes,
                                  .folds = 2,
                                  .penalties = {1.0},
                                  .noise_penalties = {3.0},
                                  .kept = 1,
                                  .steps = 3},
                     .calibration = {.kind = CalibrationChoice::conformal}};
  return fit(spec, make_dataset(std::move(inputs), 2, std::move(targets)));
}

TEST_F(OnnxExport, StepsOfDifferentColumnsAreRefused) {
  const Model model = quick_evidence();
  ASSERT_GT(model.fitted().members(), 1U);
  EXPECT_THAT(pack_onnx(model), testing::AllOf(HasSubstr("nomu_step_low"), HasSubstr("nomu_raw_near")));
  FittedState state = model.fitted().state();
  for (FittedState::Block& block : state.blocks) {
    if (block.name == "steps") block.values(1, 0, 0) = 1.0F;
  }
  const Model changed(model.parts(), restore(model.spec().method, state, model.fitted().reports(), *model.engine()),
                      model.engine());
  EXPECT_THAT(message_of<ConfigError>([&] { (void)pack_onnx(changed); }),
              HasSubstr("steps belong to different columns"));
}

TEST(OnnxAbsent, SaysWhatIsMissing) {
  if (onnx_available()) GTEST_SKIP() << "built with ONNX";
  EXPECT_THAT(message_of<ConfigError>([] { (void)load_onnx("network.onnx"); }),
              HasSubstr("install libonnx-dev and libprotobuf-dev"));
}

}  // namespace
}  // namespace nomu
