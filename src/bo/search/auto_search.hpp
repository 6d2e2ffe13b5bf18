#pragma once
// The search of method "auto": the most promising point by a process of the results, with the points that are on their
// way taken into account. A pure function of settings, space and history; what it remembers only saves time.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "bo/space/history.hpp"
#include "bo/surrogate/learned.hpp"
#include "bo/surrogate/promise.hpp"

namespace nomu {

class AutoSearch {
 public:
  AutoSearch(const Space& space, const OptimizeSpec& spec) : space_(space), spec_(spec) {}

  /// Empty if the results cannot be modelled, or nothing is left to propose.
  [[nodiscard]] std::optional<Point> next(const History& history, const std::function<bool(const Point&)>& taken);

  /// By how much the promise of a point falls short of that of the proposed one.
  [[nodiscard]] double shortfall(const History& history, const Point& point);

 private:
  /// Everything that depends on the history.
  struct State {
    std::shared_ptr<const Learned> learned;
    std::shared_ptr<const Process> success;
    std::optional<Process> process;  // of `learned`, believing what is pending
    std::vector<Point> pending;      // believed so far
    std::vector<Point> near;         // the best results
    double best = 0.0;               // on the scale of the process
    std::int64_t finished = 0;
    std::vector<Point> points;
    std::vector<double> values;
    std::vector<Point> failed;
  };
  [[nodiscard]] bool prepare(const History& history);
  void learn_from(const History& history);
  void believe(const std::vector<Point>& pending);
  [[nodiscard]] bool allowed(const Point& point, std::span<const double> inputs) const;

  const Space& space_;
  const OptimizeSpec& spec_;
  State state_;
};

}  // namespace nomu
