#include "report/plot/date_ticks.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>

namespace nomu {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::int64_t minutes_per_day = 1440;
constexpr double farthest = 1e6;  // days: years of four digits

year_month_day date_at(std::int64_t day) { return sys_days(std::chrono::days(day)); }

std::int64_t day_of(std::int64_t month) {
  const auto year = static_cast<int>(std::floor(static_cast<double>(month) / 12.0));
  const auto in_year = static_cast<unsigned>(month - std::int64_t{year} * 12);
  const year_month_day first{std::chrono::year(year), std::chrono::month(in_year + 1), std::chrono::day(1)};
  return sys_days(first).time_since_epoch().count();
}

/// Months since year 0, of the month that holds this day.
std::int64_t month_at(double day) {
  const year_month_day date = date_at(static_cast<std::int64_t>(std::floor(day)));
  return std::int64_t{static_cast<int>(date.year())} * 12 + static_cast<unsigned>(date.month()) - 1;
}

std::string minute_label(std::int64_t minute) {
  const auto day = static_cast<std::int64_t>(std::floor(static_cast<double>(minute) / minutes_per_day));
  const std::int64_t of_day = minute - day * minutes_per_day;
  const year_month_day date = date_at(day);
  return fmt::format("{:02}-{:02} {:02}:{:02}", static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     of_day / 60, of_day % 60);
}

std::string day_label(std::int64_t day) {
  const year_month_day date = date_at(day);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

std::string month_label(std::int64_t month, std::int64_t step) {
  const year_month_day date = date_at(day_of(month));
  const std::string year = fmt::format("{:04}", static_cast<int>(date.year()));
  return step % 12 == 0 ? year : fmt::format("{}-{:02}", year, static_cast<unsigned>(date.month()));
}

/// The multiples of `step` from first to last.
template <class Tick>
std::vector<PlotTick> multiples(double first, double last, std::int64_t step, const Tick& tick) {
  std::vector<PlotTick> ticks;
  const auto size = static_cast<double>(step);
  const auto end = static_cast<std::int64_t>(std::floor(last / size));
  for (auto i = static_cast<std::int64_t>(std::ceil(first / size)); i <= end; ++i) ticks.push_back(tick(i * step));
  return ticks;
}

}  // namespace

std::vector<PlotTick> date_ticks(const PlotScale& scale, int limit) {
  if (std::abs(scale.low) > farthest || std::abs(scale.high) > farthest) return {};
  const auto most = static_cast<double>(limit);
  const double days = scale.high - scale.low;
  for (const std::int64_t step : {1, 5, 15, 30, 60, 180, 360, 720}) {
    if (days * minutes_per_day / static_cast<double>(step) >= most) continue;
    return multiples(scale.low * minutes_per_day, scale.high * minutes_per_day, step, [](std::int64_t minute) {
      return PlotTick{static_cast<double>(minute) / minutes_per_day, minute_label(minute)};
    });
  }
  for (const std::int64_t step : {1, 2, 7, 14}) {
    if (days / static_cast<double>(step) >= most) continue;
    return multiples(scale.low, scale.high, step, [](std::int64_t day) {
      return PlotTick{static_cast<double>(day), day_label(day)};
    });
  }
  const std::int64_t first =
      month_at(scale.low) + (static_cast<double>(day_of(month_at(scale.low))) < scale.low ? 1 : 0);
  const std::int64_t last = month_at(scale.high);
  for (const std::int64_t step : {1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000, 60000}) {
    std::vector<PlotTick> ticks =
        multiples(static_cast<double>(first), static_cast<double>(last), step, [&](std::int64_t month) {
          return PlotTick{static_cast<double>(day_of(month)), month_label(month, step)};
        });
    if (ticks.size() <= static_cast<std::size_t>(limit)) return ticks;
  }
  return {};
}

}  // namespace nomu
