#pragma once
// What the results of a study teach: a process of the function on the scale that explains them best.

#include <memory>
#include <vector>

#include "bo/surrogate/process_fit.hpp"
#include "bo/surrogate/target_warp.hpp"
#include "nomu/bo/space.hpp"

namespace nomu {

struct Learned {
  TargetWarp warp;
  Process process;
};

/// Inputs of points as a process reads them, and which variable each column belongs to.
[[nodiscard]] ProcessRows process_rows(const Space& space, const std::vector<Point>& points);

/// Results of an earlier study of a similar problem, and what they teach.
struct EarlierRows {
  std::vector<Point> points;
  std::vector<double> values;  ///< larger is better
  std::shared_ptr<const Learned> learned;
};

/// Explanations of results that `learn` weighs.
struct LearnSpec {
  bool noisy = false;
  bool simpler = false;  ///< also a bowl, a fall towards the ends of all ranges alike, and one length for all variables
  bool wide = false;     ///< also scales for results that span many orders of magnitude
  bool stretch = false;  ///< also ranges of numbers of which one end has more room than the other
};

/// `values`: larger is better; at least two. Null if they cannot be modelled (they are all equal, for example).
/// `earlier`, unless null, adds rows that lie at some distance from all others; how large it is, which is to say how
/// similar the problems are, is learned as well. Their values are shifted to agree with the new ones on average.
[[nodiscard]] std::shared_ptr<const Learned> learn(const Space& space, const std::vector<Point>& points,
                                                   const std::vector<double>& values, const LearnSpec& spec,
                                                   const EarlierRows* earlier = nullptr);

/// A process of successes (1) and failures (-1); null if there are none of either.
[[nodiscard]] std::shared_ptr<const Process> learn_success(const Space& space, const std::vector<Point>& finished,
                                                           const std::vector<Point>& failed);

}  // namespace nomu
