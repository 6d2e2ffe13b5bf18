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

enum class Protocol { refit, published, uncalibrated };

Protocol protocol_of(const std::string& name) {
  if (name.empty() || name == "refit") return Protocol::refit;
  if (name == "published") return Protocol::published;
  if (name == "uncalibrated") return Protocol::uncalibrated;
  throw ConfigError("paper/uci", fmt::format("protocol must be refit, published or uncalibrated, got '{}'", name));
}

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

  static void apply(const std::vector<Readout>& readouts, const Members& members, Rows test,
                    std::vector<PredictedRows>& predicted) {
    const Tensor<float> raw = raw_sigma(members, inputs_of(test));
    for (std::size_t m = 0; m < test.size(); ++m) {
      std::vector<double> sigma = front(raw, m, test[m].rows());
      for (double& value : sigma) value = readouts[m](value);
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

/// One factor for each part of the deviation; none, so that the run is not scored, if there is none (a sigma of 0).
Calibration factors_of(const PredictedRows& predicted, const std::vector<double>& targets) {
  try {
    return predicted.sigma_noise.empty() ? calibrate_nll(predicted, targets) : calibrate_separate(predicted, targets);
  } catch (const DataError&) {
    return {};
  }
}

/// What a fit makes of the rows of one run.
struct Score {
  RunStatus status = RunStatus::ok;
  MetricsReport metrics;
  double covered = std::numeric_limits<double>::quiet_NaN();
};

Score score(const Calibration& calibration, const PredictedRows& predicted, const DataSet& rows) {
  try {
    if (calibration.kind == CalibrationKind::none) throw DataError("paper/uci", "the run has no factors on sigma");
    return {.status = RunStatus::ok,
            .metrics = measure(predicted.mean, central_sigma(calibration, predicted), rows.targets),
            .covered = coverage(make_bounds(predicted, calibration, level), rows.targets)};
  } catch (const DataError&) {
    return {.status = RunStatus::degenerate, .metrics = {}};
  }
}

Measured measured(const Score& score, const Calibration& calibration) {
  if (score.status != RunStatus::ok) {
    return {.status = score.status,
            .values = std::vector<double>(calibrated_names().size(), std::numeric_limits<double>::quiet_NaN())};
  }
  return {.status = score.status,
          .values = {score.metrics.nll, score.metrics.rmse, score.metrics.crps, score.covered, calibration.c_model,
                     calibration.c_noise}};
}

/// The rows and seeds of the runs of a piece, for any protocol.
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

  /// Those of some of the runs.
  PieceRows(const PieceRows& all, std::span<const std::size_t> runs) {
    for (const std::size_t m : runs) {
      train.push_back(all.train[m]);
      validation.push_back(all.validation[m]);
      test.push_back(all.test[m]);
      seeds.push_back(all.seeds[m]);
    }
  }

  /// The rows of the last fit.
  [[nodiscard]] std::vector<DataSet> last_fit_rows(Protocol protocol) const {
    std::vector<DataSet> rows;
    for (std::size_t m = 0; m < train.size(); ++m) {
      rows.push_back(protocol == Protocol::published
                         ? joined(validation[m], train[m], train[m].rows())
                         : joined(train[m], validation[m], train[m].rows() + validation[m].rows()));
    }
    return rows;
  }
};

/// What the validation rows of one run choose.
struct Choice {
  std::size_t candidate = 0;
  Calibration factors = {.kind = CalibrationKind::nll};  ///< 1, as the uncalibrated protocol wants them
  Readout readout = {};                                  ///< of the published protocol
  double nll = std::numeric_limits<double>::infinity();  ///< on the validation rows, with these factors
  bool diverged = false;
};

/// The choices of all runs if there were only this candidate.
std::vector<Choice> judge(std::size_t candidate, Protocol protocol, const Members& members, Rows validation) {
  std::vector<PredictedRows> predicted = predict_each(*members.fitted, members.scalings, inputs_of(validation));
  std::vector<Choice> choices(validation.size());
  if (protocol == Protocol::published) {
    const std::vector<ReadoutFit> fits = PublishedReadout::choose(members, validation);
    std::vector<Readout> readouts;
    for (std::size_t m = 0; m < fits.size(); ++m) {
      readouts.push_back(choices[m].readout = fits[m].readout);
      choices[m].factors = fits[m].calibration;
    }
    PublishedReadout::apply(readouts, members, validation, predicted);
  }
  for (std::size_t m = 0; m < validation.size(); ++m) {
    Choice& choice = choices[m];
    choice.candidate = candidate;
    choice.diverged = members.fitted->reports()[m].diverged;
    if (protocol == Protocol::refit) choice.factors = factors_of(predicted[m], validation[m].targets);
    const Score result = score(choice.factors, predicted[m], validation[m]);
    if (result.status == RunStatus::ok && !choice.diverged) choice.nll = result.metrics.nll;
  }
  return choices;
}

FitSpec fit_spec(const MethodSpec& method) {
  return {.method = method, .scale_inputs = ScaleChoice::standardise, .scale_target = ScaleChoice::standardise};
}

/// The best candidate of each run; the first where none can be judged.
std::vector<Choice> choose(std::span<const MethodSpec> candidates, Protocol protocol, const PieceRows& rows,
                           Engine& engine, const Progress& progress) {
  std::vector<Choice> best(rows.train.size());
  if (protocol == Protocol::uncalibrated && candidates.size() == 1) return best;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const Members members = fit_members(fit_spec(candidates[k]), rows.train, rows.seeds, engine, progress);
    const std::vector<Choice> here = judge(k, protocol, members, rows.validation);
    for (std::size_t m = 0; m < best.size(); ++m) {
      if (k == 0 || here[m].nll < best[m].nll) best[m] = here[m];
    }
  }
  return best;
}

}  // namespace

const std::vector<std::string>& calibrated_names() {
  static const std::vector<std::string> names{"nll", "rmse", "crps", "coverage", "c_model", "c_noise"};
  return names;
}

std::vector<Measured> fit_calibrated(const Piece& piece, std::span<const RunData* const> data, Engine& engine,
                                     const Progress& progress) {
  const Protocol protocol = protocol_of(piece.method.protocol);
  const PieceRows all_rows(piece, data);
  const std::vector<MethodSpec> candidates = piece.candidates.empty() ? std::vector{piece.spec} : piece.candidates;
  const std::vector<Choice> choices = choose(candidates, protocol, all_rows, engine, progress);
  std::vector<Measured> all(data.size());
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    std::vector<std::size_t> runs;
    std::vector<Readout> readouts;
    for (std::size_t m = 0; m < choices.size(); ++m) {
      if (choices[m].candidate != k) continue;
      runs.push_back(m);
      readouts.push_back(choices[m].readout);
    }
    if (runs.empty()) continue;
    const PieceRows rows(all_rows, runs);
    const Members last =
        fit_members(fit_spec(candidates[k]), rows.last_fit_rows(protocol), rows.seeds, engine, progress);
    std::vector<PredictedRows> predicted = predict_each(*last.fitted, last.scalings, inputs_of(rows.test));
    if (protocol == Protocol::published) PublishedReadout::apply(readouts, last, rows.test, predicted);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const Choice& choice = choices[runs[i]];
      Measured& one = all[runs[i]];
      one = measured(score(choice.factors, predicted[i], rows.test[i]), choice.factors);
      if (choice.diverged || last.fitted->reports()[i].diverged) one.status = RunStatus::diverged;
    }
  }
  return all;
}

}  // namespace nomu
