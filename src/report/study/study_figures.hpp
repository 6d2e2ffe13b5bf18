#pragma once
/// The plots of a report about a study.

#include <optional>
#include <vector>

#include "nomu/bo/study.hpp"
#include "nomu/report/report.hpp"

namespace nomu {

/// Values of all trials and the best so far, or the regret if the optimum is known. With the trials of `others`, the
/// mean of all studies and its 95 % interval.
[[nodiscard]] NamedPlot progress_figure(const std::vector<Trial>& trials, const std::vector<std::vector<Trial>>& others,
                                        Direction direction, const std::optional<double>& optimum);

/// Every trial as a line down the variables to its result, with the best tenth highlighted and failures dashed;
/// variables that a trial does not have are crossed at a place of their own.
[[nodiscard]] NamedPlot parallel_figure(const Space& space, const std::vector<Trial>& trials, Direction direction);

/// The model along each variable that is active in `centre`, through that point, the variables with the largest effect
/// first, and a map over the first two of them that are numbers.
[[nodiscard]] std::vector<NamedPlot> model_figures(const Space& space, const Study::Fitted& fitted, const Point& centre,
                                                   const std::vector<Trial>& trials);

}  // namespace nomu
