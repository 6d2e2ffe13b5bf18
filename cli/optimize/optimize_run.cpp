// nomu optimize run: evaluates the trials of a study with a command.

#include <memory>

#include "commands.hpp"
#include "model/model_output.hpp"
#include "nomu/bo/trial_io.hpp"
#include "nomu/bo/worker.hpp"
#include "nomu/core/counted.hpp"
#include "optimize/optimize_commands.hpp"
#include "optimize/study_argument.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct Options {
  EngineOptions engine = study_engine_options();
  StudyArgument study;
  std::string command;
  WorkerSpec worker;
  bool no_wait = false;
  bool json = false;
};

void print_summary(const Study& study, const WorkerReport& report, bool json) {
  const StudyStatus status = study.status();
  const std::optional<Trial> best = study.best();
  if (json) {
    nlohmann::json line{{"finished", report.finished},
                        {"failed", report.failed},
                        {"trials", status.trials},
                        {"settled", report.settled}};
    if (best) line["best"] = nlohmann::json::parse(trial_to_json(study.space(), *best));
    return print_json(line);
  }
  print("{} finished, {} failed\n", counted(report.finished, "trial"), report.failed);
  if (report.finished + report.failed == 0 && study.finished()) {
    print("nothing is left to try: {}\n", study.why_finished());
  }
  if (report.settled) print("settled: hardly any improvement is to be expected; nomu optimize insight shows why\n");
  if (best) print("best: trial {}, value {}, {}\n", best->id, *best->value, point_text(study.space(), best->point));
}

void run(const Options& options) {
  const HeedInterrupts heed;
  const std::stop_token stop = heed.token();
  const std::shared_ptr<Engine> engine = shared_engine(options.engine);
  Study study = open_for_work([&] { return options.study.open(StudyAccess::write, engine); }, options.worker.patience,
                              stop, [](const std::string& why) { warn("waiting for the server: {}\n", why); });
  WorkerCallbacks callbacks;
  callbacks.not_recorded = [](const EvaluatedTrial& evaluated, const std::string& error) {
    warn("trial {}: {}, not recorded yet: {}\n", evaluated.trial.id, evaluated.text(), error);
  };
  callbacks.dropped = [](const EvaluatedTrial& evaluated, const Trial& kept) {
    warn("trial {}: {} is dropped, because the lease had ended and another worker has recorded {}\n",
         evaluated.trial.id, evaluated.text(),
         EvaluatedTrial{.trial = kept, .value = kept.value.value_or(0.0), .reason = kept.reason}.text());
  };
  callbacks.waiting = [](std::int64_t trials) {
    warn("nothing is left to start; waiting for {} trials of other workers, in case one of them dies\n", trials);
  };
  if (!options.json) {
    callbacks.recorded = [](const EvaluatedTrial& evaluated) {
      print("trial {}: {}\n", evaluated.trial.id, evaluated.text());
    };
  }
  WorkerSpec worker = options.worker;
  worker.wait = !options.no_wait;
  const WorkerReport report = run_worker(study, options.command, worker, callbacks, {.report = {}, .stop = stop});
  print_summary(study, report, options.json);
}

}  // namespace

void add_optimize_run(CLI::App& optimize) {
  CLI::App* command = optimize.add_subcommand("run", "Evaluate trials with a command and record what it prints");
  const auto options = std::make_shared<Options>();
  WorkerSpec& worker = options->worker;
  add_study(*command, options->study);
  command
      ->add_option("--command", options->command,
                   "shell command whose last line of output is the value; {x} stands for the value of x, {id} for the "
                   "number of the trial, other braces are kept; the trial is on its standard input as JSON")
      ->required();
  command->add_option("--workers", worker.workers, "number of commands that run at the same time")
      ->capture_default_str()
      ->check(CLI::Range(1L, 1024L));
  command->add_option("--timeout", worker.timeout, "seconds after which a command is killed and its trial fails")
      ->check(above_zero());
  command
      ->add_option("--start-within", worker.start_within,
                   "seconds after which no further trial is started; those that run are finished")
      ->check(above_zero());
  command->add_option("--trials", worker.trials, "largest number of trials; default: until the study is finished")
      ->check(above_zero());
  command
      ->add_option(
          "--patience", worker.patience,
          "seconds for which to retry when a result cannot be written, or the server of the study cannot be reached")
      ->capture_default_str()
      ->check(not_negative());
  command->add_option("--failures", worker.failures, "consecutive failures after which to stop; 0: never")
      ->capture_default_str()
      ->check(whole_number());
  command->add_flag("--no-wait", options->no_wait,
                    "end when nothing is left to start; default: stay until the trials of other workers have ended, to "
                    "take over those of one that dies");
  command->add_flag("--until-settled", worker.until_settled,
                    "stop when, three results or failures in a row, hardly any improvement is to be expected");
  command->add_flag("--json", options->json, "print JSON");
  add_engine_options(*command, options->engine);
  command->callback([options] { run(*options); });
}

}  // namespace nomu::cli
