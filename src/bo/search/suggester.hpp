#pragma once
// Suggests the next points of a study. A suggestion is a pure function of settings, space and history, so that it can
// be recomputed from the log.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bo/search/auto_search.hpp"
#include "bo/space/history.hpp"
#include "nomu/bo/earlier.hpp"
#include "nomu/bo/optimize_spec.hpp"
#include "nomu/bo/proposal.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/engine/engine.hpp"

namespace nomu {

class Suggester {
 public:
  Suggester(Space space, OptimizeSpec spec, std::shared_ptr<Engine> engine, EarlierResults earlier = {});
  Suggester(const Suggester&) = delete;
  Suggester& operator=(const Suggester&) = delete;
  Suggester(Suggester&&) = delete;
  Suggester& operator=(Suggester&&) = delete;
  ~Suggester() = default;

  [[nodiscard]] const Space& space() const { return space_; }
  [[nodiscard]] const OptimizeSpec& spec() const { return spec_; }
  [[nodiscard]] std::size_t initial() const;
  /// How many suggestions after that many trials need no model and no results.
  [[nodiscard]] std::size_t at_once(std::int64_t trials) const;
  /// "cpu onednn avx512 fp32": everything that affects the last bits of a model.
  [[nodiscard]] std::string engine_name();

  /// Up to `count` points; fewer if the space is used up. `taken` tells whether a point is already part of the study.
  [[nodiscard]] std::vector<Suggestion> suggest(History history, std::size_t count,
                                                const std::function<bool(const Point&)>& taken,
                                                const Progress& progress);

  /// By how much the acquisition at `point` falls short of that at the suggested point; for the upper bound, in units
  /// of targets scaled to [-1,1]; for method auto, in logarithms of expected improvement. `origin` is that of the
  /// point: it says which model proposed it. Infinite if the suggestion does not come from a model.
  [[nodiscard]] double shortfall(const History& history, const Point& point, const std::string& origin,
                                 const Progress& progress);

  struct Fit {
    std::int64_t finished = 0;
    std::vector<Point> points;
    std::vector<double> values;
    double low = 0.0, high = 0.0;  // the results that are scaled to -1 and 1
    std::vector<double> inputs;    // [n][inputs]
    std::vector<double> targets;   // [n], scaled
    std::shared_ptr<FittedCohort> model;
  };
  /// Null if there are too few rows or the fit diverged. Of method auto, its networks.
  [[nodiscard]] std::shared_ptr<const Fit> fit(const History& history, const Progress& progress);
  /// The model to show: `fit`, but for method auto the process that it relies on.
  [[nodiscard]] std::shared_ptr<const Fit> shown(const History& history, const Progress& progress);
  /// See AutoSearch; whatever the method.
  [[nodiscard]] double expected_gain(const History& history) { return auto_.expected_gain(history); }
  [[nodiscard]] std::optional<Point> next_by(const History& history, const CustomAcquisition& acquisition,
                                             const std::function<bool(const Point&)>& taken) {
    return auto_.next_by(history, acquisition, taken);
  }
  /// A process of the results, whatever the method; null if they cannot be modelled.
  [[nodiscard]] std::shared_ptr<const Learned> learned(const History& history) { return auto_.learned(history); }

 private:
  [[nodiscard]] bool is_auto() const { return proposer_of(spec_) == Proposer::automatic; }
  [[nodiscard]] bool is_random() const { return proposer_of(spec_) == Proposer::random; }
  [[nodiscard]] std::shared_ptr<const Fit> base_of(const History& history, const Progress& progress);
  [[nodiscard]] std::shared_ptr<const Fit> fit_to(const History& history, const std::shared_ptr<const Fit>& base,
                                                  const Progress& progress);
  [[nodiscard]] Engine& engine();
  [[nodiscard]] std::optional<Suggestion> from_networks(const History& history,
                                                        const std::function<bool(const Point&)>& taken,
                                                        const Progress& progress);
  [[nodiscard]] bool asks_networks(const History& history) const;
  [[nodiscard]] bool trusts_networks(const History& history, const Progress& progress);
  [[nodiscard]] Suggestion next(const History& history, const std::function<bool(const Point&)>& taken,
                                const Progress& progress);
  [[nodiscard]] RunKnowledge knowledge(const History& history, const Fit& fit, const Progress& progress);
  [[nodiscard]] Proposal proposal(const RunKnowledge& run, const Fit& fit, const Progress& progress) const;
  [[nodiscard]] std::shared_ptr<const FittedCohort> success(const Fit& fit, const std::vector<double>& failed,
                                                            const Progress& progress);
  [[nodiscard]] double best_mean(const FittedCohort& model, const std::vector<double>& inputs) const;
  [[nodiscard]] Point unused(std::int64_t number, const std::function<bool(const Point&)>& taken) const;
  [[nodiscard]] double scaled_c(const Fit& fit) const;
  [[nodiscard]] std::vector<double> inputs_of(const std::vector<Point>& points) const;

  Space space_;
  OptimizeSpec spec_;
  EarlierResults earlier_;
  AutoSearch auto_;  // refers to all of these
  std::shared_ptr<Engine> engine_;
  std::vector<Point> design_;
  std::shared_ptr<const Fit> last_;
  std::optional<std::int64_t> compared_;  // number of results with which networks were compared last
  double compared_with_ = 0.0;            // the first of these results
  bool networks_won_ = false;
  std::shared_ptr<const Fit> base_;  // the last model that others continue
  std::shared_ptr<const FittedCohort> success_;
  std::vector<double> success_finished_, success_failed_;  // what `success_` was fitted to
};

}  // namespace nomu
