#include "nomu/interchange/attach.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "message_of.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"
#include "nomu/core/random.hpp"
#include "nomu/interchange/onnx.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

class Attach : public testing::Test {
 protected:
  void SetUp() override {
    if (!onnx_available()) GTEST_SKIP() << "built without ONNX";
  }
};

std::filesystem::path golden(const std::string& name) { return std::filesystem::path(NOMU_GOLDEN_DIR) / "onnx" / name; }

/// The function that the golden networks learned, at `count` points of [-reach, reach]^2.
DataSet rows_of(std::size_t count, double reach, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> inputs;
  std::vector<double> targets;
  for (std::size_t i = 0; i < count; ++i) {
    const double a = random.uniform(-reach, reach);
    const double b = random.uniform(-reach, reach);
    inputs.insert(inputs.end(), {a, b});
    targets.push_back(std::sin(3.0 * a) + 0.5 * b * b);
  }
  return make_dataset(std::move(inputs), 2, std::move(targets));
}

FitSpec quick() {
  NomuSpec method;
  method.sigma_net.hidden = {16};
  method.noise_net.hidden = {8};
  method.train.epochs = 400;
  method.ensemble = 2;
  return {.method = method};
}

TEST_F(Attach, TheMeanIsTheNetworksOwnAndSigmaGrowsAway) {
  const auto network = load_onnx(golden("torch_relu.onnx"));
  const DataSet data = rows_of(80, 1.0, 1);
  const Model model = fit_bounds(quick(), network, data);
  EXPECT_EQ(model.calibration().kind, CalibrationKind::nll);
  const DataSet probes = rows_of(100, 2.0, 2);
  const PredictedRows predicted = model.predict(probes.inputs);
  Tensor<float> x(1, probes.rows(), 2);
  std::ranges::transform(probes.inputs, x.flat().begin(), [](double v) { return static_cast<float>(v); });
  const Tensor<float> mean = network->evaluate(x).mean;
  double near = 0.0;
  double far = 0.0;
  for (std::size_t i = 0; i < probes.rows(); ++i) {
    EXPECT_NEAR(predicted.mean[i], mean(0, i, 0), 1e-5);
    const double reach = std::max(std::abs(probes.inputs[2 * i]), std::abs(probes.inputs[2 * i + 1]));
    if (reach < 0.9) near = std::max(near, predicted.sigma_model[i]);
    if (reach > 1.7) far = std::max(far, predicted.sigma_model[i]);
  }
  EXPECT_LT(near, far);
  const std::string first = pack_attached(*network, model);
  EXPECT_EQ(first, pack_attached(*network, model));
  EXPECT_THAT(first, HasSubstr("nomu.features"));
  EXPECT_THAT(message_of<DataError>([&] { (void)parse_onnx(first, "twice.onnx"); }), HasSubstr("5 outputs ('mean'"));
}

TEST_F(Attach, NotesOfTheNetworkAreReplaced) {
  // metadata_props of a model: a key and a text. Messages that follow each other are merged.
  const auto note = [](const std::string& key, const std::string& text) {
    const auto field = [](int number, const std::string& bytes) {
      return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
    };
    return field(14, field(1, key) + field(2, text));
  };
  const std::string bytes = read_file(golden("torch_relu.onnx")) + note("nomu.level", "stale") +
                            note("nomu.other", "stale") + note("author", "me");
  const auto network = parse_onnx(bytes, "noted.onnx");
  FitSpec spec = quick();
  std::get<NomuSpec>(spec.method).train.epochs = 3;
  const std::string packed = pack_attached(*network, fit_bounds(spec, network, rows_of(80, 1.0, 1)), 0.9);
  EXPECT_THAT(packed, HasSubstr("nomu.level"));
  EXPECT_THAT(packed, testing::Not(HasSubstr("stale")));
  EXPECT_THAT(packed, HasSubstr("author"));
}

TEST_F(Attach, NoiseIsLearnedFromWhatTheNetworkMisses) {
  const auto network = load_onnx(golden("torch_relu.onnx"));
  DataSet data = rows_of(200, 1.0, 3);
  Random random(4);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    // Loud on the right, quiet on the left.
    data.targets[i] += (data.inputs[2 * i] > 0.0 ? 0.5 : 0.05) * (random.uniform(0.0, 1.0) > 0.5 ? 1.0 : -1.0);
  }
  FitSpec spec = quick();
  std::get<NomuSpec>(spec.method).noise = Noise::learned;
  std::get<NomuSpec>(spec.method).train.epochs = 300;
  const Model model = fit_bounds(spec, network, data);
  const std::vector<double> probes{-0.6, 0.0, 0.6, 0.0};
  const PredictedRows predicted = model.predict(probes);
  ASSERT_EQ(predicted.sigma_noise.size(), 2U);
  EXPECT_LT(2.0 * predicted.sigma_noise[0], predicted.sigma_noise[1]);
}

TEST_F(Attach, ImagesAreSeenThroughTheirFeatures) {
  const auto network = load_onnx(golden("torch_cnn.onnx"));
  EXPECT_FALSE(network->reads_inputs());
  const DataSet data = make_dataset(read_table(golden("torch_cnn.csv")), {.target = "y"});
  FitSpec spec = quick();
  spec.calibration.policy = CalibrationPolicy::folds;
  const Model model = fit_bounds(spec, network, data);
  EXPECT_GT(model.predict(data.row(0)).sigma_model[0], 0.0);
  EXPECT_FALSE(pack_attached(*network, model).empty());
}

TEST_F(Attach, TheRangeOfTheTargetIsPartOfTheFile) {
  const auto network = load_onnx(golden("torch_relu.onnx"));
  const DataSet data = rows_of(40, 1.0, 1);
  FitRequest request{.settings = {{"train.epochs", "20"}, {"ensemble", "1"}, {"sigma_net.hidden", "8"}}};
  const std::string free = pack_attached(*network, fit_bounds(request, network, data));
  request.range = {.low = -4.0, .high = 4.0};
  const std::string kept = pack_attached(*network, fit_bounds(request, network, data));
  EXPECT_GT(kept.size(), free.size());  // tests/cli/test_onnx.py runs such a file
}

TEST_F(Attach, Refusals) {
  const auto network = load_onnx(golden("torch_relu.onnx"));
  const DataSet data = rows_of(20, 1.0, 1);
  FitSpec other = quick();
  other.method = AnnSpec{};
  EXPECT_THAT(message_of<ConfigError>([&] { (void)fit_bounds(other, network, data); }),
              HasSubstr("need method 'nomu', got 'ann'"));
  const DataSet wide = make_dataset(std::vector<double>(12, 1.0), 3, {0, 1, 2, 3});
  EXPECT_THAT(message_of<DataError>([&] { (void)fit_bounds(quick(), network, wide); }),
              HasSubstr("the network reads 2 columns, but the data have 3"));
  FitSpec raw = quick();
  raw.calibration.kind = CalibrationChoice::none;
  const Model uncalibrated = fit_bounds(raw, network, data);
  EXPECT_THAT(message_of<ConfigError>([&] { (void)pack_attached(*network, uncalibrated, 0.9); }),
              HasSubstr("not calibrated"));
  ModelParts parts = uncalibrated.parts();
  parts.scalings[0].warp = {.centre = 0.0, .scale = 1.0};
  const Model warped(parts, uncalibrated.fitted().select(std::vector<std::size_t>{0}), uncalibrated.engine());
  EXPECT_THAT(message_of<DataError>([&] { (void)pack_attached(*network, warped); }), HasSubstr("a warped target"));
}

}  // namespace
}  // namespace nomu
