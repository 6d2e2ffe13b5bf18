#include <gtest/gtest.h>

#include <cmath>

#include "nomu/models/fitted.hpp"
#include "nomu/models/method.hpp"

namespace nomu {
namespace {

/// Central differences of the predictions by input j of every row.
PredictionSlopes differences(const FittedCohort& fitted, const Tensor<float>& x, float step) {
  PredictionSlopes slopes{.mean = Tensor<float>(fitted.members(), x.rows(), x.cols()),
                          .sigma_model = Tensor<float>(fitted.members(), x.rows(), x.cols())};
  for (std::size_t j = 0; j < x.cols(); ++j) {
    Tensor<float> up = x;
    Tensor<float> down = x;
    for (std::size_t i = 0; i < x.rows(); ++i) {
      up(0, i, j) += step;
      down(0, i, j) -= step;
    }
    const Prediction above = fitted.predict(up);
    const Prediction below = fitted.predict(down);
    for (std::size_t m = 0; m < fitted.members(); ++m) {
      for (std::size_t i = 0; i < x.rows(); ++i) {
        slopes.mean(m, i, j) = (above.mean(m, i, 0) - below.mean(m, i, 0)) / (2.0F * step);
        slopes.sigma_model(m, i, j) = (above.sigma_model(m, i, 0) - below.sigma_model(m, i, 0)) / (2.0F * step);
      }
    }
  }
  return slopes;
}

std::unique_ptr<FittedCohort> small_fit(std::int64_t ensemble, Readout::Kind kind, Engine& engine) {
  NomuSpec spec;
  spec.mean_net = {.hidden = {12, 12}, .activation = Activation::tanh, .init = Init::he, .init_scale = 1.0};
  spec.sigma_net = spec.mean_net;
  spec.train.epochs = 60;
  spec.ensemble = ensemble;
  spec.readout.kind = kind;
  const DataSet data = make_dataset({-0.9, 0.1, -0.2, 0.8, 0.4, -0.7, 0.9, 0.9}, 2, {0.3, -0.5, 0.8, 0.1});
  return fit(MethodSpec(spec), repeat(data, std::vector<std::uint64_t>{3, 4}), engine);
}

TEST(InputSlopes, NomuMatchesDifferences) {
  const auto engine = make_engine();
  for (const std::int64_t ensemble : {1, 3}) {
    for (const Readout::Kind kind : {Readout::Kind::exponential, Readout::Kind::linearised}) {
      const auto fitted = small_fit(ensemble, kind, *engine);
      Tensor<float> x(1, 5, 2);
      for (std::size_t e = 0; e < 10; ++e) x.flat()[e] = -0.83F + 0.17F * static_cast<float>(e);
      const PredictionSlopes exact = fitted->slopes(x).value();
      const PredictionSlopes near = differences(*fitted, x, 1e-2F);
      ASSERT_EQ(exact.mean.size(), near.mean.size());
      for (std::size_t e = 0; e < exact.mean.size(); ++e) {
        EXPECT_NEAR(exact.mean.flat()[e], near.mean.flat()[e], 2e-3);
        EXPECT_NEAR(exact.sigma_model.flat()[e], near.sigma_model.flat()[e], 4e-3);
      }
    }
  }
}

TEST(InputSlopes, OtherMethodsHaveNone) {
  const auto engine = make_engine();
  const DataSet data = make_dataset({-0.9, -0.2, 0.4, 0.9}, 1, {0.3, -0.5, 0.8, 0.1});
  const auto fitted = fit(MethodSpec(GpSpec{}), repeat(data, std::vector<std::uint64_t>{1}), *engine);
  EXPECT_FALSE(fitted->slopes(Tensor<float>(1, 1, 1)));
}

}  // namespace
}  // namespace nomu
