// nomu optimize run: asks, runs a command for every trial, tells.

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "commands.hpp"
#include "model/model_output.hpp"
#include "nomu/core/error.hpp"
#include "nomu/data/table_io.hpp"
#include "optimize/child_process.hpp"
#include "optimize/command_text.hpp"
#include "optimize/optimize_commands.hpp"
#include "optimize/optimize_output.hpp"
#include "optimize/worker.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct Options {
  EngineOptions engine{.threads = 1};  // what is optimised wants the other cores
  std::string study;
  std::string command;
  std::int64_t workers = 1;
  double timeout = 0.0;
  std::int64_t trials = 0;
  std::int64_t failures = 10;
  double patience = 60.0;
  bool json = false;
};

class Runner {
  using Clock = std::chrono::steady_clock;

 public:
  explicit Runner(const Options& options)
      : options_(options),
        study_(Study::open(options.study, StudyAccess::write, shared_engine(options.engine))),
        worker_(worker_name()) {
    // A wrong placeholder is found before anything is asked for.
    (void)command_for(
        options.command, study_.space(),
        Trial{.id = 1, .point = study_.space().from_unit(std::vector<double>(study_.space().size(), 0.5))});
  }

  void run() {
    study_.release(is_gone);
    renewed_ = Clock::now();
    while (true) {
      if (interrupts().stop_requested()) give_up("stopped on request");
      const bool started = start_more();
      const bool ended = collect();
      record_again();
      if (slots_.empty() && unrecorded_.empty() && !started && !ended) break;
      renew();
      if (!started && !ended) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (trouble_) std::rethrow_exception(trouble_);
  }

  void summary() const {
    const StudyStatus status = study_.status();
    if (options_.json) {
      nlohmann::json line{{"finished", finished_}, {"failed", failed_}, {"trials", status.trials}};
      if (status.best) line["best"] = trial_json(study_.space(), *status.best);
      return write_out(json_line(line));
    }
    print("{} trials finished, {} failed\n", finished_, failed_);
    if (finished_ + failed_ == 0 && study_.finished()) print("nothing is left to try: {}\n", why_none(study_));
    if (status.best) {
      print("best: trial {}, value {}, {}\n", status.best->id, *status.best->value,
            point_text(study_.space(), status.best->point));
    }
  }

 private:
  static double seconds_since(Clock::time_point time) {
    return std::chrono::duration<double>(Clock::now() - time).count();
  }

  struct Slot {
    Trial trial;
    std::unique_ptr<ChildProcess> process;
  };

  /// What a command came to.
  struct Outcome {
    Trial trial;
    double value = 0.0;
    std::string reason;  ///< of a failure; empty: the value counts
    bool warned = false;

    [[nodiscard]] std::string text() const { return reason.empty() ? format_number(value) : "failed, " + reason; }
  };

  /// One more trial; nothing where the study has none, or is in trouble: what is running shall still be recorded.
  std::vector<Trial> ask() {
    try {
      return study_.ask(1, worker_, {.report = {}, .stop = interrupts().get_token()});
    } catch (const Cancelled&) {
      give_up("stopped on request");
    } catch (const Error&) {
      trouble_ = std::current_exception();
    }
    return {};
  }

  /// One more trial where a worker is free; one at a time, so that results that came meanwhile are used.
  bool start_more() {
    const bool enough = options_.trials > 0 && asked_ >= options_.trials;
    if (enough || exhausted_ || trouble_ || !unrecorded_.empty()) return false;
    if (slots_.size() >= static_cast<std::size_t>(options_.workers)) return false;
    const std::vector<Trial> asked = ask();
    if (asked.empty()) {
      exhausted_ = true;
      return false;
    }
    const Trial& trial = asked.front();
    const std::string input =
        nlohmann::json{{"id", trial.id}, {"point", point_json(study_.space(), trial.point)}}.dump() + "\n";
    slots_.push_back(
        {trial, std::make_unique<ChildProcess>(command_for(options_.command, study_.space(), trial), input)});
    ++asked_;
    return true;
  }

  bool collect() {
    bool any = false;
    for (std::size_t i = 0; i < slots_.size();) {
      ChildProcess& process = *slots_[i].process;
      // Looked at first: a result that came while a model was fitted is not late.
      const bool ended = process.poll();
      const bool late = !ended && options_.timeout > 0.0 && process.seconds() > options_.timeout;
      if (late) process.kill();
      if (!ended && !late) {
        ++i;
        continue;
      }
      any = true;
      exhausted_ = false;
      finish(slots_[i].trial, process, late);
      slots_.erase(slots_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return any;
  }

  void finish(const Trial& trial, const ChildProcess& process, bool late) {
    if (!late && process.not_found() && finished_ + failed_ == 0) {
      give_up("the command cannot be run (" + last_line(process.err()) + "); no trial was spent on it", true);
    }
    const std::string line = last_line(process.out());
    const CellValue value = read_cell(line);
    std::string reason;
    if (late) {
      reason = fmt::format("no result after {} s", options_.timeout);
    } else if (!process.failure().empty()) {
      reason = process.failure() + (process.err().empty() ? "" : ": " + last_line(process.err()));
    } else if (value.kind != CellKind::number) {
      reason = line.empty() ? "printed nothing"
                            : fmt::format("its last line is no finite number: '{}'", shortened(line, 200));
    }
    record({trial, value.number, reason});
  }

  /// Whether somebody else was given the trial after our lease and was faster.
  [[nodiscard]] bool told_by_others(std::int64_t id) const {
    try {
      return study_.trial(id).state != TrialState::pending;
    } catch (const Error&) {
      return false;
    }
  }

  void record(Outcome outcome) {
    const std::int64_t id = outcome.trial.id;
    try {
      if (outcome.reason.empty()) {
        study_.tell(id, outcome.value);
      } else {
        study_.fail(id, outcome.reason);
      }
    } catch (const Error& error) {
      if (told_by_others(id)) return;
      if (unrecorded_.empty()) first_try_ = last_try_ = Clock::now();
      if (!outcome.warned) warn("trial {}: {}, not recorded yet: {}\n", id, outcome.text(), error.what());
      outcome.warned = true;
      unrecorded_.push_back(std::move(outcome));
      return;
    }
    const bool failed = !outcome.reason.empty();
    failed ? ++failed_ : ++finished_;
    in_a_row_ = failed ? in_a_row_ + 1 : 0;
    if (!options_.json) print("trial {}: {}\n", id, outcome.text());
    if (options_.failures > 0 && in_a_row_ >= options_.failures) {
      give_up(fmt::format("{} trials in a row failed, the last one: {}", in_a_row_, outcome.reason));
    }
  }

  /// Results are dear: what could not be written, to a full disk for example, is tried again every second for a while.
  void record_again() {
    if (unrecorded_.empty() || seconds_since(last_try_) < 1.0) return;
    if (slots_.empty() && seconds_since(first_try_) > options_.patience) give_up("results could not be recorded");
    const auto begin = first_try_;
    // One by one, so that those not yet tried are still known should this end here.
    for (std::size_t waiting = unrecorded_.size(); waiting > 0; --waiting) {
      Outcome outcome = std::move(unrecorded_.front());
      unrecorded_.erase(unrecorded_.begin());
      record(std::move(outcome));
    }
    first_try_ = begin;
    last_try_ = Clock::now();
  }

  void renew() {
    if (trouble_ || seconds_since(renewed_) < study_.spec().lease / 3.0) return;
    renewed_ = Clock::now();
    try {
      for (const Slot& slot : slots_) study_.renew(slot.trial.id);
    } catch (const Error&) {
      // A full disk, say. A lease that runs out costs less than the commands that are running; the next turn tries
      // again.
    }
  }

  /// Trials that are running go back, to be handed out again; results that are on no disk are said.
  [[noreturn]] void give_up(std::string why, bool wrong_input = false) {
    slots_.clear();
    for (const Outcome& outcome : unrecorded_) {
      why += fmt::format("\n  not recorded, tell it yourself: trial {}, {}", outcome.trial.id, outcome.text());
    }
    try {
      study_.release([this](const std::string& worker) { return worker == worker_; });
    } catch (const Error&) {
      // Then their leases run out, or the next run on this machine sees that we are gone.
    }
    if (interrupts().stop_requested()) throw Cancelled("optimize", why);
    if (wrong_input) throw DataError("optimize", why);
    throw Error("optimize", why);
  }

  const Options& options_;
  Study study_;
  std::string worker_;
  std::vector<Slot> slots_;
  std::vector<Outcome> unrecorded_;
  std::exception_ptr trouble_;  // of asking; thrown when all that runs is recorded
  Clock::time_point renewed_, first_try_, last_try_;
  std::int64_t asked_ = 0;
  std::int64_t finished_ = 0;
  std::int64_t failed_ = 0;
  std::int64_t in_a_row_ = 0;
  bool exhausted_ = false;
};

}  // namespace

void add_optimize_run(CLI::App& optimize) {
  CLI::App* command = optimize.add_subcommand("run", "Ask, run a command for every trial, and tell what it prints");
  const auto options = std::make_shared<Options>();
  add_input(*command, "STUDY", options->study, "study file");
  command
      ->add_option("--command", options->command,
                   "shell command whose last line of output is the value; {x} stands for the value of x, {id} for the "
                   "trial, other braces stay; the trial is on its standard input as JSON")
      ->required();
  command->add_option("--workers", options->workers, "commands at the same time")
      ->capture_default_str()
      ->check(CLI::Range(1L, 1024L));
  command->add_option("--timeout", options->timeout, "seconds after which a command is ended and its trial failed")
      ->check(above_zero());
  command->add_option("--trials", options->trials, "how many at most; default: until the study is finished")
      ->check(above_zero());
  command
      ->add_option("--patience", options->patience, "seconds for which a result that cannot be written is tried again")
      ->capture_default_str()
      ->check(not_negative());
  command->add_option("--failures", options->failures, "stop after so many failures in a row; 0: never")
      ->capture_default_str()
      ->check(whole_number());
  command->add_flag("--json", options->json, "print JSON");
  add_engine_options(*command, options->engine);
  command->callback([options] {
    Runner runner(*options);
    runner.run();
    runner.summary();
  });
}

}  // namespace nomu::cli
