#pragma once
/// Evaluates the trials of a study: asks for them, runs a shell command or a function for each, and records the
/// results. Several workers, in this process and in others, may work on one study.

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "nomu/bo/study.hpp"
#include "nomu/core/fields.hpp"
#include "nomu/core/progress.hpp"

namespace nomu {

struct WorkerSpec {
  std::int64_t workers = 1;    ///< number of evaluations that run at the same time
  double timeout = 0.0;        ///< seconds after which a command is killed and its trial fails; 0: never
  double start_within = 0.0;   ///< seconds after which no further evaluation is started; 0: no limit
  std::int64_t trials = 0;     ///< largest number of trials to evaluate; 0: until the study is finished
  std::int64_t failures = 10;  ///< consecutive failures after which to stop; 0: never
  double patience = 60.0;  ///< seconds for which to retry when a result cannot be written or a server cannot be reached
  /// Whether to stay, when nothing is left to start, while other workers evaluate trials: those of one that dies are
  /// taken over.
  bool wait = true;
  bool until_settled = false;  ///< stop when, three results in a row, going on is not worth it (`Outlook::worth_it`)
};

[[nodiscard]] Fields fields_of(WorkerSpec& spec);

/// What an evaluation produced.
struct EvaluatedTrial {
  Trial trial;
  double value = 0.0;
  std::string reason = {};  ///< why the evaluation failed; empty: `value` is the result

  /// The value, or "failed, " and the reason.
  [[nodiscard]] std::string text() const;
};

/// Called from the thread that called `run_worker`; each may be empty.
struct WorkerCallbacks {
  /// The result has been written to the study.
  std::function<void(const EvaluatedTrial&)> recorded = {};
  /// The result could not be written, for the reason given in `error`. It is kept and written again later.
  std::function<void(const EvaluatedTrial&, const std::string& error)> not_recorded = {};
  /// The result is dropped: another worker, which was given the trial when our lease had ended, has recorded `kept`.
  std::function<void(const EvaluatedTrial&, const Trial& kept)> dropped = {};
  /// Nothing is left to start, and so many trials of other workers are waited for.
  std::function<void(std::int64_t trials)> waiting = {};
};

struct WorkerReport {
  std::int64_t finished = 0;
  std::int64_t failed = 0;
  bool settled = false;  ///< whether it stopped because going on was not worth it
};

/// Calls `open`, which opens a study. While its server cannot be reached, because it is being restarted for example, it
/// is called again for `patience` seconds; `waiting`, which may be empty, is told once why. Throws what `open` throws,
/// and Cancelled.
[[nodiscard]] Study open_for_work(const std::function<Study()>& open, double patience, const std::stop_token& stop = {},
                                  const std::function<void(const std::string& why)>& waiting = {});

/// Runs `command` with /bin/sh for every trial; the last line it prints is the value. {name} in the command stands for
/// the value of a variable and {id} for the number of the trial, and the trial is on standard input as JSON:
/// {"id": 3, "point": {"x": 0.5}}. A non-zero exit code, a last line that is not a finite number and a timeout are
/// failures. A command that is running when this process dies is killed.
///
/// Trials of earlier workers whose process no longer exists are evaluated first; leases are renewed while evaluations
/// run. Returns when no trial is left, also none that another worker evaluates (`WorkerSpec::wait`). Otherwise the
/// trials that are still running go back to the study, and it throws ConfigError for an invalid spec, DataError for a
/// command that names an unknown variable or cannot be run, Cancelled when `progress.stop` was requested, and Error
/// after too many failures in a row, when results cannot be written (the message lists them) and when the study cannot
/// be read.
WorkerReport run_worker(Study& study, const std::string& command, const WorkerSpec& spec = {},
                        const WorkerCallbacks& callbacks = {}, const Progress& progress = {});

/// The same with a function, which is called from other threads, up to `spec.workers` at a time. Exceptions and values
/// that are not finite are failures; a function that throws Cancelled stops the worker. A running function cannot be
/// interrupted: a stop waits for it and records its result, and `spec.timeout` must be 0.
WorkerReport run_worker(Study& study, const std::function<double(const Trial&)>& evaluate, const WorkerSpec& spec = {},
                        const WorkerCallbacks& callbacks = {}, const Progress& progress = {});

/// The machine on which a worker of `run_worker` runs, by the worker's name (`Trial::worker`); empty for other names.
[[nodiscard]] std::string worker_host(const std::string& name);

}  // namespace nomu
