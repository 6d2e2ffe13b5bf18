#include "nomu/bo/worker.hpp"

#include <chrono>
#include <thread>

#include "bo/worker/command_evaluation.hpp"
#include "bo/worker/function_evaluation.hpp"
#include "bo/worker/worker_loop.hpp"
#include "nomu/core/error.hpp"
#include "nomu/data/table_io.hpp"

namespace nomu {
namespace {

void check_ranges(WorkerSpec spec) {
  const Fields fields = fields_of(spec);
  for (const Field& field : fields.list()) fields.set(field.name, field.get());
}

}  // namespace

Fields fields_of(WorkerSpec& spec) {
  Fields f("bo/worker");
  f.add("workers", spec.workers, Range::between(1.0, 1024.0), "number of evaluations that run at the same time");
  f.add("timeout", spec.timeout, Range::at_least(0.0), "seconds after which a command is killed; 0: never");
  f.add("start_within", spec.start_within, Range::at_least(0.0),
        "seconds after which no further evaluation is started; 0: no limit");
  f.add("trials", spec.trials, Range::at_least(0.0), "largest number of trials; 0: until the study is finished");
  f.add("failures", spec.failures, Range::at_least(0.0), "consecutive failures after which to stop; 0: never");
  f.add("patience", spec.patience, Range::at_least(0.0),
        "seconds for which to retry when a result cannot be written, or the server of the study cannot be reached");
  f.add("wait", spec.wait, "when nothing is left to start, stay until the trials of other workers have ended");
  f.add("until_settled", spec.until_settled,
        "stop when, three results in a row, hardly any improvement is to be expected");
  return f;
}

std::string EvaluatedTrial::text() const { return reason.empty() ? format_number(value) : "failed, " + reason; }

Study open_for_work(const std::function<Study()>& open, double patience, const std::stop_token& stop,
                    const std::function<void(const std::string& why)>& waiting) {
  constexpr auto slice = std::chrono::milliseconds(100);
  constexpr int slices = 10;  // between two attempts
  const auto begin = std::chrono::steady_clock::now();
  for (bool told = false;; told = true) {
    try {
      return open();
    } catch (const ConnectionLost& error) {
      if (std::chrono::steady_clock::now() - begin >= std::chrono::duration<double>(patience)) throw;
      if (!told && waiting) waiting(error.what());
    }
    for (int k = 0; k < slices; ++k) {
      if (stop.stop_requested()) throw Cancelled("bo/worker", "stopped on request");
      std::this_thread::sleep_for(slice);
    }
  }
}

WorkerReport run_worker(Study& study, const std::string& command, const WorkerSpec& spec,
                        const WorkerCallbacks& callbacks, const Progress& progress) {
  check_ranges(spec);
  if (command.find_first_not_of(" \t\r\n") == std::string::npos) throw ConfigError("bo/worker", "the command is empty");
  const StartEvaluation start = command_evaluations(command, study.space());
  return WorkerLoop(study, start, spec, callbacks, progress).run();
}

WorkerReport run_worker(Study& study, const std::function<double(const Trial&)>& evaluate, const WorkerSpec& spec,
                        const WorkerCallbacks& callbacks, const Progress& progress) {
  check_ranges(spec);
  if (!evaluate) throw ConfigError("bo/worker", "the function is empty");
  if (spec.timeout > 0.0) {
    throw ConfigError("bo/worker", "timeout must be 0 for a function: only a command can be stopped while it runs");
  }
  const StartEvaluation start = function_evaluations(evaluate);
  return WorkerLoop(study, start, spec, callbacks, progress).run();
}

}  // namespace nomu
