#pragma once
// The search of method "auto": finds the most promising point under a Gaussian process fitted to the results, taking
// pending points into account. A pure function of settings, space and history; what it remembers only saves time.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "bo/search/auto_design.hpp"
#include "bo/space/history.hpp"
#include "bo/surrogate/cost_model.hpp"
#include "bo/surrogate/knowledge_gain.hpp"
#include "bo/surrogate/learned.hpp"
#include "bo/surrogate/pool.hpp"
#include "bo/surrogate/promise.hpp"
#include "bo/surrogate/seek.hpp"
#include "nomu/bo/earlier.hpp"
#include "nomu/bo/insight.hpp"

namespace nomu {

class AutoSearch {
 public:
  /// All must outlive it. `initial`: number of trials before the first model.
  AutoSearch(const Space& space, const OptimizeSpec& spec, const EarlierResults& earlier, std::size_t initial)
      : space_(space),
        spec_(spec),
        earlier_(earlier),
        design_(AutoDesign::of(spec.rules, space.size())),
        initial_(initial) {}

  /// Empty if the results cannot be modelled, or nothing is left to propose.
  [[nodiscard]] std::optional<Point> next(const History& history, const std::function<bool(const Point&)>& taken);

  /// By how much the promise of a point falls short of that of the proposed one; a logarithm.
  [[nodiscard]] double shortfall(const History& history, const Point& point);

  /// Whether this point is sought in all of the space, and not around the best result.
  [[nodiscard]] bool looks_everywhere(const History& history) const {
    return history.trials % (history.costs.empty() ? design_.everywhere : design_.thrifty) == 0;
  }
  /// Whether points are chosen by what they decide, because results are noisy.
  [[nodiscard]] bool gains_knowledge() const { return spec_.noisy && design_.gains_knowledge; }

  /// How results are explained. The best of noisy results is luck, and a scale that is finest there would magnify it.
  [[nodiscard]] LearnSpec learn_spec() const {
    return {.noisy = spec_.noisy,
            .simpler = design_.simpler,
            .wide = design_.wide && !spec_.noisy,
            .stretch = design_.stretch};
  }

  /// The point with the largest value of an acquisition, whose arguments are in units of the results.
  [[nodiscard]] std::optional<Point> next_by(const History& history, const CustomAcquisition& acquisition,
                                             const std::function<bool(const Point&)>& taken);
  /// Improvement that the next point is expected to bring, in units of the results; 0 if they cannot be modelled.
  [[nodiscard]] double expected_gain(const History& history);

  /// What the results teach; null if they cannot be modelled.
  [[nodiscard]] std::shared_ptr<const Learned> learned(const History& history);

 private:
  /// Everything that depends on the history.
  struct State {
    std::shared_ptr<const Learned> learned;
    std::optional<SuccessWorth> success;
    std::shared_ptr<const CostModel> cost;
    std::optional<Process> process;  // of `learned`, believing what is pending
    std::vector<Point> pending;      // believed so far
    std::vector<Point> near;         // the best results
    std::vector<Point> known;        // the rows of the process
    std::optional<Fantasies> fantasies;
    std::optional<Pool> pool;  // for large batches
    std::vector<Point> pool_points;
    double least_success = 0.0;  // estimated share of successes where a point is sought
    double side = 1.0;           // of the cube around the best result
    double best = 0.0;           // on the scale of the process
    std::int64_t finished = -1;
    std::vector<Point> points;
    std::vector<double> values;
    std::vector<Point> failed;
    std::vector<double> costs;
  };
  [[nodiscard]] bool prepare(const History& history);
  void learn_from(const History& history);
  [[nodiscard]] const EarlierRows* earlier_rows();
  void believe(const std::vector<Point>& pending);
  [[nodiscard]] bool allowed(std::span<const double> inputs) const {
    return allowed(inputs, pending_distance()) && !barred(inputs);
  }
  /// Whether success is too unlikely there, see `least_success`.
  [[nodiscard]] bool barred(std::span<const double> inputs) const;
  /// `apart`: least distance from pending points.
  [[nodiscard]] bool allowed(std::span<const double> inputs, double apart) const;
  [[nodiscard]] double pending_distance() const;
  [[nodiscard]] Promise promise_now();
  [[nodiscard]] const SuccessWorth* success() const { return state_.success ? &*state_.success : nullptr; }
  /// The logarithm of the worth of success, less that of the cost.
  [[nodiscard]] double log_weight(std::span<const double> inputs) const;
  using Valued = std::function<double(const Point& point)>;
  /// The point with the largest value: of points everywhere and of `also`, then around the best so far.
  [[nodiscard]] std::optional<Point> best_by(const Valued& value, const std::vector<Point>& also, const SeekSpec& spec,
                                             std::int64_t number, const std::function<bool(const Point&)>& taken) const;
  [[nodiscard]] std::optional<Point> most_promising(const History& history,
                                                    const std::function<bool(const Point&)>& taken);
  [[nodiscard]] std::optional<Point> most_telling(const History& history,
                                                  const std::function<bool(const Point&)>& taken) const;
  [[nodiscard]] std::uint64_t seed_of(std::uint64_t purpose, std::int64_t number) const;
  [[nodiscard]] double promise_amid_failures(const History& history, std::span<const double> inputs) const;
  [[nodiscard]] std::optional<Point> amid_failures(const History& history,
                                                   const std::function<bool(const Point&)>& taken) const;
  [[nodiscard]] std::optional<Point> from_pool(const std::function<bool(const Point&)>& taken);

  const Space& space_;
  const OptimizeSpec& spec_;
  const EarlierResults& earlier_;
  std::optional<EarlierRows> earlier_rows_;  // made when they are needed first
  AutoDesign design_;
  std::size_t initial_;
  State state_;
};

}  // namespace nomu
