#pragma once
/// Ticks of an axis of dates: on whole years, months, days, hours or minutes.

#include <vector>

#include "report/plot/axis.hpp"

namespace nomu {

/// At most `limit` ticks inside a linear scale of days since 1970-01-01, labelled "2024", "2024-05", "2024-05-17" or
/// "05-17 06:00", as fine as the limit allows. Empty where days are too far apart for a calendar.
[[nodiscard]] std::vector<PlotTick> date_ticks(const PlotScale& scale, int limit);

}  // namespace nomu
