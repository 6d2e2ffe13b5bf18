// nomu optimize import, export and insight: results as tables, and what they say.

#include "commands.hpp"
#include "model/model_output.hpp"
#include "nomu/bo/trial_io.hpp"
#include "nomu/core/counted.hpp"
#include "nomu/core/error.hpp"
#include "optimize/optimize_commands.hpp"
#include "optimize/study_argument.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct Options {
  StudyArgument study;
  std::string file;
  std::string value = "value";
  std::string cost;
  bool json = false;
};

void run_import(const Options& options) {
  Study study = options.study.open(StudyAccess::write);
  const Table table = read_table(options.file);
  const std::vector<TrialResult> results = results_from_table(study.space(), table, options.value, options.cost);
  const std::size_t added = study.tell(results).size();
  const std::size_t left_out = table.rows() - added;
  if (options.json) return print_json(nlohmann::json{{"added", added}, {"without_value", left_out}});
  print("{} added{}\n", counted(added, "result"),
        left_out > 0 ? fmt::format(", {} without a value left out", counted(left_out, "row")) : "");
}

void run_export(const Options& options) {
  const Study study = options.study.open(StudyAccess::read);
  prepare_file(options.file, {options.study.place});
  const Table table = trials_table(study.space(), study.trials());
  write_table(options.file, table);
  if (options.json) return print_json(nlohmann::json{{"file", options.file}, {"trials", table.rows()}});
  print("{}: {}\n", options.file, counted(table.rows(), "trial"));
}

void run_insight(const Options& options) {
  const Study study = options.study.open(StudyAccess::read);
  const std::optional<Outlook> outlook = study.outlook();
  if (!outlook) throw Error("optimize", "there are too few different results for a model");
  const std::vector<Importance> importances = study.importances();
  if (options.json) {
    nlohmann::json all{{"best", nlohmann::json::parse(trial_to_json(study.space(), outlook->best))},
                       {"mean", outlook->mean},
                       {"sigma", outlook->sigma},
                       {"gain", outlook->gain},
                       {"worth_it", outlook->worth_it},
                       {"importances", nlohmann::json::array()}};
    for (const Importance& one : importances) {
      all["importances"].push_back({{"variable", one.variable}, {"share", one.share}, {"deviation", one.deviation}});
    }
    if (const std::vector<std::string> advice = study.advice(); !advice.empty()) all["advice"] = advice;
    return print_json(all);
  }
  print("best: trial {}, {}\n", outlook->best.id, point_text(study.space(), outlook->best.point));
  if (study.spec().noisy)
    print("value there: {:.6g} +- {:.2g} (recorded: {})\n", outlook->mean, outlook->sigma, *outlook->best.value);
  else
    print("value there: {}\n", *outlook->best.value);
  print("the next trial is expected to improve on it by {:.2g}: {}\n", outlook->gain,
        outlook->worth_it ? "worth going on" : "hardly worth going on");
  for (const Importance& one : importances)
    print("{:>5.1f} % +- {:.1f}  {}\n", 100.0 * one.share, 100.0 * one.deviation, one.variable);
  for (const std::string& sentence : study.advice()) warn("note: {}\n", sentence);
}

CLI::App* add(CLI::App& optimize, const char* name, const char* help, void (*run)(const Options&),
              const std::shared_ptr<Options>& options) {
  CLI::App* command = optimize.add_subcommand(name, help);
  add_study(*command, options->study);
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, run] { run(*options); });
  return command;
}

}  // namespace

void add_optimize_table(CLI::App& optimize) {
  const auto imported = std::make_shared<Options>();
  CLI::App* import = add(optimize, "import", "Add the results in a CSV file to a study", run_import, imported);
  add_input(*import, "FILE", imported->file, "CSV or TSV file with a column for each variable, and one for the value");
  import->add_option("--value", imported->value, "column of the values")->capture_default_str();
  import->add_option("--cost", imported->cost,
                     "column of what the results cost; cells may be empty; default: that of an exported table");
  const auto exported = std::make_shared<Options>();
  CLI::App* to_file = add(optimize, "export", "Write all trials to a CSV file", run_export, exported);
  add_input(*to_file, "FILE", exported->file, "CSV file to write; .tsv: separated by tabs");
  add(optimize, "insight", "Show what the results say about the best point, going on, and the variables", run_insight,
      std::make_shared<Options>());
}

}  // namespace nomu::cli
