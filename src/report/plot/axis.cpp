#include "report/plot/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "report/plot/date_ticks.hpp"
#include "report/plot/text.hpp"

namespace nomu {
namespace {

constexpr double largest = 1e305;
constexpr double smallest = 1e-305;
/// Differences below this share of the values are taken for rounding errors.
constexpr double rounding = 1e-10;
/// Ticks up to this share of a step outside the axis still count as inside.
constexpr double slack = 1e-6;
constexpr std::string_view minus = "\u2212";

/// The number digits * 10^exponent.
struct Decimal {
  std::int64_t digits = 0;
  int exponent = 0;
};

/// The nearest double, via text because multiplying would round twice. Infinite when out of range.
double to_double(const Decimal& number) {
  const std::string text = fmt::format("{}e{}", number.digits, number.exponent);
  double value = 0.0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() ? value : std::numeric_limits<double>::infinity();
}

std::string with_minus(bool negative, std::string text) {
  if (negative) text.insert(0, minus);
  return text;
}

std::string plain_label(const Decimal& number) {
  const double value = to_double(number);
  return with_minus(value < 0, fmt::format("{:.{}f}", std::abs(value), std::max(0, -number.exponent)));
}

std::string scientific_label(const Decimal& number) {
  if (number.digits == 0) return "0";
  std::string digits = std::to_string(std::abs(number.digits));
  const int exponent = number.exponent + static_cast<int>(digits.size()) - 1;
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.size() > 1) digits.insert(1, ".");
  return with_minus(number.digits < 0, fmt::format("{}e{}{}", digits, exponent < 0 ? minus : "", std::abs(exponent)));
}

std::string power_label(int exponent) {
  constexpr std::array<std::string_view, 10> raised = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                                       "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  std::string label = exponent < 0 ? "10\u207b" : "10";
  for (const char digit : std::to_string(std::abs(exponent))) label += raised.at(static_cast<std::size_t>(digit - '0'));
  return label;
}

/// Whether numbers up to this magnitude read better without an exponent.
bool reads_plain(double magnitude) { return magnitude < 1e6 && magnitude > 0.999e-3; }

/// All labels in one style: without an exponent, unless they are far from 1 and an exponent makes them shorter.
std::vector<PlotTick> with_labels(const std::vector<Decimal>& numbers) {
  std::vector<PlotTick> plain;
  std::vector<PlotTick> scientific;
  double magnitude = 0.0;
  std::size_t plain_size = 0;
  std::size_t scientific_size = 0;
  for (const Decimal& number : numbers) {
    const double value = to_double(number);
    plain.push_back({value, plain_label(number)});
    scientific.push_back({value, scientific_label(number)});
    magnitude = std::max(magnitude, std::abs(value));
    plain_size = std::max(plain_size, plain.back().label.size());
    scientific_size = std::max(scientific_size, scientific.back().label.size());
  }
  return reads_plain(magnitude) || plain_size <= scientific_size ? plain : scientific;
}

/// The smallest of 1, 2, 5 times a power of ten that is not below `wanted`.
Decimal nice_step(double wanted) {
  const int exponent = static_cast<int>(std::floor(std::log10(wanted)));
  for (const int digits : {1, 2, 5}) {
    const Decimal step{digits, exponent};
    if (to_double(step) >= wanted * (1 - slack)) return step;
  }
  return {1, exponent + 1};
}

Decimal coarser(const Decimal& step) {
  if (step.digits == 5) return {1, step.exponent + 1};
  return {step.digits == 1 ? 2 : 5, step.exponent};
}

Decimal finer(const Decimal& step) {
  if (step.digits == 1) return {5, step.exponent - 1};
  return {step.digits == 2 ? 1 : 2, step.exponent};
}

/// The whole multiples of the step within the scale.
std::vector<Decimal> multiples(const PlotScale& scale, const Decimal& step) {
  const double size = to_double(step);
  const auto last = static_cast<std::int64_t>(std::floor(scale.high / size + slack));
  std::vector<Decimal> numbers;
  for (auto i = static_cast<std::int64_t>(std::ceil(scale.low / size - slack)); i <= last; ++i) {
    numbers.push_back({i * step.digits, step.exponent});
  }
  return numbers;
}

std::vector<PlotTick> linear_ticks(const PlotScale& scale, int limit) {
  Decimal step = nice_step((scale.high - scale.low) / limit);
  std::vector<Decimal> numbers = multiples(scale, step);
  if (numbers.size() > static_cast<std::size_t>(limit)) {
    // A range that begins and ends on a tick has one more tick than steps.
    step = coarser(step);
    numbers = multiples(scale, step);
  }
  while (numbers.size() < 2) {
    step = finer(step);
    numbers = multiples(scale, step);
  }
  return with_labels(numbers);
}

bool shows(const PlotScale& scale, const Decimal& number) {
  const double value = to_double(number);
  if (!plot_drawable(value, scale.kind)) return false;
  const double at = scale.fraction(value);
  return at > -slack && at < 1 + slack;
}

/// The powers of ten from 10^first to 10^last times each of the digits, within the scale.
std::vector<Decimal> multiples(const PlotScale& scale, int first, int last, std::initializer_list<int> digits) {
  std::vector<Decimal> numbers;
  for (int exponent = first; exponent <= last; ++exponent) {
    for (const int digit : digits) {
      if (shows(scale, {digit, exponent})) numbers.push_back({digit, exponent});
    }
  }
  return numbers;
}

void add_unlabelled(std::vector<PlotTick>& ticks, const std::vector<Decimal>& numbers) {
  for (const Decimal& number : numbers) {
    const double value = to_double(number);
    if (std::ranges::find(ticks, value, &PlotTick::value) == ticks.end()) ticks.push_back({value, {}});
  }
}

std::vector<PlotTick> log_ticks(const PlotScale& scale, int limit) {
  const int first = static_cast<int>(std::floor(std::log10(scale.low))) - 1;
  const int last = static_cast<int>(std::ceil(std::log10(scale.high))) + 1;
  const std::vector<Decimal> decades = multiples(scale, first, last, {1});
  const auto most = static_cast<std::size_t>(limit);
  if (decades.size() < 3) {
    const std::vector<Decimal> finer = multiples(scale, first, last, {1, 2, 5});
    if (finer.size() > 2 && finer.size() <= most) {
      std::vector<PlotTick> ticks = with_labels(finer);
      add_unlabelled(ticks, multiples(scale, first, last, {3, 4, 6, 7, 8, 9}));
      return ticks;
    }
    if (decades.size() < 2) return linear_ticks(scale, limit);
  }
  int stride = 1;
  for (const int wider : {2, 3, 5, 10, 20, 50, 100, 200, 500}) {
    if (decades.size() <= most * static_cast<std::size_t>(stride)) break;
    stride = wider;
  }
  std::vector<Decimal> kept;
  std::ranges::copy_if(decades, std::back_inserter(kept), [&](const Decimal& d) { return d.exponent % stride == 0; });
  const bool plain = kept.empty() || (kept.front().exponent >= -3 && kept.back().exponent <= 5);
  std::vector<PlotTick> ticks;
  ticks.reserve(kept.size());
  for (const Decimal& d : kept) ticks.push_back({to_double(d), plain ? plain_label(d) : power_label(d.exponent)});
  if (stride == 1 && decades.size() < 7) {
    add_unlabelled(ticks, multiples(scale, first, last, {2, 3, 4, 5, 6, 7, 8, 9}));
  } else if (decades.size() < 30) {
    add_unlabelled(ticks, decades);
  }
  return ticks;
}

/// Whether at least half a text height is free between labels. `across`: they are next to a vertical axis.
bool labels_fit(const std::vector<PlotTick>& ticks, const PlotScale& scale, double length, double font, bool across) {
  double end = -std::numeric_limits<double>::infinity();
  for (const PlotTick& tick : ticks) {
    if (tick.label.empty()) continue;
    const double half = (across ? font : text_width(tick.label, font)) / 2;
    const double at = scale.fraction(tick.value) * length;
    if (at - half < end + 0.5 * font) return false;
    end = at + half;
  }
  return true;
}

/// One tick per name; next to a vertical axis they may take ten text heights of the plot's width.
std::vector<PlotTick> name_ticks(const PlotScale& scale, double length, double font, bool across,
                                 std::span<const std::string> names) {
  const double room = across ? 10 * font : length / (scale.high - scale.low) - 0.5 * font;
  std::vector<PlotTick> ticks;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto value = static_cast<double>(i);
    if (value >= scale.low && value <= scale.high) ticks.push_back({value, fitted_text(names[i], room, font)});
  }
  return ticks;
}

}  // namespace

bool plot_drawable(double value, AxisScale scale) {
  return scale == AxisScale::linear ? std::abs(value) <= largest : value >= smallest && value <= largest;
}

double PlotScale::fraction(double value) const {
  const double at = kind == AxisScale::linear
                        ? (value - low) / (high - low)
                        : (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low));
  return std::clamp(at, -1e9, 1e9);
}

PlotScale plot_scale(const PlotExtent& extent, AxisScale kind, double padding) {
  if (extent.empty()) return {kind, kind == AxisScale::linear ? 0.0 : 0.1, 1.0};
  const double magnitude = std::max(std::abs(extent.low), std::abs(extent.high));
  const bool flat = extent.high - extent.low < std::max(rounding * magnitude, smallest);
  if (kind == AxisScale::log10) {
    const double factor = flat ? 2.0 : std::exp((std::log(extent.high) - std::log(extent.low)) * padding);
    return {kind, std::max(extent.low / factor, smallest / 10), std::min(extent.high * factor, largest * 10)};
  }
  double room = (extent.high - extent.low) * padding;
  if (flat) room = magnitude == 0.0 ? 1.0 : std::max(0.1 * magnitude, smallest);
  return {kind, extent.low - room, extent.high + room};
}

std::vector<PlotTick> plot_ticks(const PlotScale& scale, int limit) {
  return scale.kind == AxisScale::linear ? linear_ticks(scale, limit) : log_ticks(scale, limit);
}

std::vector<PlotTick> plot_fitting_ticks(const PlotScale& scale, double length, double font, bool across,
                                         const PlotAxis& axis) {
  if (!axis.names.empty()) return name_ticks(scale, length, font, across, axis.names);
  const auto some_ticks = [&](int most) {
    std::vector<PlotTick> dates = axis.dates ? date_ticks(scale, most) : std::vector<PlotTick>{};
    return dates.size() < 2 ? plot_ticks(scale, most) : dates;
  };
  // Sparse rather than dense: a few text heights between ticks, however short the labels.
  int limit = std::clamp(static_cast<int>(length / (across ? 2.6 * font : 4.5 * font)), 2, across ? 8 : 12);
  std::vector<PlotTick> ticks = some_ticks(limit);
  while (limit > 2 && !labels_fit(ticks, scale, length, font, across)) ticks = some_ticks(--limit);
  // On very short axes drop labels, but keep their grid lines.
  for (std::size_t kept = 2; kept <= ticks.size() && !labels_fit(ticks, scale, length, font, across); kept *= 2) {
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      if (i % kept != 0) ticks[i].label.clear();
    }
  }
  return ticks;
}

}  // namespace nomu
