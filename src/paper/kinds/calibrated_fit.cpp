#include "paper/kinds/calibrated_fit.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "models/fit/members.hpp"
#include "nomu/core/error.hpp"
#include "nomu/eval/calibration.hpp"
#include "nomu/eval/metrics.hpp"
#include "nomu/models/readout.hpp"

namespace nomu {
namespace {

constexpr double level = 0.9;

using Rows = std::span<const DataSet>;

std::vector<std::vector<double>> inputs_of(Rows data) {
  std::vector<std::vector<double>> x;
  for (const DataSet& one : data) x.push_back(one.inputs);
  return x;
}

/// The rows of `first` followed by those of `second`, at most `most`.
DataSet joined(const DataSet& first, const DataSet& second, std::size_t most) {
  DataSet all = first;
  all.inputs.insert(all.inputs.end(), second.inputs.begin(), second.inputs.end());
  all.targets.insert(all.targets.end(), second.targets.begin(), second.targets.end());
  std::vector<std::size_t> rows(std::min(most, all.rows()));
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return subset(all, rows);
}

/// The published protocol's readout: chosen on the scale of the fit, applied in the units of the target.
class PublishedReadout {
 public:
  static std::vector<ReadoutFit> choose(const Members& members, Rows validation) {
    std::vector<ReadoutFit> fits;
    const std::vector<std::vector<double>> x = inputs_of(validation);
    const Tensor<float> raw = raw_sigma(members, x);
    const std::vector<PredictedRows> predicted = predict_each(*members.fitted, members.scalings, x);
    for (std::size_t m = 0; m < validation.size(); ++m) {
      const Scaling& target = members.scalings[m].target;
      const std::vector<double> mean = target.apply(predicted[m].mean);
      const std::vector<double> y = target.apply(validation[m].targets);
      ReadoutFit fit =
          fit_readout(Readout::Kind::exponential, {.raw = front(raw, m, y.size()), .mean = mean, .targets = y});
      const double c = std::round(1000.0 * fit.calibration.c_model) / 1000.0;
      fit.calibration.c_model = fit.calibration.c_noise = c;
      fits.push_back(std::move(fit));
    }
    return fits;
  }

  static void apply(const std::vector<ReadoutFit>& fits, const Members& members, Rows test,
                    std::vector<PredictedRows>& predicted) {
    const Tensor<float> raw = raw_sigma(members, inputs_of(test));
    for (std::size_t m = 0; m < test.size(); ++m) {
      std::vector<double> sigma = front(raw, m, test[m].rows());
      for (double& value : sigma) value = fits[m].readout(value);
      predicted[m].sigma_model = members.scalings[m].target.invert_width(sigma);
    }
  }

 private:
  static Tensor<float> raw_sigma(const Members& members, const std::vector<std::vector<double>>& x) {
    Tensor<float> raw = members.fitted->raw_sigma(scaled_rows(members.scalings, x));
    if (raw.empty()) throw ConfigError("paper/uci", "protocol published needs a method with a raw sigma; use nomu");
    return raw;
  }
  static std::vector<double> front(const Tensor<float>& values, std::size_t m, std::size_t rows) {
    const std::span<const float> part = values.member(m).first(rows);
    return {part.begin(), part.end()};
  }
};

/// One factor for each part of the deviation. Empty calibrations, whose runs are not scored, if none exists (a sigma of
/// 0).
std::vector<Calibration> factors_of(const Members& members, Rows validation) {
  const std::vector<PredictedRows> predicted = predict_each(*members.fitted, members.scalings, inputs_of(validation));
  std::vector<Calibration> factors;
  for (std::size_t m = 0; m < validation.size(); ++m) {
    try {
      factors.push_back(predicted[m].sigma_noise.empty() ? calibrate_nll(predicted[m], validation[m].targets)
                                                         : calibrate_separate(predicted[m], validation[m].targets));
    } catch (const DataError&) {
      factors.push_back({});
    }
  }
  return factors;
}

Measured score(const Calibration& calibration, const PredictedRows& predicted, const DataSet& test) {
  try {
    if (calibration.kind == CalibrationKind::none) throw DataError("paper/uci", "the run has no factors on sigma");
    const MetricsReport metrics = measure(predicted.mean, central_sigma(calibration, predicted), test.targets);
    const double covered = coverage(make_bounds(predicted, calibration, level), test.targets);
    return {.status = RunStatus::ok,
            .values = {metrics.nll, metrics.rmse, metrics.crps, covered, calibration.c_model, calibration.c_noise}};
  } catch (const DataError&) {
    return {.status = RunStatus::degenerate,
            .values = std::vector<double>(calibrated_names().size(), std::numeric_limits<double>::quiet_NaN())};
  }
}

/// The rows and seeds of the runs of a piece, for either protocol.
struct PieceRows {
  std::vector<DataSet> train, validation, test;
  std::vector<std::uint64_t> seeds;

  PieceRows(const Piece& piece, std::span<const RunData* const> data) {
    for (std::size_t m = 0; m < data.size(); ++m) {
      train.push_back(data[m]->train);
      validation.push_back(data[m]->validation);
      test.push_back(data[m]->test);
      seeds.push_back(piece.runs[m].fit_seed());
    }
  }

  /// The rows of the second fit.
  [[nodiscard]] std::vector<DataSet> second_fit_rows(bool published) const {
    std::vector<DataSet> rows;
    for (std::size_t m = 0; m < train.size(); ++m) {
      rows.push_back(published ? joined(validation[m], train[m], train[m].rows())
                               : joined(train[m], validation[m], train[m].rows() + validation[m].rows()));
    }
    return rows;
  }
};

}  // namespace

const std::vector<std::string>& calibrated_names() {
  static const std::vector<std::string> names{"nll", "rmse", "crps", "coverage", "c_model", "c_noise"};
  return names;
}

std::vector<Measured> fit_calibrated(const Piece& piece, std::span<const RunData* const> data, Engine& engine,
                                     const Progress& progress) {
  const bool published = piece.method.protocol == "published";
  if (!published && !piece.method.protocol.empty() && piece.method.protocol != "refit") {
    throw ConfigError("paper/uci", fmt::format("protocol must be refit or published, got '{}'", piece.method.protocol));
  }
  const PieceRows parts(piece, data);
  const FitSpec spec{
      .method = piece.spec, .scale_inputs = ScaleChoice::standardise, .scale_target = ScaleChoice::standardise};
  const Members first = fit_members(spec, parts.train, parts.seeds, engine, progress);
  const std::vector<ReadoutFit> readouts =
      published ? PublishedReadout::choose(first, parts.validation) : std::vector<ReadoutFit>{};
  std::vector<Calibration> factors = published ? std::vector<Calibration>{} : factors_of(first, parts.validation);
  for (const ReadoutFit& fit : readouts) factors.push_back(fit.calibration);

  const Members second = fit_members(spec, parts.second_fit_rows(published), parts.seeds, engine, progress);
  std::vector<PredictedRows> predicted = predict_each(*second.fitted, second.scalings, inputs_of(parts.test));
  if (published) PublishedReadout::apply(readouts, second, parts.test, predicted);
  std::vector<Measured> all;
  for (std::size_t m = 0; m < data.size(); ++m) {
    all.push_back(score(factors[m], predicted[m], parts.test[m]));
    if (first.fitted->reports()[m].diverged || second.fitted->reports()[m].diverged) {
      all.back().status = RunStatus::diverged;
    }
  }
  return all;
}

}  // namespace nomu
