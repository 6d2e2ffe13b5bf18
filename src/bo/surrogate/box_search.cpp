#include "bo/surrogate/box_search.hpp"

#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

struct Destroy {
  void operator()(nlopt_opt search) const { nlopt_destroy(search); }
};

/// Keeps the best point itself, since a line search may end at a worse one.
struct Ascent {
  const SlopedFunction& f;
  std::vector<double>& best_point;
  double best = -std::numeric_limits<double>::infinity();
  double factor = 0.0;  // scales the function so that the first step, which is the gradient, has length 1 at most

  static double negative(unsigned count, const double* point, double* gradient, void* self) {
    auto& ascent = *static_cast<Ascent*>(self);
    const std::span<const double> at(point, count);
    const std::span<double> slopes(gradient, gradient == nullptr ? 0 : count);
    const double value = ascent.f(at, slopes);
    if (std::isfinite(value) && value > ascent.best) {
      ascent.best = value;
      ascent.best_point.assign(at.begin(), at.end());
    }
    if (ascent.factor == 0.0 && !slopes.empty()) {
      double square = 0.0;
      for (const double slope : slopes) square += slope * slope;
      ascent.factor = square > 1.0 ? 1.0 / std::sqrt(square) : 1.0;
    }
    const double factor = ascent.factor == 0.0 ? 1.0 : ascent.factor;
    for (double& slope : slopes) slope = std::isfinite(slope) ? -slope * factor : 0.0;
    return std::isfinite(value) ? -value * factor : 1e30;
  }
};

}  // namespace

double ascend(const SlopedFunction& f, const BoxSearch& search, std::vector<double>& x) {
  const std::unique_ptr<nlopt_opt_s, Destroy> steps(
      nlopt_create(NLOPT_LD_LBFGS, static_cast<unsigned>(search.low.size())));
  if (!steps) throw Error("bo/search", "could not set up a search along slopes");
  nlopt_set_lower_bounds(steps.get(), search.low.data());
  nlopt_set_upper_bounds(steps.get(), search.high.data());
  nlopt_set_ftol_abs(steps.get(), search.tolerance);
  nlopt_set_maxeval(steps.get(), static_cast<int>(search.evaluations));
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = std::clamp(x[j], search.low[j], search.high[j]);
  std::vector<double> at = x;
  Ascent ascent{.f = f, .best_point = x};
  nlopt_set_min_objective(steps.get(), Ascent::negative, &ascent);
  double least = 0.0;
  nlopt_optimize(steps.get(), at.data(), &least);  // whatever it returns, `ascent` has the best point seen
  return ascent.best;
}

}  // namespace nomu
