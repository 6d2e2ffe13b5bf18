#pragma once
// How one line of a table compares with the paper's: verdicts, z, and ranks with their range.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "paper/tables/tables.hpp"

namespace nomu {

/// Null if the paper has no such number.
[[nodiscard]] const ExpectedCell* find_expected(const std::vector<ExpectedCell>& expected, const std::string& problem,
                                                const std::string& method, const std::string& metric);

/// Fills in verdict, z and consistency, if both numbers are known.
void compare_with_paper(ReportCell& cell, std::int64_t decimals);

/// The paper's ranks of algorithms where smaller is better: 1 + the number of algorithms whose interval lies entirely
/// below this one's. Throws DataError when an interval's ends are not finite or not in order.
[[nodiscard]] std::vector<std::size_t> paper_ranks(std::span<const Interval> intervals);

/// Ranks one line. The paper ranks each method name once, so only its first column is ranked here. Up to `stand_ins`
/// methods that were not run are represented by the paper's interval.
void rank_line(std::span<ReportCell> cells, const std::vector<ExpectedCell>& expected, const std::string& metric,
               std::size_t stand_ins = 0);

}  // namespace nomu
