#include "bo/worker/worker_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "bo/database/database.hpp"
#include "bo/worker/worker_name.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr double grace = 5.0;                // seconds that a command has to tidy up before it is killed
constexpr double patience_at_the_end = 6.0;  // seconds for which a silent server is waited for after a request to stop

/// While it exists, calls of the study that wait for a server end on request.
class HeedsStop {
 public:
  HeedsStop(Study& study, const std::stop_token& stop) : study_(study) {
    study_.wait_for_server(patience_with_servers, stop);
  }
  HeedsStop(const HeedsStop&) = delete;
  HeedsStop& operator=(const HeedsStop&) = delete;
  HeedsStop(HeedsStop&&) = delete;
  HeedsStop& operator=(HeedsStop&&) = delete;
  ~HeedsStop() { study_.wait_for_server(patience_with_servers); }

 private:
  Study& study_;
};

}  // namespace

WorkerLoop::WorkerLoop(Study& study, const StartEvaluation& start, const WorkerSpec& spec,
                       const WorkerCallbacks& callbacks, const Progress& progress)
    : study_(study),
      start_(start),
      spec_(spec),
      callbacks_(callbacks),
      progress_(progress),
      asking_{.report =
                  [this](const ProgressEvent& event) {
                    renew_leases();
                    if (progress_.report) progress_.report(event);
                  },
              .stop = progress.stop},
      name_(worker_name()),
      renewed_(Clock::now()) {}

WorkerReport WorkerLoop::run() {
  const HeedsStop heeds(study_, progress_.stop);
  try {
    study_.release(is_gone);
  } catch (const ConnectionLost&) {
    // Their leases end by themselves.
  }
  try {
    loop();
  } catch (...) {
    while (!running_.empty()) {
      try {
        stop_evaluations();
      } catch (const std::exception&) {
        // A callback may fail once more; what was thrown first counts, and the trials must go back.
      }
    }
    release_trials();
    throw;
  }
  if (trouble_) std::rethrow_exception(trouble_);
  return report_;
}

void WorkerLoop::loop() {
  while (true) {
    if (progress_.stop.stop_requested()) give_up("stopped on request");
    const bool started = start_one();
    const bool ended = collect();
    const bool recorded = record_again();  // then the study may have another trial: nothing is asked while results wait
    const bool waiting = unreachable_since_ && !has_enough();
    const bool idle = running_.empty() && unrecorded_.empty() && !started && !ended && !recorded && !waiting;
    if (idle && !others_work()) return;
    renew_leases();
    if (!started && !ended) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

/// Empty if the study has no trial left, cannot be reached, or fails; results of what is running must still be recorded
/// then. Waits for a server that is being restarted; a trial that it handed out without our knowledge is returned when
/// its lease expires, because nobody renews it.
std::vector<Trial> WorkerLoop::ask() {
  try {
    std::vector<Trial> asked = study_.ask(1, name_, asking_);
    none_left_ = asked.empty();
    if (none_left_) budget_ = study_.budget();
    unreachable_since_.reset();
    return asked;
  } catch (const Cancelled&) {
    give_up("stopped on request");
  } catch (const ConnectionLost&) {
    note_lost();
  } catch (const Error&) {
    trouble_ = std::current_exception();
  }
  return {};
}

/// While a ConnectionLost is handled.
void WorkerLoop::note_lost() {
  if (!unreachable_since_) unreachable_since_ = Clock::now();
  asked_in_vain_ = Clock::now();
  none_left_ = false;  // asked again when the server is back
  if (seconds_since(*unreachable_since_) >= spec_.patience) trouble_ = std::current_exception();
}

bool WorkerLoop::has_enough() const {
  // What is started now might not end before the node is taken away.
  const bool too_late = spec_.start_within > 0.0 && seconds_since(began_) >= spec_.start_within;
  return (spec_.trials > 0 && started_ >= spec_.trials) || too_late || trouble_ || report_.settled;
}

/// Starts only one evaluation at a time, so that the next suggestion knows the results that came in the meantime.
bool WorkerLoop::start_one() {
  if (has_enough() || none_left_ || !unrecorded_.empty()) return false;
  if (running_.size() >= static_cast<std::size_t>(spec_.workers)) return false;
  if (unreachable_since_ && seconds_since(asked_in_vain_) < 1.0) return false;
  const std::vector<Trial> asked = ask();
  if (asked.empty()) return false;
  running_.push_back({.trial = asked.front(), .evaluation = start_(asked.front())});
  ++started_;
  return true;
}

/// When nothing is left for us to start and nothing of ours runs: whether there are trials that another worker
/// evaluates. It may die, and then nobody else might be there to take them over.
bool WorkerLoop::others_work() {
  if (!spec_.wait || has_enough()) return false;
  if (seconds_since(looked_) < 1.0) return true;
  looked_ = Clock::now();
  const std::int64_t before = std::exchange(others_, 0);
  try {
    others_ = look_at_others();
  } catch (const ConnectionLost&) {
    note_lost();
  } catch (const Error&) {
    trouble_ = std::current_exception();
  }
  if (others_ > 0 && before == 0 && callbacks_.waiting) callbacks_.waiting(others_);
  return others_ > 0 || !none_left_;
}

/// Returns how many trials others evaluate. Asks again if there is something to take over, or if the budget is another.
std::int64_t WorkerLoop::look_at_others() {
  std::int64_t others = 0;
  bool left_behind = study_.budget() != budget_;
  const double now = study_.now();
  // One with our name was handed out by a server whose answer was lost.
  const auto abandoned = [this](const std::string& worker) { return worker == name_ || is_gone(worker); };
  for (const Trial& trial : study_.pending()) {
    if (is_worker(trial.worker)) ++others;
    if (abandoned(trial.worker) || trial.lease_until < now) left_behind = true;
  }
  if (!left_behind) return others;
  study_.release(abandoned);
  none_left_ = false;
  return others;
}

bool WorkerLoop::collect() {
  bool any = false;
  for (std::size_t i = 0; i < running_.size();) {
    Running& running = running_[i];
    // This comes first: a result that arrived while a model was being fitted is not late.
    const bool ended = running.evaluation->ended();
    if (!ended && !running.interrupted && spec_.timeout > 0.0 && running.evaluation->seconds() > spec_.timeout) {
      running.evaluation->interrupt();
      running.interrupted = Clock::now();
    }
    const bool late = running.interrupted && (ended || seconds_since(*running.interrupted) > grace);
    if (!ended && !late) {
      ++i;
      continue;
    }
    if (late) (void)running.evaluation->stop();
    any = true;
    none_left_ = false;
    const Running done = std::move(running_[i]);
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    finish(done, late);
  }
  return any;
}

void WorkerLoop::finish(const Running& running, bool late) {
  if (late) return record({{running.trial, 0.0, fmt::format("no result after {} s", spec_.timeout)}});
  const EvaluationResult result = running.evaluation->result();
  if (result.cancelled) {
    cancelled_ = true;
    give_up("stopped by an evaluation");
  }
  if (result.cannot_run && report_.finished + report_.failed == 0) {
    give_up("the command cannot be run (" + result.reason + "); no trial was spent on it", true);
  }
  record({{running.trial, result.value, result.reason}});
}

void WorkerLoop::renew_leases() {
  if (trouble_ || seconds_since(renewed_) < study_.spec().lease / 3.0) return;
  renewed_ = Clock::now();
  try {
    std::vector<std::int64_t> ids;
    for (const Running& running : running_) ids.push_back(running.trial.id);
    study_.renew(ids, name_);  // not those that another worker was given meanwhile
  } catch (const Error&) {
    // The disk may be full. An expired lease costs less than the evaluations that are running; this is tried again.
  }
}

/// All at the same time, so that a batch system need not wait for one after the other.
void WorkerLoop::interrupt_all() {
  for (Running& running : running_) {
    if (running.interrupted || running.evaluation->ended()) continue;
    running.evaluation->interrupt();
    running.interrupted = Clock::now();
  }
  const auto begin = Clock::now();
  const auto goes_on = [](const Running& running) { return !running.evaluation->ended(); };
  while (seconds_since(begin) < grace && std::any_of(running_.begin(), running_.end(), goes_on))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

/// Ends what is running. The result of a command that has ended by itself is kept, and that of a function, which cannot
/// be interrupted. The server may be silent: it is not needed before everything has ended, and not waited for as usual.
void WorkerLoop::stop_evaluations() {
  interrupt_all();
  if (progress_.stop.stop_requested()) study_.wait_for_server(patience_at_the_end);
  for (Unrecorded& earlier : std::exchange(unrecorded_, {})) record_last(std::move(earlier));
  while (!running_.empty()) {
    const Running last = std::move(running_.back());
    running_.pop_back();
    if (last.interrupted && !last.evaluation->stop()) continue;
    const EvaluationResult result = last.evaluation->result();
    if (result.cancelled || result.cannot_run) continue;
    record_last({{last.trial, result.value, result.reason}});
  }
}

/// Gives the trials without a result back to the study.
void WorkerLoop::release_trials() {
  if (gave_up_recording_ && unreachable_since_) return;
  try {
    study_.release([this](const std::string& worker) { return worker == name_; });
  } catch (const Error&) {
    // Their leases will expire, or the next worker on this machine will find that this process is gone.
  }
}

void WorkerLoop::give_up(std::string why, bool wrong_input) {
  stop_evaluations();
  for (const Unrecorded& result : unrecorded_) {
    why += fmt::format("\n  not recorded, tell it yourself: trial {}, {}", result.evaluated.trial.id,
                       result.evaluated.text());
  }
  if (cancelled_ || progress_.stop.stop_requested()) throw Cancelled("bo/worker", why);
  if (wrong_input) throw DataError("bo/worker", why);
  throw Error("bo/worker", why);
}

}  // namespace nomu
