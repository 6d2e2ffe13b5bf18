#include "bo/store/fit_turn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "bo/store/study_rows.hpp"
#include "bo/store/study_text.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr double silence_s = 5.0;          // after which a turn or a request expires
constexpr std::int64_t most_wanted = 256;  // by one request
constexpr auto say_again = std::chrono::milliseconds(1500);
constexpr const char* turn_key = "fitting";

/// "TIME REST": when it expires, and what it says.
struct Note {
  double until = 0.0;
  std::string rest;
};

Note note_of(const std::string& text) {
  const std::size_t space = text.find(' ');
  if (space == std::string::npos) return {};
  try {
    return {number_from_text(text.substr(0, space)), text.substr(space + 1)};
  } catch (const Error&) {
    return {};
  }
}

/// Also if it ends later than anybody would say: nobody must be waited for because of a damaged file, or a clock that
/// was set back.
bool expired(const Note& note, double now) { return !(note.until >= now && note.until <= now + 2.0 * silence_s); }

/// How many points a request waits for, according to its note.
std::int64_t wish_of(const Note& note) {
  std::int64_t count = 0;
  const char* const last = note.rest.data() + note.rest.size();
  (void)std::from_chars(note.rest.data(), last, count);
  return std::clamp<std::int64_t>(count, 0, most_wanted);
}

std::string text_of(double until, const std::string& rest) { return number_to_text(until) + " " + rest; }

std::string wish_key(const std::string& who) { return "waiting:" + who; }

}  // namespace

bool is_turn_note(std::string_view key) { return key == turn_key || key.starts_with("waiting:"); }

FitTurn::~FitTurn() {
  if (!waiting_) return;
  try {
    database_.write([&] {
      database_.prepare("DELETE FROM {meta} WHERE {mine} AND key = ?").bind(1, wish_key(who_)).run();
      if (mine_) database_.prepare("DELETE FROM {meta} WHERE {mine} AND key = ?").bind(1, std::string(turn_key)).run();
    });
  } catch (const std::exception&) {
    // Both expire after some seconds.
  }
}

bool FitTurn::take(std::size_t count) {
  const auto is_free = [&](double now) {
    // The statement must end here: SQLite does not let a connection that still reads an old state change it.
    Statement row = database_.prepare("SELECT value FROM {meta} WHERE {mine} AND key = ?");
    const Note turn = row.bind(1, std::string(turn_key)).step() ? note_of(row.text(0)) : Note();
    return turn.rest.empty() || turn.rest == who_ || expired(turn, now);
  };
  // A waiting process announces itself now and then, and only reads in between.
  if (waiting_ && Clock::now() - said_ < say_again && !is_free(database_.now())) return false;
  database_.write([&] {
    mine_ = false;
    const double now = database_.now();
    if (is_free(now)) {
      mine_ = true;
      set_meta(database_, turn_key, text_of(now + silence_s, who_));
    }
    set_meta(database_, wish_key(who_), text_of(now + silence_s, fmt::format("{}", count)));
  });
  waiting_ = true;
  said_ = Clock::now();
  return mine_;
}

void FitTurn::renew() noexcept {
  if (!mine_ || Clock::now() - said_ < say_again) return;
  said_ = Clock::now();
  try {
    database_.write([&] { set_meta(database_, turn_key, text_of(database_.now() + silence_s, who_)); });
  } catch (const std::exception&) {
    // Then another process may fit as well.
  }
}

std::size_t FitTurn::wanted_by_others() {
  const double now = database_.now();
  std::int64_t wanted = 0;
  Statement rows = database_.prepare("SELECT key, value FROM {meta} WHERE {mine} AND key LIKE 'waiting:%'");
  while (rows.step()) {
    const Note wish = note_of(rows.text(1));
    if (rows.text(0) == wish_key(who_) || expired(wish, now)) continue;
    wanted += wish_of(wish);
  }
  if (wanted == 0) return 0;
  wanted -= number_of(database_.prepare("SELECT count(*) FROM {trials} WHERE {mine} AND state = 0 AND lease < {now}"));
  return wanted > 0 ? static_cast<std::size_t>(wanted) : 0;
}

}  // namespace nomu
