#include "models/gp/gp_evidence.hpp"

#include <fmt/format.h>
#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <span>
#include <utility>

#include "core/team.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct LogRange {
  double start, low, high;
};

std::vector<LogRange> ranges_of(const GpSpec& spec, std::size_t lengths) {
  const auto logs = [](const SearchRange& r) { return LogRange{std::log(r.start), std::log(r.low), std::log(r.high)}; };
  std::vector<LogRange> ranges{logs(spec.variance)};
  ranges.insert(ranges.end(), lengths, logs(spec.length));
  if (spec.learn_noise) ranges.push_back(logs(spec.noise));
  return ranges;
}

/// One run of the search; records the best point itself, since a line search may fail or end at a worse one.
struct Ascent {
  GpEvidence& evidence;
  nlopt_opt search;
  const std::stop_token& stop;
  bool unit_step;  ///< scales the evidence so that the first step, which is the gradient, has length 1 at most
  std::vector<double> best_point;
  double best = -infinity;
  double factor = 1.0;
  std::int64_t evaluations = 0;

  static double negative(unsigned count, const double* point, double* gradient, void* self) {
    auto& ascent = *static_cast<Ascent*>(self);
    if (ascent.stop.stop_requested()) nlopt_force_stop(ascent.search);
    const std::span<const double> at(point, count);
    const std::span<double> slope(gradient, gradient == nullptr ? 0 : count);
    const double value = ascent.evidence(at, slope);
    if (ascent.unit_step && ascent.evaluations == 0) {
      double squares = 0.0;
      for (const double s : slope) squares += s * s;
      ascent.factor = 1.0 / std::max(1.0, std::sqrt(squares));
    }
    for (double& s : slope) s *= -ascent.factor;
    ++ascent.evaluations;
    if (value > ascent.best) {
      ascent.best = value;
      ascent.best_point.assign(at.begin(), at.end());
    }
    return std::isfinite(value) ? -value * ascent.factor : 1e30;
  }
};

struct Destroy {
  void operator()(nlopt_opt search) const { nlopt_destroy(search); }
};
using Search = std::unique_ptr<nlopt_opt_s, Destroy>;

Search make_search(const GpSpec& spec, const std::vector<LogRange>& ranges) {
  Search search(nlopt_create(NLOPT_LD_LBFGS, static_cast<unsigned>(ranges.size())));
  if (!search) throw Error("models/gaussian_process", "could not set up the search for the kernel settings");
  std::vector<double> low;
  std::vector<double> high;
  for (const LogRange& range : ranges) {
    low.push_back(range.low);
    high.push_back(range.high);
  }
  nlopt_set_lower_bounds(search.get(), low.data());
  nlopt_set_upper_bounds(search.get(), high.data());
  nlopt_set_ftol_rel(search.get(), spec.tolerance);
  nlopt_set_ftol_abs(search.get(), spec.tolerance);
  nlopt_set_maxeval(search.get(), static_cast<int>(spec.most_steps));
  return search;
}

/// The first step of the published runs: the full gradient, clipped to the bounds, then roughly halved until the
/// evidence rises. Returns the number of evaluations.
std::int64_t leap(GpEvidence& evidence, const std::vector<LogRange>& ranges, std::vector<double>& point) {
  std::vector<double> direction(point.size());
  const double here = evidence(point, direction);
  double slope = 0.0;
  for (std::size_t k = 0; k < point.size(); ++k) {
    const double gradient = direction[k];
    direction[k] = std::clamp(point[k] + gradient, ranges[k].low, ranges[k].high) - point[k];
    slope += gradient * direction[k];
  }
  std::vector<double> trial(point);
  double share = 1.0;
  for (std::int64_t evaluations = 2; evaluations < 22; ++evaluations) {
    for (std::size_t k = 0; k < point.size(); ++k) trial[k] = point[k] + share * direction[k];
    const double there = evidence(trial, {});
    if (there >= here + 1e-3 * share * slope) {
      point = trial;
      return evaluations;
    }
    const double parabola = slope * share * share / (2.0 * (here + slope * share - there));
    share = std::clamp(std::isfinite(parabola) ? parabola : 0.0, 0.1 * share, 0.5 * share);
  }
  return 21;
}

}  // namespace

GpEvidence::GpEvidence(const GpData& data, std::size_t lengths, bool learn_noise)
    : data_(data),
      lengths_(lengths),
      learn_noise_(learn_noise),
      kernel_{.lengths = Vector(static_cast<Eigen::Index>(lengths))},
      shape_(Matrix::Zero(data.rows(), data.rows())),
      matrix_(shape_),
      factor_(shape_),
      inverse_(shape_),
      weights_(data.rows()) {}

GpKernel GpEvidence::kernel(std::span<const double> log_settings) const {
  GpKernel kernel{.variance = std::exp(log_settings[0]), .lengths = Vector(static_cast<Eigen::Index>(lengths_))};
  for (std::size_t k = 0; k < lengths_; ++k)
    kernel.lengths[static_cast<Eigen::Index>(k)] = std::exp(log_settings[1 + k]);
  if (learn_noise_) kernel.noise = std::exp(log_settings[1 + lengths_]);
  return kernel;
}

double GpEvidence::operator()(std::span<const double> log_settings, std::span<double> gradient) {
  kernel_.variance = std::exp(log_settings[0]);
  for (std::size_t k = 0; k < lengths_; ++k)
    kernel_.lengths[static_cast<Eigen::Index>(k)] = std::exp(log_settings[1 + k]);
  kernel_.noise = learn_noise_ ? std::exp(log_settings[1 + lengths_]) : 0.0;
  kernel_shape(data_, kernel_.lengths, shape_);
  matrix_.triangularView<Eigen::Lower>() = kernel_.variance * shape_;
  matrix_.diagonal() += data_.fixed + kernel_.noise * data_.row_share;
  if (!factorise(matrix_, kernel_.variance, factor_)) {
    std::ranges::fill(gradient, 0.0);
    return -infinity;
  }
  const auto lower = std::as_const(factor_).triangularView<Eigen::Lower>();
  weights_ = data_.y;
  lower.solveInPlace(weights_);
  const double misfit = weights_.squaredNorm();
  const double log_root = factor_.diagonal().array().log().sum();
  if (!gradient.empty()) {
    lower.transpose().solveInPlace(weights_);
    slopes(kernel_, gradient);
  }
  const auto n = static_cast<double>(data_.rows());
  return -0.5 * misfit - log_root - 0.5 * n * std::log(2.0 * std::numbers::pi);
}

/// d log p / d theta = tr((a a' - K^-1) dK / d theta) / 2 with a = K^-1 y.
void GpEvidence::slopes(const GpKernel& kernel, std::span<double> gradient) {
  const Eigen::Index n = data_.rows();
  const Eigen::Index d = data_.x.cols();
  const auto lower = std::as_const(factor_).triangularView<Eigen::Lower>();
  inverse_.setIdentity();
  lower.solveInPlace(inverse_);
  lower.transpose().solveInPlace(inverse_);
  std::ranges::fill(gradient, 0.0);
  for (Eigen::Index j = 0; j < n; ++j) {
    const double diagonal = weights_[j] * weights_[j] - inverse_(j, j);
    gradient[0] += 0.5 * diagonal * kernel.variance;
    if (learn_noise_) gradient[1 + lengths_] += 0.5 * diagonal * kernel.noise * data_.row_share[j];
    for (Eigen::Index i = j + 1; i < n; ++i) {
      // Both triangles at once: twice one half.
      const double pull = (weights_[i] * weights_[j] - inverse_(i, j)) * kernel.variance * shape_(i, j);
      gradient[0] += pull;
      for (Eigen::Index k = 0; k < d; ++k) {
        const Eigen::Index own = lengths_ == 1 ? 0 : k;
        const double step = (data_.x(i, k) - data_.x(j, k)) / kernel.lengths[own];
        gradient[1 + static_cast<std::size_t>(own)] += pull * step * step;
      }
    }
  }
}

namespace {

/// Where one start led.
struct Climbed {
  GpKernel kernel;
  double best = -infinity;
  std::int64_t evaluations = 0;
};

Climbed climb(const GpSpec& spec, GpEvidence& evidence, const std::vector<LogRange>& ranges, std::vector<double> point,
              const std::stop_token& stop) {
  const Search search = make_search(spec, ranges);
  const bool leaps = spec.first_step == GpSpec::FirstStep::leap;
  const std::int64_t leapt = leaps ? leap(evidence, ranges, point) : 0;
  Ascent ascent{.evidence = evidence, .search = search.get(), .stop = stop, .unit_step = !leaps, .best_point = point};
  nlopt_set_min_objective(search.get(), Ascent::negative, &ascent);
  double least = 0.0;
  nlopt_optimize(search.get(), point.data(), &least);  // whatever it returns, `ascent` has the best point seen
  if (stop.stop_requested()) throw Cancelled("models/gaussian_process", "stopped on request");
  return {.kernel = evidence.kernel(ascent.best_point), .best = ascent.best, .evaluations = leapt + ascent.evaluations};
}

}  // namespace

GpSearch maximise_evidence(const GpSpec& spec, const GpData& data, std::uint64_t seed, std::int64_t threads,
                           const std::stop_token& stop) {
  const std::size_t lengths = spec.length_per_input ? static_cast<std::size_t>(data.x.cols()) : 1;
  const std::vector<LogRange> ranges = ranges_of(spec, lengths);
  std::vector<std::vector<double>> starts(1 + static_cast<std::size_t>(spec.restarts));
  Random random(seed);
  for (const LogRange& range : ranges) starts.front().push_back(range.start);
  for (std::vector<double>& start : std::span(starts).subspan(1)) {
    for (const LogRange& range : ranges) start.push_back(random.uniform(range.low, range.high));
  }
  double first = 0.0;
  std::vector<Climbed> climbed(starts.size());
  side_by_side(starts.size(), threads, [&](std::size_t s) {
    GpEvidence evidence(data, lengths, spec.learn_noise);
    if (s == 0) first = evidence(starts[s], {});
    climbed[s] = climb(spec, evidence, ranges, std::move(starts[s]), stop);
  });
  GpSearch result{.kernel = climbed.front().kernel, .found = {}, .first = first, .best = -infinity, .evaluations = 1};
  for (Climbed& one : climbed) {
    result.evaluations += one.evaluations;
    result.found.push_back(one.best);
    if (!(one.best > result.best)) continue;
    result.best = one.best;
    result.kernel = std::move(one.kernel);
  }
  return result;
}

}  // namespace nomu
