// Networks with convolutions from the outside: settings by name, every method that has them, archives, refusals.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "message_of.hpp"
#include "model_cases.hpp"
#include "nomu/interchange/onnx.hpp"
#include "nomu/models/archive.hpp"
#include "nomu/models/fitted.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

/// Images of 1 x 4 x 6 with a bright line; the target is where it is. The first pixel is the same in all.
DataSet lines(std::size_t rows) {
  Random random(3);
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t i = 0; i < rows; ++i) {
    const double place = random.uniform(1.0, 4.0);
    for (std::size_t p = 0; p < 24; ++p)
      x.push_back(p == 0 ? 0.0 : 255.0 / (1.0 + std::abs(static_cast<double>(p % 6) - place)));
    y.push_back(place);
  }
  return make_dataset(x, 24, y);
}

FitSpec image_fit(const std::string& method = "nomu") {
  FitSpec spec;
  spec.method = method_named(method);
  const Fields fields = fields_of(spec);
  const std::vector<std::string> nets =
      method == "nomu" ? std::vector<std::string>{"mean_net", "sigma_net"} : std::vector<std::string>{"net"};
  for (const std::string& net : nets) {
    fields.set_text(net + ".image", "1,4,6");
    fields.set_text(net + ".filters", "3,4");
    fields.set_text(net + ".kernel", "3,2");
    fields.set_text(net + ".padding", "1,0");
    fields.set_text(net + ".pool", "2,0");
    fields.set_text(net + ".pooling", "average");
    fields.set_text(net + ".hidden", "8");
  }
  fields.set_text("train.epochs", "15");
  fields.set_text("calibration.kind", "none");
  if (method == "nomu") fields.set_text("ensemble", "2");
  return spec;
}

FitSpec changed(const std::string& name, const std::string& value) {
  FitSpec spec = image_fit();
  fields_of(spec).set_text(name, value);
  return spec;
}

std::string refusal(const FitSpec& spec) {
  return message_of<ConfigError>([&] { return fit(spec, lines(12), test_engine()); });
}

TEST(Images, AModelComesBackFromItsArchive) {
  const DataSet data = lines(12);
  const Model model = fit(image_fit(), data, test_engine());
  const Model again = unpack_model(pack_model(model), "m.nomu", test_engine());
  EXPECT_EQ(again.predict(data.inputs).mean, model.predict(data.inputs).mean);
  EXPECT_EQ(again.predict(data.inputs).sigma_model, model.predict(data.inputs).sigma_model);
  const auto& net = std::get<NomuSpec>(again.spec().method).sigma_net;
  EXPECT_EQ(net.convolution.image, (std::vector<std::int64_t>{1, 4, 6}));
  EXPECT_EQ(net.convolution.kernel, (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(net.convolution.pooling, Pooling::average);
  EXPECT_EQ(pack_model(again), pack_model(model));
}

TEST(Images, PixelsAreScaledTogether) {
  const Model model = fit(image_fit(), lines(12), test_engine());
  EXPECT_EQ(model.spec().scale_inputs, ScaleChoice::together);
  const Scaling& scaling = model.parts().scalings.front().inputs;
  for (std::size_t j = 1; j < scaling.cols(); ++j) {
    EXPECT_EQ(scaling.shift[j], scaling.shift[0]);
    EXPECT_EQ(scaling.factor[j], scaling.factor[0]);
  }
  EXPECT_EQ(scaling.apply(std::vector<double>(24, 0.0))[5], -1.0);
}

TEST(Images, OtherMethodsLookAtThemToo) {
  for (const char* method : {"deep_ensemble", "mc_dropout"}) {
    SCOPED_TRACE(method);
    FitSpec spec;
    spec.method = method_named(method);
    spec.calibration.kind = CalibrationChoice::none;
    const Fields fields = fields_of(spec);
    fields.set_text("net.image", "1,4,6");
    fields.set_text("net.filters", "4");
    fields.set_text("net.hidden", "8");
    fields.set_text("train.epochs", "15");
    const Model model = fit(spec, lines(12), test_engine());
    const Model again = unpack_model(pack_model(model), "m.nomu", test_engine());
    EXPECT_EQ(again.predict(lines(12).inputs).sigma_model, model.predict(lines(12).inputs).sigma_model);
  }
}

TEST(Images, ImpossibleSettingsAreRefused) {
  EXPECT_THAT(refusal(changed("mean_net.filters", "[]")),
              HasSubstr("an image needs filters, for example filters = 8,16"));
  EXPECT_THAT(refusal(changed("mean_net.image", "24")),
              HasSubstr("with filters, image must be three numbers (channels, height, width), got 1"));
  EXPECT_THAT(refusal(changed("sigma_net.kernel", "3,3,3")),
              HasSubstr("kernel must be one number for all 2 convolutions or one for each, got 3"));
  EXPECT_THAT(refusal(changed("sigma_net.image", "1,4,8")),
              HasSubstr("has 1 x 4 x 8 = 32 values, but rows have 24 columns"));
  EXPECT_THAT(refusal(changed("mean_net.kernel", "7,2")), HasSubstr("a kernel of 7 is larger than the image"));
  EXPECT_THAT(refusal(changed("mean_net.pool", "3,0")), HasSubstr("a pool of 3 does not divide its map of 4 x 6"));
  FitSpec other = image_fit();
  EXPECT_THAT(message_of<ConfigError>([&] { fields_of(other).set_text("mean_net.stride", "0"); }),
              HasSubstr("mean_net.stride must be at least 1, got 0"));
}

TEST(Images, WhoTakesNetworksApartSaysNo) {
  EXPECT_THAT(refusal(image_fit("laplace")), HasSubstr("[models/laplace] this method does not support convolutions"));
  const Model model = fit(image_fit(), lines(12), test_engine());
  EXPECT_FALSE(model.fitted().slopes(Tensor<float>(1, 1, 24)));
  if (!onnx_available()) return;
  const std::string file = pack_onnx(model);
  EXPECT_THAT(file, HasSubstr("Conv"));
  EXPECT_EQ(file, pack_onnx(model));
}

}  // namespace
}  // namespace nomu
