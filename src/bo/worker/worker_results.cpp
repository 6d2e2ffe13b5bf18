// What a worker does with the results of its evaluations.

#include <fmt/format.h>

#include <utility>

#include "bo/worker/worker_loop.hpp"
#include "nomu/core/error.hpp"

namespace nomu {

/// The trial, if another worker was given it after our lease expired, and was faster.
std::optional<Trial> WorkerLoop::recorded_by_others(std::int64_t id) const {
  try {
    Trial trial = study_.trial(id);
    if (trial.state != TrialState::pending) return trial;
  } catch (const Error&) {
    // It is tried again.
  }
  return {};
}

/// Returns whether nothing is left to be done for the result.
bool WorkerLoop::write(Unrecorded& result) {
  const EvaluatedTrial& evaluated = result.evaluated;
  const bool failed = !evaluated.reason.empty();
  try {
    // Equal results are accepted: a connection may have broken after the result was recorded, before we were told. It
    // then counts as recorded when it is told again.
    TrialResult told{.id = evaluated.trial.id, .reason = evaluated.reason};
    if (!failed) told.value = evaluated.value;
    study_.tell({told}, Repeated::accept_equal);
  } catch (const Error& error) {
    const bool lost = dynamic_cast<const ConnectionLost*>(&error) != nullptr;
    if (lost && !unreachable_since_) unreachable_since_ = Clock::now();
    if (const std::optional<Trial> kept = lost ? std::nullopt : recorded_by_others(evaluated.trial.id)) {
      if (callbacks_.dropped) callbacks_.dropped(evaluated, *kept);
      return true;
    }
    if (!result.reported && callbacks_.not_recorded) callbacks_.not_recorded(evaluated, error.what());
    result.reported = true;
    return false;
  }
  unreachable_since_.reset();
  ++(failed ? report_.failed : report_.finished);
  failures_in_a_row_ = failed ? failures_in_a_row_ + 1 : 0;
  if (callbacks_.recorded) callbacks_.recorded(evaluated);
  if (spec_.until_settled && !progress_.stop.stop_requested()) look_ahead();
  return true;
}

/// Whether going on is worth it, after every result or failure: where all that is left to gain fails, it is not. One
/// model may be wrong about that, three in a row hardly are.
void WorkerLoop::look_ahead() {
  constexpr std::int64_t enough = 3;
  try {
    const std::optional<Outlook> outlook = study_.outlook();
    dull_in_a_row_ = outlook && !outlook->worth_it ? dull_in_a_row_ + 1 : 0;
  } catch (const Error&) {
    dull_in_a_row_ = 0;  // the next result will tell
  }
  report_.settled = dull_in_a_row_ >= enough;
}

void WorkerLoop::record(Unrecorded result) {
  if (!write(result)) {
    if (unrecorded_.empty()) first_try_ = last_try_ = Clock::now();
    unrecorded_.push_back(std::move(result));
    return;
  }
  if (spec_.failures > 0 && failures_in_a_row_ >= spec_.failures) {
    give_up(fmt::format("{} trials in a row failed, the last one: {}", failures_in_a_row_, result.evaluated.reason));
  }
}

/// When the worker ends. What cannot be written then is listed; the first that cannot ends the attempts, because each
/// may take seconds that a batch system does not grant.
void WorkerLoop::record_last(Unrecorded result) {
  if (!gave_up_recording_ && write(result)) return;
  gave_up_recording_ = true;
  unrecorded_.push_back(std::move(result));
}

/// Results are expensive. One that cannot be written, because the disk is full for example, is tried again every
/// second. Returns whether any has been recorded.
bool WorkerLoop::record_again() {
  if (unrecorded_.empty() || seconds_since(last_try_) < 1.0) return false;
  if (running_.empty() && seconds_since(first_try_) > spec_.patience) give_up("results could not be recorded");
  const auto begin = first_try_;
  // One by one, so that the others are still listed if one of them makes the worker give up.
  const std::size_t before = unrecorded_.size();
  for (std::size_t waiting = before; waiting > 0; --waiting) {
    Unrecorded result = std::move(unrecorded_.front());
    unrecorded_.erase(unrecorded_.begin());
    record(std::move(result));
  }
  first_try_ = begin;
  last_try_ = Clock::now();
  return unrecorded_.size() < before;
}

}  // namespace nomu
