// nomu optimize run: asks, runs a command for every trial, tells.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include "child_process.hpp"
#include "commands.hpp"
#include "model_output.hpp"
#include "nomu/core/error.hpp"
#include "nomu/data/table_io.hpp"
#include "optimize_commands.hpp"
#include "optimize_output.hpp"
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
  bool json = false;
};

/// When a process began, in ticks since the machine did; empty: there is none. Tells it from a later one of its number.
std::string start_of(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string text;
  if (!std::getline(file, text)) return {};
  std::istringstream rest(text.substr(std::min(text.rfind(')') + 2, text.size())));
  std::string word;
  for (int field = 3; field <= 22; ++field) rest >> word;
  return word;
}

std::string host() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string worker_name() {
  const std::string pid = fmt::format("{}", getpid());
  return fmt::format("run:{}:{}:{}", host(), pid, start_of(pid));
}

/// Whether a worker of ours on this machine is no more.
bool is_gone(const std::string& worker) {
  std::istringstream parts(worker);
  std::string kind;
  std::string where;
  std::string pid;
  std::string start;
  std::getline(parts, kind, ':');
  std::getline(parts, where, ':');
  std::getline(parts, pid, ':');
  std::getline(parts, start, ':');
  return kind == "run" && where == host() && start_of(pid) != start;
}

/// Text that a shell reads as one word.
std::string quoted(const std::string& text) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("+-._/,:=@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// The command with {name} replaced by the trial's values and {id} by its number.
std::string command_for(const std::string& command, const Space& space, const Trial& trial) {
  std::string result;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::size_t end = command[i] == '{' ? command.find('}', i) : std::string::npos;
    if (end == std::string::npos) {
      result += command[i];
      continue;
    }
    const std::string name = command.substr(i + 1, end - i - 1);
    if (name == "id") {
      result += fmt::format("{}", trial.id);
    } else {
      const std::size_t j = space.index_of(name);
      result += quoted(space.text(j, trial.point[j]));
    }
    i = end;
  }
  return result;
}

std::string last_line(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  }
  const std::size_t begin = last.find_first_not_of(" \t\r");
  return begin == std::string::npos ? "" : last.substr(begin, last.find_last_not_of(" \t\r") + 1 - begin);
}

class Runner {
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
    renewed_ = std::chrono::steady_clock::now();
    while (true) {
      if (interrupts().stop_requested()) give_up("stopped on request");
      const bool started = start_more();
      const bool ended = collect();
      if (slots_.empty() && !started && !ended) break;
      renew();
      if (!started && !ended) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  void summary() const {
    const StudyStatus status = study_.status();
    if (options_.json) {
      nlohmann::json line{{"finished", finished_}, {"failed", failed_}, {"trials", status.trials}};
      if (status.best) line["best"] = trial_json(study_.space(), *status.best);
      return print("{}\n", line.dump());
    }
    print("{} trials finished, {} failed\n", finished_, failed_);
    if (status.best) {
      print("best: trial {}, value {}, {}\n", status.best->id, *status.best->value,
            point_text(study_.space(), status.best->point));
    }
  }

 private:
  struct Slot {
    Trial trial;
    std::unique_ptr<ChildProcess> process;
  };

  /// One more trial where a worker is free; one at a time, so that results that came meanwhile are used.
  bool start_more() {
    const bool enough = options_.trials > 0 && asked_ >= options_.trials;
    if (enough || exhausted_ || slots_.size() >= static_cast<std::size_t>(options_.workers)) return false;
    const std::vector<Trial> asked = study_.ask(1, worker_, {.report = {}, .stop = interrupts().get_token()});
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
      const bool late = options_.timeout > 0.0 && process.seconds() > options_.timeout;
      if (late) process.kill();
      if (!process.poll() && !late) {
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
    if (!late && process.not_found()) {
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
                            : fmt::format("its last line is no finite number: '{}'", line.substr(0, 200));
    }
    record(trial, value.number, reason);
  }

  void record(const Trial& trial, double value, const std::string& reason) {
    try {
      if (reason.empty()) {
        study_.tell(trial, value);
      } else {
        study_.fail(trial.id, reason);
      }
    } catch (const DataError&) {
      // Somebody else was given the trial after our lease and was faster.
      if (study_.trial(trial.id).state == TrialState::pending) throw;
      return;
    }
    reason.empty() ? ++finished_ : ++failed_;
    in_a_row_ = reason.empty() ? 0 : in_a_row_ + 1;
    if (!options_.json) {
      print("trial {}: {}\n", trial.id, reason.empty() ? format_number(value) : "failed, " + reason);
    }
    if (options_.failures > 0 && in_a_row_ >= options_.failures) {
      give_up(fmt::format("{} trials in a row failed, the last one: {}", in_a_row_, reason));
    }
  }

  void renew() {
    const auto now = std::chrono::steady_clock::now();
    if (std::chrono::duration<double>(now - renewed_).count() < study_.spec().lease / 3.0) return;
    renewed_ = now;
    for (const Slot& slot : slots_) study_.renew(slot.trial.id);
  }

  /// Trials that are running go back, to be handed out again.
  [[noreturn]] void give_up(const std::string& why, bool wrong_input = false) {
    slots_.clear();
    study_.release([this](const std::string& worker) { return worker == worker_; });
    if (interrupts().stop_requested()) throw Cancelled("optimize", why);
    if (wrong_input) throw DataError("optimize", why);
    throw Error("optimize", why);
  }

  const Options& options_;
  Study study_;
  std::string worker_;
  std::vector<Slot> slots_;
  std::chrono::steady_clock::time_point renewed_;
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
                   "trial, and the trial is on its standard input as JSON")
      ->required();
  command->add_option("--workers", options->workers, "commands at the same time")
      ->capture_default_str()
      ->check(CLI::Range(1L, 1024L));
  command->add_option("--timeout", options->timeout, "seconds after which a command is ended and its trial failed")
      ->check(CLI::PositiveNumber);
  command->add_option("--trials", options->trials, "how many at most; default: until the study is finished")
      ->check(CLI::PositiveNumber);
  command->add_option("--failures", options->failures, "stop after so many failures in a row; 0: never")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--json", options->json, "print JSON");
  add_engine_options(*command, options->engine);
  command->callback([options] {
    Runner runner(*options);
    runner.run();
    runner.summary();
  });
}

}  // namespace nomu::cli
