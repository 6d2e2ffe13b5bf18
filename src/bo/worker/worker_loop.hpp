#pragma once
// The loop of a worker: asks for trials, starts their evaluations, records what they give, and renews leases meanwhile.

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bo/worker/evaluation.hpp"
#include "nomu/bo/worker.hpp"

namespace nomu {

class WorkerLoop {
 public:
  /// All arguments must outlive it.
  WorkerLoop(Study& study, const StartEvaluation& start, const WorkerSpec& spec, const WorkerCallbacks& callbacks,
             const Progress& progress);

  /// See `run_worker`. To be called once.
  WorkerReport run();

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    Trial trial;
    std::unique_ptr<TrialEvaluation> evaluation;
    std::optional<Clock::time_point> interrupted = {};  // when it was asked to end
  };
  struct Unrecorded {
    EvaluatedTrial evaluated;
    bool reported = false;
  };

  [[nodiscard]] static double seconds_since(Clock::time_point time) {
    return std::chrono::duration<double>(Clock::now() - time).count();
  }
  void loop();
  [[nodiscard]] std::vector<Trial> ask();
  void note_lost();
  [[nodiscard]] bool has_enough() const;
  bool start_one();
  [[nodiscard]] bool others_work();
  [[nodiscard]] std::int64_t look_at_others();
  bool collect();
  void finish(const Running& running, bool late);
  void record(Unrecorded result);
  void record_last(Unrecorded result);
  [[nodiscard]] bool write(Unrecorded& result);
  [[nodiscard]] std::optional<Trial> recorded_by_others(std::int64_t id) const;
  [[nodiscard]] bool record_again();
  void look_ahead();
  void renew_leases();
  void stop_evaluations();
  void interrupt_all();
  void release_trials();
  [[noreturn]] void give_up(std::string why, bool wrong_input = false);

  Study& study_;
  const StartEvaluation& start_;
  const WorkerSpec& spec_;
  const WorkerCallbacks& callbacks_;
  const Progress& progress_;
  const Progress asking_;  // renews leases, too: a model may take longer than they last
  std::string name_;
  Clock::time_point began_ = Clock::now();
  std::vector<Running> running_;
  std::vector<Unrecorded> unrecorded_;
  std::exception_ptr trouble_;  // an error of `ask`, thrown once everything that runs is recorded
  Clock::time_point renewed_, first_try_, last_try_;
  std::optional<Clock::time_point> unreachable_since_;  // no server answered since then
  Clock::time_point asked_in_vain_;
  Clock::time_point looked_;  // at the trials of others
  std::int64_t others_ = 0;   // trials of theirs that were pending then
  std::int64_t budget_ = 0;   // for which nothing was left
  WorkerReport report_;
  std::int64_t started_ = 0;
  std::int64_t failures_in_a_row_ = 0;
  std::int64_t dull_in_a_row_ = 0;  // results after which little was to be expected
  bool none_left_ = false;
  bool cancelled_ = false;
  bool gave_up_recording_ = false;
};

}  // namespace nomu
