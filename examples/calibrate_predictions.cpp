// Honest bounds for predictions of another program: split conformal from rows with known targets.

#include <cstdio>
#include <nomu/nomu.hpp>

int main() {
  nomu::PredictedRows known, fresh{.mean = {0.2, 3.0}, .sigma_model = {0.1, 0.5}};  // what that program says
  std::vector<double> targets;
  for (int i = 0; i < 40; ++i) {
    known.mean.push_back(0.1 * i);
    known.sigma_model.push_back(0.1 + 0.01 * i);
    targets.push_back(0.1 * i + 0.03 * (i % 7 - 3));
  }
  const nomu::Calibration calibration = nomu::calibrate_conformal(known, targets);
  const nomu::Bounds bounds = nomu::make_bounds(fresh, calibration, 0.9);
  std::printf("[%.2f, %.2f], [%.2f, %.2f]: %s\n", bounds.lower[0], bounds.upper[0], bounds.lower[1], bounds.upper[1],
              nomu::guarantee(calibration, 0.9).c_str());
}
