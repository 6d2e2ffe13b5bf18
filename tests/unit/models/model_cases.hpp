#pragma once
/// Small models for tests: networks of a few units and a few steps, on data with a known shape.

#include <cmath>
#include <memory>
#include <vector>

#include "nomu/core/random.hpp"
#include "nomu/models/model.hpp"

namespace nomu {

/// A NOMU spec that fits in milliseconds.
inline NomuSpec tiny_nomu(std::int64_t epochs = 60) {
  NomuSpec spec = NomuSpec::written(2);
  spec.mean_net.hidden = spec.sigma_net.hidden = {16};
  spec.mean_net.init = spec.sigma_net.init = Init::he;
  spec.mean_net.init_scale = spec.sigma_net.init_scale = 0.5;
  spec.stable = true;
  spec.train.learning_rate = 1e-2;
  spec.train.epochs = epochs;
  spec.augment.count = 16;
  return spec;
}

inline FitSpec tiny_fit(CalibrationChoice kind = CalibrationChoice::automatic, std::int64_t epochs = 60) {
  FitSpec spec;
  spec.method = tiny_nomu(epochs);
  spec.calibration.kind = kind;
  return spec;
}

/// y = 300 + 50 (sin 3a + b) + noise, with a in [0, 2] and b in [-5, 5]: far from the scale networks like.
inline DataSet wavy_data(std::size_t rows, std::uint64_t seed = 7) {
  Random random(seed);
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = random.uniform(0.0, 2.0);
    const double b = random.uniform(-5.0, 5.0);
    x.insert(x.end(), {a, b});
    y.push_back(300.0 + 50.0 * (std::sin(3.0 * a) + b) + 5.0 * random.normal());
  }
  return make_dataset(x, 2, y);
}

/// One engine for all tests of a program.
inline std::shared_ptr<Engine> test_engine() {
  static const std::shared_ptr<Engine> engine = make_engine({.device = "cpu", .threads = 1});
  return engine;
}

}  // namespace nomu
