#pragma once
// From what a study knows to its next points: a pure function of settings, space and history, so that a log of
// questions and answers says whether every suggestion was the right one.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nomu/bo/proposal.hpp"
#include "nomu/bo/study.hpp"

namespace nomu {

/// What a suggestion depends on.
struct History {
  std::int64_t trials = 0;          ///< asked for so far
  std::int64_t finished = 0;        ///< with a result
  std::vector<Point> points = {};   ///< the rows to fit, in the order of their results
  std::vector<double> values = {};  ///< theirs
  std::vector<Point> failed = {};   ///< the latest ones
  std::vector<Point> pending = {};
  double c = 0.0;  ///< fixed after the first fit; 0: not yet
};

struct Suggestion {
  Point point;
  std::string origin;
  double c = 0.0;  ///< what later steps keep, before Dynamic c; 0: no model was asked
};

/// Places of the results a model is fitted to, rising: all of them up to `most`. Beyond that half of `most` are the
/// best ones, a quarter the latest ones, and the rest is spread evenly over all.
[[nodiscard]] std::vector<std::size_t> fit_subset(const std::vector<double>& values, Direction direction,
                                                  std::size_t most);

inline constexpr std::int64_t most_failed = 200;   ///< latest failures that count
inline constexpr std::int64_t most_pending = 500;  ///< latest pending trials that count

class Suggester {
 public:
  Suggester(Space space, OptimizeSpec spec, std::shared_ptr<Engine> engine);

  [[nodiscard]] const Space& space() const { return space_; }
  [[nodiscard]] const OptimizeSpec& spec() const { return spec_; }
  [[nodiscard]] std::size_t initial() const;
  /// "cpu onednn avx512": what decides the bits of a model.
  [[nodiscard]] std::string engine_name();

  /// Up to `count` points; fewer when the space is used up. `taken` says whether a point is part of the study already.
  [[nodiscard]] std::vector<Suggestion> suggest(History history, std::size_t count,
                                                const std::function<bool(const Point&)>& taken,
                                                const Progress& progress);

  /// How much better than `point` the point is that is suggested here, by the acquisition of the model; where that is a
  /// bound, in targets scaled to [-1,1]. Infinite where no model would be asked.
  [[nodiscard]] double shortfall(const History& history, const Point& point, const Progress& progress);

  struct Fit {
    std::int64_t finished = 0;
    std::vector<Point> points;
    std::vector<double> values;
    double low = 0.0, high = 0.0;  // results scaled to -1 and 1
    std::vector<double> inputs;    // [n][inputs]
    std::vector<double> targets;   // [n], scaled
    std::shared_ptr<FittedCohort> model;
  };
  /// Null where the rows are too few or the fit diverged.
  [[nodiscard]] std::shared_ptr<const Fit> fit(const History& history, const Progress& progress);

 private:
  [[nodiscard]] std::shared_ptr<const Fit> base_of(const History& history, const Progress& progress);
  [[nodiscard]] std::shared_ptr<const Fit> fit_to(const History& history, const std::shared_ptr<const Fit>& base,
                                                  const Progress& progress);
  [[nodiscard]] Engine& engine();
  [[nodiscard]] Suggestion next(const History& history, const std::function<bool(const Point&)>& taken,
                                const Progress& progress);
  [[nodiscard]] RunKnowledge knowledge(const History& history, const Fit& fit, const Progress& progress);
  [[nodiscard]] Proposal proposal(const RunKnowledge& run, const Fit& fit, const Progress& progress) const;
  [[nodiscard]] std::shared_ptr<const FittedCohort> success(const Fit& fit, const std::vector<double>& failed,
                                                            const Progress& progress);
  [[nodiscard]] double best_of(const FittedCohort& model, const std::vector<double>& inputs) const;
  [[nodiscard]] Point unused(std::int64_t number, const std::function<bool(const Point&)>& taken) const;
  [[nodiscard]] double scaled_c(const Fit& fit) const;
  [[nodiscard]] std::vector<double> inputs_of(const std::vector<Point>& points) const;

  Space space_;
  OptimizeSpec spec_;
  std::shared_ptr<Engine> engine_;
  std::vector<Point> design_;
  std::shared_ptr<const Fit> last_;
  std::shared_ptr<const Fit> base_;  // the last one that others go on from
  std::shared_ptr<const FittedCohort> success_;
  std::vector<double> success_finished_, success_failed_;  // what it was fitted to
};

}  // namespace nomu
