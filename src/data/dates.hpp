#pragma once
// ISO 8601 dates and times as numbers.

#include <array>
#include <optional>
#include <string_view>

namespace nomu {

/// A point in time, in days since 1970-01-01T00:00.
struct Instant {
  double day = 0.0;    ///< of universal time; a text without offset counts as universal time
  double local = 0.0;  ///< of the clock that the text shows

  friend bool operator==(const Instant&, const Instant&) = default;
};

/// The days that texts can show, of the years 0 to 9999 and any offset.
constexpr double first_day = -719529.0;
constexpr double last_day = 2932898.0;

/// Whether a text begins like a date, "2024-05-17", even if there is no such day.
[[nodiscard]] bool looks_like_date(std::string_view text);

/// "2024-05-17", or with a time after 'T' or a blank: "2024-05-17T09:30", seconds and their fractions, then "Z" or an
/// offset such as "+02:00". Empty for anything else, and for days and times that do not exist.
[[nodiscard]] std::optional<Instant> read_date(std::string_view text);

/// Positions on a circle, as sine and cosine: in the year from 1 January, in the week from Monday, in the day from
/// midnight. The time is between `first_day` and `last_day`.
[[nodiscard]] std::array<double, 2> season_of(double local);
[[nodiscard]] std::array<double, 2> weekday_of(double local);
[[nodiscard]] std::array<double, 2> daytime_of(double local);

}  // namespace nomu
