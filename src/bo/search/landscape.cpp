#include "bo/search/landscape.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "bo/search/success_model.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double same_point = 1e-9;  // points whose inputs are closer than this are the same

/// The slope of the acquisition by c sigma relative to its slope by the mean; enough to determine a direction.
double sigma_share(AcquisitionKind kind, double mean, double sigma, double c, double best) {
  switch (kind) {
    case AcquisitionKind::upper_bound: return 1.0;
    case AcquisitionKind::mean: return 0.0;
    case AcquisitionKind::sigma: return infinity;
    case AcquisitionKind::expected_improvement:
    case AcquisitionKind::log_expected_improvement: break;
  }
  // phi / Phi, by the derivative of log(phi + z Phi): d/dz log h = Phi / h and h = phi + z Phi.
  const double z = std::max((mean - best) / std::max(c * sigma, 1e-12), -1e6);
  if (z < -20.0) return -z;
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
  return density / (0.5 * std::erfc(-z / std::numbers::sqrt2));
}

}  // namespace

/// The points of all searches, rounded, and the inputs of the models.
struct Landscape::Batch {
  std::vector<std::size_t> first;  // [S], index of the first point of each search
  std::vector<std::size_t> row;    // [S], row of that point in `x`
  std::vector<double> inputs;      // [q][inputs]
  std::vector<char> allowed;       // [q]
  Tensor<float> x;                 // [M][most][inputs]
};

Landscape::Landscape(const FittedCohort& models, const Space& space, std::span<const RunKnowledge> runs,
                     AcquisitionKind kind, const ForEach& each, std::stop_token stop)
    : models_(models), space_(space), runs_(runs), kind_(kind), each_(each), stop_(std::move(stop)) {}

bool Landscape::known(const RunKnowledge& run, std::span<const double> inputs) const {
  if (run.repeats || !run.exclude_known) return false;
  return nearest_distance(inputs, run.finished) < same_point || nearest_distance(inputs, run.pending) < same_point ||
         nearest_distance(inputs, run.failed) < same_point;
}

Landscape::Batch Landscape::gather(std::span<const double> units, std::span<const std::size_t> counts,
                                   std::span<const SearchTask> tasks) const {
  Batch batch;
  std::vector<std::size_t> rows(runs_.size(), 0);
  std::size_t all = 0;
  for (std::size_t s = 0; s < tasks.size(); ++s) {
    batch.first.push_back(all);
    batch.row.push_back(rows[tasks[s].run]);
    rows[tasks[s].run] += counts[s];
    all += counts[s];
  }
  const std::size_t width = space_.inputs();
  batch.inputs.resize(all * width);
  batch.allowed.resize(all);
  batch.x = Tensor<float>(runs_.size(), *std::max_element(rows.begin(), rows.end()), width);
  each_(tasks.size(), [&](std::size_t s) {
    const std::size_t run = tasks[s].run;
    for (std::size_t k = 0; k < counts[s]; ++k) {
      const std::size_t i = batch.first[s] + k;
      const Point point = space_.from_unit(units.subspan(i * space_.size(), space_.size()));
      const std::vector<double> inputs = space_.to_inputs(point);
      std::copy(inputs.begin(), inputs.end(), batch.inputs.begin() + static_cast<std::ptrdiff_t>(i * width));
      batch.allowed[i] = space_.feasible(point) && !known(runs_[run], inputs) ? 1 : 0;
      for (std::size_t j = 0; j < width; ++j) batch.x(run, batch.row[s] + k, j) = static_cast<float>(inputs[j]);
    }
  });
  return batch;
}

std::vector<double> Landscape::success_probabilities(const Batch& batch, std::span<const std::size_t> counts,
                                                     std::span<const SearchTask> tasks) const {
  std::vector<double> probabilities(batch.allowed.size(), 1.0);
  for (std::size_t s = 0; s < tasks.size(); ++s) {
    const FittedCohort* model = runs_[tasks[s].run].success.get();
    if (model == nullptr || counts[s] == 0) continue;
    Tensor<float> x(1, counts[s], space_.inputs());
    for (std::size_t k = 0; k < counts[s]; ++k)
      std::ranges::copy(batch.x.row(tasks[s].run, batch.row[s] + k), x.row(0, k).begin());
    const Prediction prediction = model->predict(x);
    for (std::size_t k = 0; k < counts[s]; ++k) {
      probabilities[batch.first[s] + k] = success_probability(static_cast<double>(prediction.mean(0, k, 0)),
                                                              static_cast<double>(prediction.sigma_model(0, k, 0)));
    }
  }
  return probabilities;
}

std::vector<double> Landscape::values(std::span<const double> units, std::span<const std::size_t> counts,
                                      std::span<const SearchTask> tasks) const {
  if (stop_.stop_requested()) throw Cancelled("bo/proposal", "stopped on request");
  const Batch batch = gather(units, counts, tasks);
  const Prediction prediction = models_.predict(batch.x);
  const std::vector<double> probabilities = success_probabilities(batch, counts, tasks);
  std::vector<double> values(batch.allowed.size(), -infinity);
  each_(tasks.size(), [&](std::size_t s) {
    const std::size_t m = tasks[s].run;
    for (std::size_t k = 0; k < counts[s]; ++k) {
      const std::size_t i = batch.first[s] + k;
      if (batch.allowed[i] == 0) continue;
      const auto mean = static_cast<double>(prediction.mean(m, batch.row[s] + k, 0));
      const auto sigma = static_cast<double>(prediction.sigma_model(m, batch.row[s] + k, 0));
      const std::span<const double> inputs =
          std::span<const double>(batch.inputs).subspan(i * space_.inputs(), space_.inputs());
      const double value = weighted_acquisition(kind_, runs_[m], tasks[s].c, inputs, mean, sigma, probabilities[i]);
      if (std::isfinite(value)) values[i] = value;
    }
  });
  return values;
}

std::vector<double> Landscape::slopes(std::span<const double> units, std::span<const std::size_t> counts,
                                      std::span<const SearchTask> tasks) const {
  const Batch batch = gather(units, counts, tasks);
  const std::optional<PredictionSlopes> by_input = models_.slopes(batch.x);
  if (!by_input) return {};
  const Prediction prediction = models_.predict(batch.x);
  std::vector<double> slopes(units.size(), 0.0);
  for (std::size_t s = 0; s < tasks.size(); ++s) {
    const std::size_t m = tasks[s].run;
    const double c = tasks[s].c;
    for (std::size_t k = 0; k < counts[s]; ++k) {
      const std::size_t row = batch.row[s] + k;
      const double share = sigma_share(kind_, static_cast<double>(prediction.mean(m, row, 0)),
                                       static_cast<double>(prediction.sigma_model(m, row, 0)), c, runs_[m].best);
      std::size_t column = 0;
      for (std::size_t v = 0; v < space_.size(); ++v) {
        const Variable& variable = space_.variables()[v];
        if (variable.kind == Variable::Kind::real) {
          const auto of_mean = static_cast<double>(by_input->mean(m, row, column));
          const auto of_sigma = static_cast<double>(by_input->sigma_model(m, row, column));
          slopes[(batch.first[s] + k) * space_.size() + v] =
              std::isfinite(share) ? 2.0 * (of_mean + share * c * of_sigma) : of_sigma;
        }
        column += variable.kind == Variable::Kind::categorical ? variable.choices.size() : 1;
      }
    }
  }
  return slopes;
}

bool Landscape::too_close(std::size_t run, std::span<const double> point, const DynamicC& dynamic) const {
  if (point.empty() || runs_[run].repeats) return false;
  const std::vector<double> inputs = space_.to_inputs(point);
  return dynamic.too_close(inputs, runs_[run].finished, runs_[run].delta) ||
         dynamic.too_close(inputs, runs_[run].pending, runs_[run].delta);
}

}  // namespace nomu
