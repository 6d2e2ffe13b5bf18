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
}

TEST_F(OnnxExport, AGaussianProcessIsRefusedByName) {
  const Model model = quick(GpSpec{}, CalibrationChoice::none);
  EXPECT_THAT(message_of<ConfigError>([&] { (void)pack_onnx(model); }), HasSubstr("(method 'gp')"));
}

TEST(OnnxAbsent, SaysWhatIsMissing) {
  if (onnx_available()) GTEST_SKIP() << "built with ONNX";
  EXPECT_THAT(message_of<ConfigError>([] { (void)load_onnx("network.onnx"); }),
              HasSubstr("install libonnx-dev and libprotobuf-dev"));
}

}  // namespace
}  // namespace nomu
