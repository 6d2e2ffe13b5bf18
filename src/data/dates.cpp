#include "data/dates.hpp"

#include <chrono>
#include <cmath>
#include <numbers>

namespace nomu {
namespace {

constexpr double seconds_per_day = 86400.0;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads a text from left to right; after a failure everything else fails.
class DateReader {
 public:
  explicit DateReader(std::string_view text) : rest_(text) {}

  /// Exactly `count` digits.
  int digits(std::size_t count) {
    if (rest_.size() < count) return fail();
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_digit(rest_[i])) return fail();
      value = 10 * value + (rest_[i] - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }

  /// A sign of this list, if it comes next.
  std::optional<char> sign(std::string_view list) {
    if (rest_.empty() || list.find(rest_.front()) == std::string_view::npos) return {};
    const char found = rest_.front();
    rest_.remove_prefix(1);
    return found;
  }

  void expect(char c) {
    if (!sign({&c, 1})) (void)fail();
  }

  /// ".250", if it comes next.
  double fraction() {
    if (!sign(".,")) return 0.0;
    if (rest_.empty() || !is_digit(rest_.front())) return fail();
    double value = 0.0;
    for (double unit = 0.1; !rest_.empty() && is_digit(rest_.front()); unit /= 10.0) {
      value += unit * (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] bool good() const { return good_; }

  int fail() {
    good_ = false;
    rest_ = {};
    return 0;
  }

 private:
  std::string_view rest_;
  bool good_ = true;
};

double read_day(DateReader& reader) {
  const int year = reader.digits(4);
  reader.expect('-');
  const int month = reader.digits(2);
  reader.expect('-');
  const int day = reader.digits(2);
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return reader.fail();
  return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

/// Hours and minutes, in seconds. `limit` is the first hour that does not exist.
double read_clock(DateReader& reader, int limit, bool colon_needed) {
  const int hours = reader.digits(2);
  const bool colon = reader.sign(":").has_value();
  if (colon_needed && !colon) (void)reader.fail();
  const int minutes = colon || !reader.at_end() ? reader.digits(2) : 0;
  if (hours >= limit || minutes > 59) (void)reader.fail();
  return 3600.0 * hours + 60.0 * minutes;
}

/// Time of day, in seconds.
double read_time(DateReader& reader) {
  double seconds = read_clock(reader, 24, true);
  if (!reader.sign(":")) return seconds;
  const int whole = reader.digits(2);
  if (whole > 60) (void)reader.fail();  // 60: a leap second
  return seconds + whole + reader.fraction();
}

/// Seconds that the clock is ahead of universal time.
double read_offset(DateReader& reader) {
  if (reader.sign("Zz")) return 0.0;
  const std::optional<char> sign = reader.sign("+-");
  if (!sign) return 0.0;
  const double ahead = read_clock(reader, 15, false);
  return *sign == '-' ? -ahead : ahead;
}

std::array<double, 2> on_circle(double turns) {
  const double angle = 2.0 * std::numbers::pi * turns;
  return {std::sin(angle), std::cos(angle)};
}

}  // namespace

bool looks_like_date(std::string_view text) {
  constexpr std::string_view form = "dddd-dd-dd";
  if (text.size() < form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == 'd' ? !is_digit(text[i]) : text[i] != form[i]) return false;
  }
  return true;
}

std::optional<Instant> read_date(std::string_view text) {
  if (!looks_like_date(text)) return {};
  DateReader reader(text);
  const double day = read_day(reader);
  double time = 0.0;
  double ahead = 0.0;
  if (reader.good() && reader.sign("Tt ")) {
    time = read_time(reader);
    ahead = read_offset(reader);
  }
  if (!reader.good() || !reader.at_end()) return {};
  return Instant{.day = day + (time - ahead) / seconds_per_day, .local = day + time / seconds_per_day};
}

std::array<double, 2> season_of(double local) {
  using std::chrono::January;
  const std::chrono::sys_days day{std::chrono::days(static_cast<int>(std::floor(local)))};
  const std::chrono::year year = std::chrono::year_month_day(day).year();
  const auto first = [](std::chrono::year of) {
    return static_cast<double>(std::chrono::sys_days(of / January / 1).time_since_epoch().count());
  };
  return on_circle((local - first(year)) / (first(year + std::chrono::years(1)) - first(year)));
}

std::array<double, 2> weekday_of(double local) {
  constexpr double monday_before_1970 = -3.0;
  const double day = std::floor(local) - monday_before_1970;
  return on_circle((day - 7.0 * std::floor(day / 7.0)) / 7.0);
}

std::array<double, 2> daytime_of(double local) { return on_circle(local - std::floor(local)); }

}  // namespace nomu
