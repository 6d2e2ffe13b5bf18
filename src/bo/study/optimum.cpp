// Minimising and maximising a function with one call.

#include <fmt/format.h>

#include <cmath>

#include "nomu/bo/study.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

Optimum search(const std::function<double(const Point&)>& f, const Space& space, OptimizeOptions options,
               Direction direction) {
  options.study.direction = direction;
  options.study.budget = options.evaluations;
  Study study(space, options.study, options.engine);
  while (true) {
    const std::vector<Trial> asked = study.ask(1);
    if (asked.empty()) break;
    const Trial& trial = asked.front();
    try {
      const double value = f(trial.point);
      if (std::isfinite(value)) {
        study.tell(trial, value);
      } else {
        study.fail(trial.id, fmt::format("the value is {}", value));
      }
    } catch (const Cancelled&) {
      throw;
    } catch (const std::exception& error) {
      study.fail(trial.id, error.what());
    }
  }
  const std::optional<Trial> best = study.best();
  if (!best) throw Error("bo/study", fmt::format("all of {} evaluations failed", study.status().failed));
  return {.point = best->point, .value = *best->value, .trials = study.trials()};
}

}  // namespace

Optimum maximize(const std::function<double(const Point&)>& f, const Space& space, const OptimizeOptions& options) {
  return search(f, space, options, Direction::maximize);
}

Optimum minimize(const std::function<double(const Point&)>& f, const Space& space, const OptimizeOptions& options) {
  return search(f, space, options, Direction::minimize);
}

}  // namespace nomu
