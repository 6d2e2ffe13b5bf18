#include <algorithm>
#include <chrono>
#include <map>

#include "commands.hpp"
#include "model/model_output.hpp"
#include "model/report_output.hpp"
#include "model/targets.hpp"
#include "nomu/core/config.hpp"
#include "nomu/core/counted.hpp"
#include "nomu/core/error.hpp"
#include "nomu/data/split.hpp"
#include "nomu/models/archive.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct Options {
  EngineOptions engine;
  std::string file;
  FitRequest request{.columns = {.words = option_names()}};
  std::map<std::string, TargetRange> ranges;  ///< of targets by name
  std::string calibrate_on;
  std::string config;
  std::string out;
  ReportOutput report;
  bool json = false;
  bool json_progress = false;
};

/// Applies the file of settings before --set; later ones win.
FitRequest request_of(const Options& options) {
  FitRequest request = options.request;
  if (options.config.empty()) return request;
  std::vector<Setting> settings = settings_of_toml(read_toml_file(options.config), options.config);
  settings.insert(settings.end(), request.settings.begin(), request.settings.end());
  request.settings = std::move(settings);
  return request;
}

/// `--range y=0,inf` for the only target.
TargetRange only_range(const Options& options) {
  if (options.ranges.empty()) return options.request.range;
  if (options.ranges.size() == 1 && options.ranges.begin()->first == options.request.target)
    return options.ranges.begin()->second;
  throw ConfigError("fit", fmt::format("--range names '{}', but the target is '{}'", options.ranges.begin()->first,
                                       options.request.target));
}

/// The model or models of a request, whose files have all been read.
template <class Request>
auto fit_rows(const Options& options, const Request& request, const Table& table,
              const std::optional<Table>& calibration) {
  ProgressBar bar(options.json_progress);
  const HeedInterrupts heed;
  const Progress progress{.report = bar.callback(), .stop = heed.token()};
  return about_file(options.file, [&] {
    if (!calibration) return fit(request, table, shared_engine(options.engine), progress);
    return fit(request, table, *calibration, shared_engine(options.engine), progress);
  });
}

std::optional<Table> calibration_rows(const Options& options) {
  if (options.calibrate_on.empty()) return {};
  return about_file(options.file, [&] { return std::optional(read_table(options.calibrate_on)); });
}

TargetModels fit_targets(const Options& options, const Table& table, const std::vector<std::string>& targets) {
  const TargetsRequest request{.fit = request_of(options), .targets = targets, .ranges = options.ranges};
  return fit_rows(options, request, table, calibration_rows(options));
}

Model fit_file(const Options& options, const Table& table) {
  FitRequest request = request_of(options);
  request.range = only_range(options);
  return fit_rows(options, request, table, calibration_rows(options));
}

void print_fit(const Options& options, const Model& model, double seconds) {
  const std::optional<MetricsReport> held_out = held_out_metrics(model);
  const std::optional<Trustworthiness> trust = judge_trust(model);
  const EngineInfo& engine = model.parts().engine;
  if (options.json) {
    nlohmann::json line{{"model", options.out},
                        {"method", method_name(model.spec().method)},
                        {"rows", model.data().rows()},
                        {"distinct_rows", distinct_rows(model.data().inputs, model.data().cols()).count},
                        {"inputs", model.data().cols()},
                        {"dropped_rows", model.data().report.dropped_lines.size()},
                        {"constant_columns", model.data().report.constant_columns},
                        {"table", table_json(model.data())},
                        {"loss", model.report().best_loss},
                        {"calibration", calibration_json(model)},
                        {"seconds", seconds},
                        {"engine", engine.name},
                        {"provider", engine.provider},
                        {"isa", engine.isa},
                        {"threads", engine.threads}};
    if (held_out) line["held_out"] = metrics_json(*held_out);
    if (trust) line["trust"] = trust_json(*trust);
    return print_json(line);
  }
  print("{}", model.describe());
  // Files are the same from every interface, so the notes in them name no option.
  const auto mixed = [](const ColumnNote& note) { return note.kind == ColumnNote::Kind::mixed_cells; };
  if (std::ranges::any_of(model.data().report.notes, mixed))
    print("--categorical COLUMN says that the cells of a column are names, --ignore COLUMN leaves it out\n");
  if (held_out) {
    print("held-out rows: RMSE {:.4g}, NLL {:.4g}, sharpness {:.4g}\n", held_out->rmse, held_out->nll,
          held_out->sharpness);
  }
  if (trust) {
    for (const std::string& line : trust_lines(*trust)) print("{}\n", line);
  }
  print("{:.1f} s with {}\nmodel: {}\n", seconds, counted(engine.threads, "thread"), options.out);
}

void write_fit_report(const Options& options, const ReportOutput& report, const Model& model) {
  if (report.empty()) return;
  ModelReportSpec spec{.check = CheckSpec{.refit = false}};
  spec.title =
      fmt::format("{} from {}", model.data().target_name, std::filesystem::path(options.file).filename().string());
  const auto files = report.write(model, std::move(spec));
  if (!options.json) print("report: {}\n", files.front().string());
}

/// Inputs that `predict` could not take, since it adds columns of the same names.
void refuse_names_of_predictions(const Options& options, const Table& table) {
  const DatasetOptions& roles = options.request.columns;
  const auto among = [](const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  for (const std::string& name : table.names()) {
    const bool other_role = name == options.request.target || name == roles.weight || name == roles.group ||
                            name == roles.time || name == options.request.noise;
    const bool input = roles.features.empty() ? !other_role && !among(roles.ignore, name) : among(roles.features, name);
    if (!input || !is_predicted_column(name)) continue;
    throw DataError("fit",
                    fmt::format("{}: the input '{}' has the name of a column that predict adds; rename it in the "
                                "file, or leave it out (--ignore {})",
                                table.source(), name, name));
  }
}

void run(const Options& options) {
  prepare_file(options.out, {options.file, options.config, options.calibrate_on});
  options.report.prepare({options.file, options.config, options.calibrate_on, options.out});
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  const Table table = read_table(options.file);
  refuse_names_of_predictions(options, table);
  const std::vector<std::string> targets = target_list(options.request.target, table);
  // Models are saved first, in case a report fails.
  if (targets.size() > 1) {
    const std::vector<ReportOutput> reports = reports_of(options.report, targets);
    for (const ReportOutput& report : reports)
      report.prepare({options.file, options.config, options.calibrate_on, options.out});
    const TargetModels models = fit_targets(options, table, targets);
    save_targets(models, options.out, {options.file, options.calibrate_on});
    print_targets_fit(models, options.out, seconds(), options.json);
    for (std::size_t t = 0; t < targets.size(); ++t) write_fit_report(options, reports[t], models.models()[t]);
    return;
  }
  const Model model = fit_file(options, table);
  save_model(model, options.out, {options.file, options.calibrate_on});
  print_fit(options, model, seconds());
  write_fit_report(options, options.report, model);
}

void add_column_options(CLI::App& command, Options& options) {
  command
      .add_option("--target", options.request.target,
                  "column to predict; several, such as a,b, are fitted into one file")
      ->required();
  const auto columns = [&](const char* name, std::vector<std::string>& list, const char* help) {
    command.add_option(name, list, help)->delimiter(',')->allow_extra_args(false);
  };
  columns("--features", options.request.columns.features, "input columns; default: all without another role");
  columns("--ignore", options.request.columns.ignore, "columns that are not inputs, such as row ids");
  columns("--categorical", options.request.columns.categorical,
          "inputs whose cells are names even if they look like numbers");
  command.add_option("--weight", options.request.columns.weight, "column of row weights");
  command.add_option("--group", options.request.columns.group, "column of groups that are held out together");
  command.add_option("--coverage-by", options.request.coverage_by,
                     "column of names, such as a site: the bounds keep their level within each name with enough rows");
  command.add_option("--time", options.request.columns.time, "column of times; the latest rows are held out");
  command.add_flag("--drop-missing", options.request.columns.drop_missing,
                   "drop rows with missing values instead of learning from them");
  add_range_option(command, options.request, &options.ranges);
  command.add_option(
      "--noise", options.request.noise,
      "noise of the target: auto, none, learned, or a column with each row's standard deviation; default: auto, which "
      "under presets auto and interactive learns it from 30 rows on (100 for methods other than nomu)");
}

}  // namespace

void add_fit(CLI::App& app) {
  CLI::App* command = app.add_subcommand("fit", "Fit a calibrated model to a CSV file");
  const auto options = std::make_shared<Options>();
  add_input(*command, "DATA", options->file, "CSV or TSV file with a header line");
  add_column_options(*command, *options);
  command->add_option("--method", options->request.method, "method to fit")
      ->capture_default_str()
      ->check(CLI::IsMember(method_names()));
  command
      ->add_option("--preset", options->request.preset,
                   "settings to start from: auto, interactive, published or written, as far as the method has them")
      ->capture_default_str();
  add_calibration_options(*command, options->request);
  command->add_option("--calibrate-on", options->calibrate_on,
                      "file of calibration rows; no training rows are held out then");
  command->add_option("--config", options->config, "TOML file of settings");
  add_setting_options(*command, options->request);
  command->add_option("-o,--out", options->out, "model file to write")->required();
  command->add_option("--report", options->report.page, "HTML report on the model to write");
  command->add_option("--plots", options->report.plots, "folder for the plots of the report as SVG files");
  command->add_flag("--json", options->json, "print JSON");
  command->add_flag("--json-progress", options->json_progress, "write progress as JSON lines to standard error");
  add_engine_options(*command, options->engine);
  command->callback([options] { run(*options); });
}

}  // namespace nomu::cli
