#pragma once
// Subjects of reports without any training: the "model" is a formula whose sigma grows with the distance to the data.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "nomu/core/random.hpp"
#include "nomu/report/report.hpp"

namespace nomu {

/// The function behind the data; inputs beyond the third matter little.
inline double true_value(std::span<const double> x) {
  double y = std::sin(3.0 * x[0]);
  if (x.size() > 1) y += 0.8 * x[1] * x[1];
  if (x.size() > 2) y += 0.5 * x[2];
  for (std::size_t j = 3; j < x.size(); ++j) y += 0.03 * x[j];
  return 20.0 + 5.0 * y;
}

inline double true_noise(std::span<const double> x) { return 0.4 + 0.3 * std::abs(x[0]); }

/// Rows on [-1,1]^d with noise; the first input has a gap where there is no data.
inline DataSet noisy_rows(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> inputs;
  std::vector<double> targets;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> x(cols);
    for (double& value : x) value = random.uniform(-1.0, 1.0);
    x[0] = x[0] < 0.0 ? -1.0 + 0.8 * (x[0] + 1.0) : 0.4 + 0.6 * x[0];
    targets.push_back(true_value(x) + true_noise(x) * random.normal());
    inputs.insert(inputs.end(), x.begin(), x.end());
  }
  return make_dataset(std::move(inputs), cols, std::move(targets));
}

/// The formula's prediction at rows [q][d].
inline PredictedRows formula(const DataSet& data, std::span<const double> points, bool noise) {
  const std::vector<double> low(data.cols(), -1.0);
  const std::vector<double> high(data.cols(), 1.0);
  const std::vector<double> distance = distances_to_data(points, data.inputs, low, high);
  PredictedRows rows;
  for (std::size_t i = 0; i < distance.size(); ++i) {
    const std::span<const double> x = points.subspan(i * data.cols(), data.cols());
    rows.mean.push_back(true_value(x) + 0.1 * std::sin(9.0 * x[0]));
    rows.sigma_model.push_back(0.05 + 6.0 * (1.0 - std::exp(-2.0 * distance[i])));
    if (noise) rows.sigma_noise.push_back(true_noise(x));
  }
  return rows;
}

/// A subject with everything: split conformal bounds, fresh rows, findings, a fit, settings.
inline ReportSubject make_subject(std::size_t rows, std::size_t cols, bool noise = true) {
  ReportSubject subject{.name = "A model of y", .method = "NOMU", .data = noisy_rows(rows, cols, 1)};
  const DataSet data = subject.data;
  subject.predict = [data, noise](std::span<const double> points) { return formula(data, points, noise); };
  const DataSet held_out = noisy_rows(80, cols, 2);
  subject.calibration = calibrate_conformal(subject.predict(held_out.inputs), held_out.targets);
  subject.bounds = [predict = subject.predict, calibration = subject.calibration](std::span<const double> points,
                                                                                  double level) {
    return make_bounds(predict(points), calibration, level);
  };
  const DataSet fresh = noisy_rows(120, cols, 3);
  subject.rows = ReportRows{
      .source = "the 120 rows of test.csv", .targets = fresh.targets, .predicted = subject.predict(fresh.inputs)};
  subject.rows->bounds = [rows = subject.rows->predicted, calibration = subject.calibration](double level) {
    return make_bounds(rows, calibration, level);
  };
  const auto sigma = [predict = subject.predict](std::span<const double> x) { return predict(x).sigma_model; };
  const auto mean = [predict = subject.predict](std::span<const double> x) { return predict(x).mean; };
  subject.findings =
      check_desiderata(data.inputs, {.sigma = sigma, .mean = mean},
                       {.low = std::vector<double>(cols, -1.3), .high = std::vector<double>(cols, 1.3), .probes = 100})
          .findings;
  FitReport fit{.seed = 1, .epochs = 1000, .first_loss = 12.5, .best_loss = 0.011, .last_loss = 0.012, .history = {}};
  for (int i = 0; i < 1000; ++i) {
    fit.history.push_back(0.01F + 12.0F * std::exp(-0.01F * static_cast<float>(i)) *
                                      (1.0F + 0.2F * std::sin(static_cast<float>(i))));
  }
  subject.fits = {fit};
  subject.settings = {{"train.epochs", "1000"}, {"mean_net.hidden", "[256, 256]"}};
  subject.engine =
      EngineInfo{.name = "cpu", .provider = "onednn", .isa = "avx2", .threads = 2, .device = "a processor", .note = {}};
  subject.version = "0.2.0";
  subject.date = "2024-05-17";
  return subject;
}

/// The same with one more column, of names, before the first input.
inline ReportSubject named_subject() {
  ReportSubject subject = make_subject(200, 3);
  DataSet& data = subject.data;
  const std::vector<std::string> levels = {"blue", "greenish yellow", "red"};
  data.features.insert(data.features.begin(), {.name = "colour", .levels = levels, .kind = ColumnKind::names});
  data.input_names.insert(data.input_names.begin(), {"colour=blue", "colour=greenish yellow", "colour=red"});
  const auto widened = [](const std::vector<double>& narrow) {
    std::vector<double> wide;
    for (std::size_t i = 0; i < narrow.size() / 3; ++i) {
      for (std::size_t k = 0; k < 3; ++k) wide.push_back(i % 3 == k ? 1.0 : 0.0);
      wide.insert(wide.end(), narrow.begin() + static_cast<std::ptrdiff_t>(3 * i),
                  narrow.begin() + static_cast<std::ptrdiff_t>(3 * i + 3));
    }
    return wide;
  };
  data.inputs = widened(data.inputs);
  subject.predict = [inner = subject.predict](std::span<const double> points) {
    std::vector<double> narrow;
    for (std::size_t i = 0; i < points.size(); i += 6)
      narrow.insert(narrow.end(), {points[i + 3], points[i + 4], points[i + 5]});
    PredictedRows rows = inner(narrow);
    for (std::size_t i = 0; i < rows.rows(); ++i) rows.mean[i] += 2.0 * points[6 * i + 1] - points[6 * i + 2];
    return rows;
  };
  subject.bounds = [predict = subject.predict, calibration = subject.calibration](std::span<const double> points,
                                                                                  double level) {
    return make_bounds(predict(points), calibration, level);
  };
  return subject;
}

}  // namespace nomu
