// Honest bounds for predictions of another program: split conformal from rows with known targets.

#include <cstdio>
#include <nomu/nomu.hpp>

int main() {
  const nomu::PredictedRows known{.mean = {1.0, 1.3, 1.9, 2.2, 2.8, 3.1, 3.5, 4.1, 4.4, 5.0},
                                  .sigma_model = {0.1, 0.1, 0.2, 0.2, 0.2, 0.3, 0.3, 0.3, 0.4, 0.4}};
  const std::vector<double> targets{1.1, 1.2, 2.0, 1.9, 2.9, 3.4, 3.4, 3.9, 4.9, 4.7};
  const nomu::PredictedRows fresh{.mean = {0.2, 3.0}, .sigma_model = {0.1, 0.5}};
  const nomu::Calibration calibration = nomu::calibrate_conformal(known, targets);
  const nomu::Bounds bounds = nomu::make_bounds(fresh, calibration, 0.9);
  std::printf("[%.2f, %.2f]: %s\n", bounds.lower[1], bounds.upper[1], nomu::guarantee(calibration, 0.9).c_str());
}
