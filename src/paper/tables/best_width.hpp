#pragma once
// The paper's table of ranks in optimisation: of every method the width (MW) with the smaller average regret.

#include <string>
#include <vector>

#include "paper/tables/tables.hpp"

namespace nomu {

/// Adds the lines of this table for all `problems`, among them the one for all of them together, from the report's
/// cells of the metric; `methods` are the experiment's. A method named "NOMU MW 0.05" in the paper belongs to "NOMU".
void add_best_width(ExperimentReport& report, const std::vector<ExperimentMethod>& methods,
                    const std::vector<std::string>& problems, const std::string& metric_title,
                    const std::vector<ExpectedCell>& expected);

}  // namespace nomu
