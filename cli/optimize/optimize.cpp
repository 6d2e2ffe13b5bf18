// nomu optimize: creates studies and shows what is in them.

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "commands.hpp"
#include "model/model_output.hpp"
#include "nomu/bo/trial_io.hpp"
#include "nomu/core/config.hpp"
#include "nomu/core/counted.hpp"
#include "nomu/core/error.hpp"
#include "optimize/optimize_commands.hpp"
#include "optimize/study_argument.hpp"
#include "paper/run/shared_rows.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct Options {
  EngineOptions engine = study_engine_options();
  StudyArgument study;
  std::string target;
  std::string space;
  std::string from;
  std::vector<std::string> settings;
  std::int64_t limit = 20;
  std::int64_t budget = 0;
  bool all = false;
  bool csv = false;
  bool json = false;
  bool quick = false;
  bool watch = false;
};

/// Variables of the earlier space that the new one does not have.
std::vector<std::string> without(const Space& earlier, const Space& space) {
  std::vector<std::string> names;
  for (const Variable& variable : earlier.variables()) {
    const auto same = [&](const Variable& other) { return other.name == variable.name; };
    if (std::ranges::none_of(space.variables(), same)) names.push_back(variable.name);
  }
  return names;
}

/// Errors about a space, such as constraints that no point meets, name its file.
template <class Action>
auto about_space(const std::string& file, const Action& action) {
  try {
    return action();
  } catch (const ConfigError& error) {
    if (error.where() != "bo/space") throw;
    throw ConfigError(error.where(), fmt::format("{}: {}", file, error.message()));
  }
}

void run_new(const Options& options) {
  StudyFile file = parse_study_file(read_toml_file(options.space), options.space);
  const Fields fields = fields_of(file.spec);
  for (const std::string& setting : options.settings) apply_setting(fields, setting);
  EarlierResults earlier;
  std::vector<std::string> others;
  if (!options.from.empty()) {
    const Study before = Study::open(options.from, StudyAccess::read, {}, options.study.file_systems());
    others = without(before.space(), file.space);
    earlier = earlier_results(before, file.space, file.spec.direction);
    keep_private(options.study.place, {options.from});
  }
  const Study study = about_space(options.space, [&] {
    return Study::create(options.study.place, file.space, file.spec, {}, options.study.file_systems(), earlier);
  });
  if (!others.empty()) {
    warn("note: {} has variables that the new study has not: {}; its results count as if they did not matter\n",
         options.from, fmt::join(others, ", "));
  }
  if (options.json) return print_json(nlohmann::json{{"study", study.name()}, {"earlier", earlier.points.size()}});
  const std::string name = study.name();
  const bool plain = name.find_first_of(" '\"&?;$`*\\") == std::string::npos;
  const std::string begins =
      earlier.points.empty()
          ? ""
          : fmt::format(", beginning with {} of {}", counted(earlier.points.size(), "result"), options.from);
  print("{}: {}, to be {} with {}{}\nnext: nomu optimize ask {}\n", name, counted(file.space.size(), "variable"),
        file.spec.direction == Direction::minimize ? "minimised" : "maximised", file.spec.method, begins,
        plain ? name : fmt::format("'{}'", name));
}

/// A store of the paper's experiments has neither a best point nor a budget.
void show_cohorts(const StudyStatus& status, bool json) {
  if (json) {
    return print_json(nlohmann::json{{"cohorts", status.trials},
                                     {"finished", status.finished},
                                     {"pending", status.pending},
                                     {"expired", status.expired}});
  }
  print("a store of the paper's experiments (nomu reproduce --store): {} cohorts so far, {} finished, {} pending{}\n",
        status.trials, status.finished, status.pending,
        status.expired > 0 ? fmt::format(" ({} waiting for a worker)", status.expired) : "");
}

void show_status(const Study& study, bool json) {
  const StudyStatus status = study.status();
  if (holds_rows(study.space())) return show_cohorts(status, json);
  if (json) {
    nlohmann::json line{{"trials", status.trials},   {"finished", status.finished}, {"failed", status.failed},
                        {"pending", status.pending}, {"expired", status.expired},   {"budget", study.budget()},
                        {"done", study.finished()}};
    if (status.best_result) {
      line[study.spec().noisy ? "best_result" : "best"] =
          nlohmann::json::parse(trial_to_json(study.space(), *status.best_result));
    }
    return print_json(line);
  }
  print("{}: {} finished, {} failed, {} pending{}\n",
        counted(status.trials, "trial") + (study.budget() > 0 ? fmt::format(" of {}", study.budget()) : ""),
        status.finished, status.failed, status.pending,
        status.expired > 0 ? fmt::format(" ({} waiting for a worker)", status.expired) : "");
  if (const std::optional<Trial>& best = status.best_result) {
    // With noise, the best point is the model's choice, and status fits no model.
    print("{}: trial {}, value {}, {}\n", study.spec().noisy ? "best result" : "best", best->id, *best->value,
          point_text(study.space(), best->point));
  }
}

void run_budget(const Options& options) {
  Study study = options.study.open(StudyAccess::write);
  study.set_budget(options.budget);
  show_status(study, options.json);
}

void wait_a_second() {
  const HeedInterrupts heed;
  for (int i = 0; i < 10; ++i) {
    if (heed.token().stop_requested()) throw Cancelled("optimize", "stopped on request");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

void run_status(const Options& options) {
  const Study study = options.study.open(StudyAccess::read);
  show_status(study, options.json);
  while (options.watch && !(study.finished() && study.status().pending == 0)) {
    wait_a_second();
    show_status(study, options.json);
  }
}

void run_best(const Options& options) {
  const Study study = options.study.open(StudyAccess::read);
  const std::optional<Outlook> outlook = study.outlook();
  const std::optional<Trial> best = outlook ? outlook->best : study.best();
  if (!best) throw Error("optimize", "no trial has a result yet");
  const std::vector<std::string> advice = study.advice();
  if (options.json) {
    nlohmann::json all = nlohmann::json::parse(trial_to_json(study.space(), *best));
    if (outlook) all["mean"] = outlook->mean;
    if (outlook) all["sigma"] = outlook->sigma;
    if (!advice.empty()) all["advice"] = advice;
    return print("{}\n", all.dump());
  }
  print("trial {}\nvalue {}\n", best->id, *best->value);
  if (outlook && study.spec().noisy) print("expected {:.6g} +- {:.2g}\n", outlook->mean, outlook->sigma);
  for (std::size_t j = 0; j < study.space().size(); ++j) {
    if (!study.space().active(j, best->point)) continue;
    print("{} {}\n", study.space().variables()[j].name, study.space().text(j, best->point[j]));
  }
  for (const std::string& sentence : advice) warn("note: {}\n", sentence);
}

void run_list(const Options& options) {
  const Study study = options.study.open(StudyAccess::read);
  const std::vector<Trial> trials = study.trials(options.all ? 0 : options.limit);
  if (options.csv) return write_out(format_table(trials_table(study.space(), trials)));
  std::string text;
  for (const Trial& trial : trials) {
    if (options.json) {
      text += trial_to_json(study.space(), trial) + "\n";
      continue;
    }
    const std::string why = trial.reason.empty() ? "" : fmt::format(" ({})", trial.reason);
    const std::string result = trial.value ? format_number(*trial.value) : state_name(trial.state) + why;
    text += fmt::format("{:>6}  {:<24} {}\n", trial.id, result, point_text(study.space(), trial.point));
  }
  write_out(text);
}

void run_copy(const Options& options) {
  keep_private(options.target, {options.study.place});
  copy_study(options.study.place, options.target, options.study.file_systems());
  const Study copy = Study::open(options.target, StudyAccess::read, {}, options.study.file_systems());
  const StudyStatus status = copy.status();
  if (options.json) return print_json(nlohmann::json{{"study", copy.name()}, {"trials", status.trials}});
  print("{}: {}\n", copy.name(), counted(status.trials, "trial"));
}

std::string suggestions_text(const VerifyReport& report) {
  return fmt::format("{} of {} suggestions equal bit for bit{}{}", report.exact, report.suggestions,
                     report.near > 0 ? fmt::format(", {} nearly equal", report.near) : "",
                     report.as_good > 0 ? fmt::format(", {} different but as good", report.as_good) : "");
}

void run_verify(const Options& options) {
  const Study study = options.study.open(StudyAccess::read, shared_engine(options.engine));
  ProgressBar bar;
  const VerifyReport report = study.verify(options.quick, {.report = bar.callback(), .stop = HeedInterrupts().token()});
  bar.finish();
  if (options.json) {
    print_json(nlohmann::json{{"clean", report.clean()},
                              {"events", report.events},
                              {"trials", report.trials},
                              {"suggestions", report.suggestions},
                              {"exact", report.exact},
                              {"near", report.near},
                              {"as_good", report.as_good},
                              {"problems", report.problems}});
  } else {
    print("{}, {}; {}\n", counted(report.events, "event"), counted(report.trials, "trial"),
          options.quick ? "suggestions not recomputed" : suggestions_text(report));
    for (const std::string& problem : report.problems) print("problem: {}\n", problem);
    if (report.clean()) print("clean\n");
  }
  if (!report.clean()) throw Error("optimize", "the study does not match its log");
}

}  // namespace

void add_study(CLI::App& command, StudyArgument& study) {
  add_input(command, "STUDY", study.place, "study: a file, or an address like postgresql://host/db?study=NAME");
  command.add_flag("--trust-file-system", study.trust_file_system,
                   "use a file even if it is on a file system that several machines share");
}

void add_optimize(CLI::App& app) {
  CLI::App* optimize = app.add_subcommand("optimize", "Search for the best point of an expensive function");
  optimize->require_subcommand(1);
  const auto command = [&](const char* name, const char* help, void (*run)(const Options&)) {
    CLI::App* made = optimize->add_subcommand(name, help);
    const auto options = std::make_shared<Options>();
    add_study(*made, options->study);
    made->add_flag("--json", options->json, "print JSON");
    made->callback([options, run] { run(*options); });
    return std::pair(made, options);
  };
  const auto [make, make_options] = command("new", "Create a study", run_new);
  make->add_option("--space", make_options->space, "TOML file with variables, constraints and settings")->required();
  make->add_option("--set", make_options->settings,
                   "settings of the study, for example budget=60; nomu settings optimize lists them")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  make->add_option("--from", make_options->from,
                   "an earlier study of a similar problem, with the same variables; its results are a beginning")
      ->type_name("STUDY");
  add_optimize_ask(*optimize);
  add_optimize_tell(*optimize);
  add_optimize_enqueue(*optimize);
  add_optimize_run(*optimize);
  const auto [status, status_options] =
      command("status", "Show the progress of a study; never blocks writers", run_status);
  status->add_flag("--watch", status_options->watch, "repeat every second until the study is finished");
  command("best", "Show the best trial so far", run_best);
  const auto [budget, budget_options] = command("budget", "Change the total number of trials of a study", run_budget);
  budget->add_option("TRIALS", budget_options->budget, "total number of trials, including those so far; 0: no limit")
      ->required()
      ->check(whole_number());
  const auto [list, list_options] = command("list", "List the latest trials", run_list);
  list->add_option("--limit", list_options->limit, "number of trials")->capture_default_str()->check(above_zero());
  list->add_flag("--all", list_options->all, "all trials");
  list->add_flag("--csv", list_options->csv, "print CSV")->excludes(list->get_option("--json"));
  const auto [copy, copy_options] = command("copy", "Copy a study, log included, to another file or address", run_copy);
  add_input(*copy, "TARGET", copy_options->target, "file or address of the copy, where there must be no study yet");
  add_optimize_table(*optimize);
  add_optimize_report(*optimize);
  add_optimize_workers(*optimize);
  const auto [verify, verify_options] =
      command("verify", "Replay the log and check that everything follows from it", run_verify);
  verify->add_flag("--quick", verify_options->quick, "do not recompute the suggestions");
  add_engine_options(*verify, verify_options->engine);
}

}  // namespace nomu::cli
