#include "paper/run/shared_rows.hpp"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <utility>

#include "bo/database/place.hpp"
#include "bo/database/postgres_address.hpp"
#include "bo/store/study_text.hpp"
#include "bo/worker/worker_name.hpp"
#include "core/crc64.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view where = "paper/store";
constexpr auto try_again = std::chrono::seconds(1);
constexpr int attempts = 40;  // while another process makes the same file
constexpr auto between_attempts = std::chrono::milliseconds(50);

/// A cohort is named by a number of 53 bits, which a variable can hold exactly.
Space space_of_cohorts() {
  return Space({{.name = "cohort", .kind = Variable::Kind::integer, .low = 0.0, .high = 9007199254740991.0}});
}

/// Nothing is to be suggested: cohorts are named by those who compute them.
OptimizeSpec spec_of_cohorts(double lease) {
  OptimizeSpec spec;
  spec.method = "random";
  spec.budget = 1;
  spec.lease = lease;
  return spec;
}

/// The number of a cohort follows from its runs, so that all processes mean the same by it.
Point point_of(const Piece& piece) {
  std::string runs;
  for (const ExperimentRun& run : piece.runs) runs += key_text(run.key);
  return {static_cast<double>(crc64(runs) >> 11U)};
}

std::string note_of(std::int64_t cohort) { return fmt::format("rows:{}", cohort); }

void sleep(const std::stop_token& stop, Clock::duration time) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, time, [] { return false; });
}

}  // namespace

bool holds_rows(const Space& space) { return space_to_text(space) == space_to_text(space_of_cohorts()); }

SharedRows::SharedRows(SharedPlace place, std::stop_token stop)
    : place_(std::move(place)), stop_(std::move(stop)), name_(worker_name()), store_(open()) {
  if (!holds_rows(store_.space())) {
    throw DataError(where, fmt::format("'{}' is a study of optimisation and holds no rows of experiments; name another "
                                       "one with --store",
                                       store_.database().name()));
  }
  patiently([&] { (void)store_.release(is_gone); });
  heart_ = std::jthread([this](const std::stop_token& ended) { keep_alive(ended); });
}

SharedRows::~SharedRows() {
  heart_.request_stop();
  heart_.join();
  give_back();
}

/// Several processes may make it at the same time: one succeeds, the others open what it made.
StudyStore SharedRows::open() const {
  const Place place{.place = place_.place, .trust_file_system = place_.trust_file_system};
  if (place_.must_exist) return StudyStore(open_place(place, true));
  const bool file = !is_postgres_address(place_.place.string());
  for (int attempt = 1;; ++attempt) {
    try {
      make_place(place, [&](Database& database) {
        return StudyStore::create(database, space_of_cohorts(), spec_of_cohorts(place_.lease), {});
      });
    } catch (const DataError&) {
      // It is there already; if something else is wrong, opening it says so.
    }
    try {
      return StudyStore(open_place(place, true));
    } catch (const DataError&) {
      if (!file || attempt == attempts) throw;  // a file may be half made
    }
    std::this_thread::sleep_for(between_attempts);
  }
}

/// A server that is away is waited for. What was being recorded when it went may be recorded twice; that does no harm.
void SharedRows::patiently(const std::function<void()>& action) {
  const auto begin = Clock::now();
  while (true) {
    try {
      const std::lock_guard lock(mutex_);
      return action();
    } catch (const ConnectionLost&) {
      if (Clock::now() - begin > std::chrono::duration<double>(place_.patience)) throw;
    }
    sleep(stop_, try_again);
    if (stop_.stop_requested()) throw Cancelled(where, "stopped on request while the server was away");
  }
}

void SharedRows::keep_alive(const std::stop_token& stop) {
  const auto pause = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(place_.lease / 3.0));
  while (!stop.stop_requested()) {
    sleep(stop, pause);
    const std::lock_guard lock(mutex_);
    if (!mine_) continue;
    try {
      (void)store_.renew({*mine_}, place_.lease, name_);
    } catch (const Error&) {
      // This is tried again; at worst another process computes the same rows.
    }
  }
}

void SharedRows::give_back() noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (mine_) (void)store_.release([this](const std::string& worker) { return worker == name_; });
  } catch (const std::exception&) {
    // The lease ends by itself.
  }
}

void SharedRows::read_new(ResultStore& store) {
  patiently([&] {
    const StudyChanges changes = store_.changes(event_, mark_);
    for (const Trial& cohort : changes.trials) {
      if (cohort.state != TrialState::finished) continue;
      const std::string name = fmt::format("{} cohort {}", store_.database().name(), cohort.id);
      store.include(parse_rows(store_.note(note_of(cohort.id)), name));
    }
    event_ = changes.event;
    mark_ = changes.mark;
  });
}

SharedRows::Turn SharedRows::claim(const std::vector<const Piece*>& pieces) {
  std::vector<Point> points;
  points.reserve(pieces.size());
  for (const Piece* piece : pieces) points.push_back(point_of(*piece));
  Turn turn;
  patiently([&] {
    const StudyStore::Claim claim = store_.claim(points, {.workers = {name_}, .lease = place_.lease});
    turn = {.piece = {}, .others_busy = claim.others_busy};
    if (!claim.trial) return;
    mine_ = claim.trial->id;
    for (std::size_t i = 0; i < points.size() && !turn.piece; ++i) {
      if (points[i] == claim.trial->point) turn.piece = i;
    }
  });
  return turn;
}

void SharedRows::finish(const std::vector<ResultRow>& rows) {
  patiently([&] {
    const TrialResult result{.id = mine_.value(), .value = static_cast<double>(rows.size())};
    (void)store_.finish({result}, Repeated::accept_equal, {{note_of(*mine_), format_rows(rows)}});
    mine_.reset();
  });
}

}  // namespace nomu
