// Minimising and maximising a function with one call.

#include <fmt/format.h>

#include <cmath>

#include "nomu/bo/study.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

/// Records the value of f, or why there is none; returns that reason.
std::string evaluate(Study& study, const Trial& trial, const std::function<double(const Point&)>& f) {
  std::string reason;
  double value = 0.0;
  try {
    value = f(trial.point);
    if (!std::isfinite(value)) reason = fmt::format("the value is {}", value);
  } catch (const Cancelled&) {
    throw;
  } catch (const std::exception& error) {
    reason = error.what();
    if (reason.empty()) reason = "an exception without a message";
  }
  if (reason.empty()) {
    study.tell(trial, value);
  } else {
    study.fail(trial.id, reason);
  }
  return reason;
}

Optimum search(const std::function<double(const Point&)>& f, const Space& space, OptimizeOptions options,
               Direction direction) {
  if (options.evaluations < 1) {
    throw ConfigError("bo/study", fmt::format("evaluations must be at least 1, got {}", options.evaluations));
  }
  options.study.direction = direction;
  options.study.budget = options.evaluations;
  Study study(space, options.study, options.engine);
  return optimize(study, f, options.failures);
}

}  // namespace

Optimum optimize(Study& study, const std::function<double(const Point&)>& f, std::int64_t failures,
                 const std::function<std::vector<Trial>()>& ask) {
  if (failures < 0) throw ConfigError("bo/study", fmt::format("failures must not be negative, got {}", failures));
  std::int64_t in_a_row = 0;
  while (true) {
    const std::vector<Trial> asked = ask ? ask() : study.ask(1);
    if (asked.empty()) break;
    const std::string reason = evaluate(study, asked.front(), f);
    in_a_row = reason.empty() ? 0 : in_a_row + 1;
    if (failures > 0 && in_a_row == failures) {
      throw Error("bo/study", fmt::format("{} evaluations in a row failed, the last one with {}; failures=0 goes on "
                                          "whatever fails",
                                          in_a_row, reason));
    }
  }
  const std::optional<Trial> best = study.best();
  std::vector<Trial> trials = study.trials();
  if (!best) {
    throw Error("bo/study", fmt::format("all of {} evaluations failed, the last one with {}", trials.size(),
                                        trials.empty() ? "" : trials.back().reason));
  }
  return {.point = best->point, .value = *best->value, .trials = std::move(trials)};
}

Optimum maximize(const std::function<double(const Point&)>& f, const Space& space, const OptimizeOptions& options) {
  return search(f, space, options, Direction::maximize);
}

Optimum minimize(const std::function<double(const Point&)>& f, const Space& space, const OptimizeOptions& options) {
  return search(f, space, options, Direction::minimize);
}

}  // namespace nomu
