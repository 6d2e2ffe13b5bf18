#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

#include "commands.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"
#include "paper/experiment_files.hpp"
#include "paper/figures/figures.hpp"
#include "paper/revision.hpp"
#include "paper/run/runner.hpp"
#include "paper/tables/tables.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  EngineOptions engine;
  std::string experiment;
  std::string experiments;
  std::string profile = "full";
  ExperimentPart part;
  std::string data;
  std::string out;
  std::vector<std::string> results;
  std::string pack;
  SharedPlace shared;
  double limit = 0.0;
  bool list = false;
  bool report_only = false;
  bool json = false;
  bool json_progress = false;
};

/// Creates the folder for results. If an exception passes, removes the folders it created that are still empty, so that
/// a failed command leaves nothing behind.
class ResultFolder {
 public:
  explicit ResultFolder(const fs::path& folder) {
    for (fs::path path = folder; !path.empty() && !fs::exists(path); path = path.parent_path())
      created_.push_back(path);
    prepare_folder(folder);
  }
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;
  ResultFolder(ResultFolder&&) = delete;
  ResultFolder& operator=(ResultFolder&&) = delete;
  ~ResultFolder() {
    if (std::uncaught_exceptions() == 0) return;
    std::error_code ignored;  // for folders that are not empty
    for (const fs::path& path : created_) fs::remove(path, ignored);
  }

 private:
  std::vector<fs::path> created_;  // innermost first
};

fs::path folder_of(const Options& options) {
  return options.experiments.empty() ? experiment_folder() : fs::path(options.experiments);
}

void list(const Options& options) {
  nlohmann::json lines = nlohmann::json::array();
  for (const fs::path& file : list_experiments(folder_of(options))) {
    const ExperimentSpec spec = read_experiment(file, ExperimentProfile::full);
    std::vector<std::string> methods;
    for (const ExperimentMethod& method : spec.methods) {
      if (method.name.find('/') == std::string::npos) methods.push_back(method.name);
    }
    if (options.json) {
      lines.push_back({{"experiment", spec.name},
                       {"title", spec.title},
                       {"paper", spec.paper},
                       {"methods", methods},
                       {"problems", spec.problems},
                       {"runs", spec.runs}});
    } else {
      cli::print("{:<16} {}{}\n{:<16} {} runs of {}\n{:<16} methods: {}\n", spec.name, spec.title,
                 spec.paper.empty() ? "" : fmt::format(" ({})", spec.paper), "", spec.runs,
                 fmt::join(spec.problems, ", "), "", fmt::join(methods, ", "));
    }
  }
  if (options.json) print_json(lines);
}

fs::path rows_folder(const Options& options) { return fs::path(options.out) / "rows"; }

/// The whole experiment, regardless of the requested part.
ExperimentSpec experiment_of(const Options& options) {
  const bool by_name = !options.experiment.ends_with(".toml");
  const fs::path file = experiment_file(by_name ? folder_of(options) : fs::path(), options.experiment);
  ExperimentSpec spec =
      read_experiment(file, options.profile == "smoke" ? ExperimentProfile::smoke : ExperimentProfile::full);
  spec.data = options.data;
  return spec;
}

/// All finished rows of the experiment, method by method.
std::vector<ResultRow> finished_rows(const ExperimentSpec& spec, const ResultStore& store) {
  std::vector<ResultRow> rows;
  for (const Piece& piece : expand_experiment(spec, "fp32", false)) {
    for (const ExperimentRun& run : piece.runs) {
      for (const char* precision : {"fp32", "tf32", "fp64"}) {
        ResultKey key = run.key;
        key.precision = precision;
        if (const ResultRow* row = store.find(key)) rows.push_back(*row);
      }
    }
  }
  // Packed bytes must not depend on the order of the work.
  std::ranges::stable_sort(rows, [](const ResultRow& a, const ResultRow& b) {
    return std::tie(a.method, a.problem, a.key.seed) < std::tie(b.method, b.problem, b.key.seed);
  });
  return rows;
}

/// Where rows are: in the folder of this command, or with other machines.
struct Rows {
  ResultStore store;
  std::unique_ptr<SharedRows> shared;
};

Rows rows_of(const Options& options) {
  if (options.shared.place.empty()) return {ResultStore(rows_folder(options)), nullptr};
  SharedPlace place = options.shared;
  place.must_exist = options.report_only;  // a mistyped name must not leave an empty store behind
  Rows rows{ResultStore(), std::make_unique<SharedRows>(place, HeedInterrupts::token())};
  rows.shared->read_new(rows.store);
  return rows;
}

RunnerReport compute(const Options& options, const ExperimentSpec& spec, Rows& rows) {
  const auto engine = make_engine(options.engine);
  ProgressBar bar(options.json_progress);
  return run_experiment(spec, rows.store, *engine,
                        {.limit_seconds = options.limit,
                         .revision = revision(),
                         .records = rows_folder(options),
                         .shared = rows.shared.get()},
                        {.report = bar.callback(), .stop = HeedInterrupts::token()});
}

void write_report(const Options& options, const ExperimentReport& report) {
  const fs::path out = options.out;
  write_file_atomically(out / "report.md", report_markdown(report));
  write_file_atomically(out / "report.csv", report_csv(report));
  write_file_atomically(out / "report.svg", report_svg(report));
  if (const std::string curves = curves_svg(report); !curves.empty()) {
    write_file_atomically(out / "curves.svg", curves);
  }
  if (!options.json) print("{}report: {}\n", report_text(report), (out / "report.md").string());
}

/// Figures in which at least one of the chosen methods has a panel.
std::vector<std::string> figures_of(const Options& options, const ExperimentSpec& spec) {
  if (options.part.methods.empty()) return spec.problems;
  std::vector<std::string> figures;
  std::ranges::copy_if(spec.problems, std::back_inserter(figures), [&](const std::string& name) {
    return std::ranges::any_of(spec.methods, [&](const ExperimentMethod& method) {
      return std::ranges::find(method.problems, name) != method.problems.end();
    });
  });
  return figures;
}

/// Draws the figures that do not exist yet, so that repeating a stopped command continues it.
void draw_figures(const Options& options, const ExperimentSpec& spec) {
  const std::vector<std::string> figures = figures_of(options, spec);
  const auto engine = make_engine(options.engine);
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [begin] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  ProgressBar bar(options.json_progress);
  std::size_t existing = 0;
  std::size_t added = 0;
  for (const std::string& name : figures) {
    const fs::path file = fs::path(options.out) / (name + ".svg");
    if (fs::exists(file)) {
      ++existing;
      continue;
    }
    if (options.limit > 0.0 && elapsed() >= options.limit) continue;
    write_file_atomically(
        file, draw_figure(spec, name, *engine, {.report = bar.callback(), .stop = HeedInterrupts::token()}));
    ++added;
  }
  if (options.json) {
    return print_json(nlohmann::json{{"experiment", spec.name},
                                     {"pictures", figures},
                                     {"added", added},
                                     {"seconds", elapsed()},
                                     {"out", options.out}});
  }
  print("{} of {} figures existed already, {} added in {:.1f} s{}: {}\n", existing, figures.size(), added, elapsed(),
        existing + added < figures.size() ? "; run the same command again to continue" : "", options.out);
}

void run(Options options) {
  if (options.list) return list(options);
  if (options.experiment.empty())
    throw ConfigError("reproduce", "give the name of an experiment; `nomu reproduce --list` shows them");
  ExperimentSpec whole = experiment_of(options);
  ExperimentSpec spec = whole;
  restrict_to(spec, options.part);
  if (options.out.empty()) options.out = (fs::path("reproduce") / spec.name).string();
  const ResultFolder folder(options.out);
  std::optional<HeedInterrupts> heed(std::in_place);
  if (spec.kind == figures_kind) {
    if (!options.shared.place.empty())
      throw ConfigError("reproduce", "figures are drawn on one machine: leave --store out");
    return draw_figures(options, spec);
  }
  Rows rows = rows_of(options);
  ResultStore& store = rows.store;
  for (const std::string& packed : options.results) store.import(packed);
  RunnerReport done;
  if (!options.report_only) done = compute(options, spec, rows);
  heed.reset();
  whole.runs = std::max(whole.runs, spec.runs);
  if (!options.pack.empty()) write_rows(options.pack, finished_rows(whole, store));
  write_report(options, make_report(spec, store));
  if (options.json) {
    print_json(nlohmann::json{{"experiment", spec.name},
                              {"runs", done.runs},
                              {"finished_before", done.finished},
                              {"added", done.added},
                              {"by_others", done.by_others},
                              {"failed", done.failed},
                              {"complete", done.complete()},
                              {"seconds", done.seconds},
                              {"report", (fs::path(options.out) / "report.md").string()}});
  } else if (!options.report_only) {
    print("{} of {} runs were finished before, {} added in {:.1f} s{}{}{}\n", done.finished, done.runs, done.added,
          done.seconds, done.by_others > 0 ? fmt::format(", {} by other processes", done.by_others) : "",
          done.failed > 0 ? fmt::format(", {} of the added ones failed", done.failed) : "",
          done.complete() ? "" : "; run the same command again to continue");
  }
}

}  // namespace

void add_reproduce(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("reproduce", "Run an experiment of the paper and compare the results with its numbers");
  const auto options = std::make_shared<Options>();
  command->add_option("EXPERIMENT", options->experiment, "experiment by name, or a .toml file");
  command->add_flag("--list", options->list, "list the experiments");
  command->add_option("--profile", options->profile, "full: the paper's sizes; smoke: a test that takes seconds")
      ->capture_default_str()
      ->check(CLI::IsMember({"smoke", "full"}));
  const auto names = [&](const char* name, std::vector<std::string>& into, const char* help) {
    command->add_option(name, into, help)->delimiter(',')->allow_extra_args(false)->type_name("A,B");
  };
  names("--methods", options->part.methods, "only these methods; default: all");
  names("--problems,--functions", options->part.problems, "only these functions, data sets or dimensions");
  command->add_option("--runs", options->part.runs, "number of runs per problem")->check(above_zero());
  command->add_option("--seeds", options->part.seeds, "only runs with these seeds; for data sets, these splits")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("A,B");
  command->add_option("--data", options->data, "folder of data files, for experiments that need them");
  command->add_option("--out", options->out, "folder for rows and report; default: reproduce/EXPERIMENT");
  command->add_option("--limit", options->limit, "seconds after which no new cohort is started")->check(above_zero());
  names("--results", options->results, "files of packed rows that count as finished");
  command->add_option("--pack", options->pack, "write all finished rows to this .csv or .csv.gz file");
  command
      ->add_option("--store", options->shared.place,
                   "share the work with other machines: claim cohorts and keep rows in this database, "
                   "postgresql://host/db?study=NAME, or file")
      ->type_name("ADDRESS");
  command
      ->add_option("--lease", options->shared.lease,
                   "with --store: seconds after which a cohort of a machine that is not heard of is taken over")
      ->capture_default_str()
      ->check(above_zero());
  command
      ->add_option("--patience", options->shared.patience,
                   "with --store: seconds for which a database that is away is waited for")
      ->capture_default_str()
      ->check(not_negative());
  command->add_flag("--trust-file-system", options->shared.trust_file_system,
                    "with --store: allow a file on a file system that machines share");
  command->add_option("--experiments", options->experiments, "folder of the experiment files");
  command->add_flag("--report", options->report_only, "fit nothing, only report what is finished");
  command->add_flag("--json", options->json, "print JSON");
  command->add_flag("--json-progress", options->json_progress, "write progress as JSON lines to standard error");
  add_engine_options(*command, options->engine);
  command->callback([options] { run(*options); });
}

}  // namespace nomu::cli
