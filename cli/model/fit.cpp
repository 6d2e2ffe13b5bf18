#include <chrono>

#include "commands.hpp"
#include "model/model_output.hpp"
#include "model/report_output.hpp"
#include "nomu/core/config.hpp"
#include "nomu/core/file.hpp"
#include "nomu/models/archive.hpp"
#include "nomu/models/preset.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct Options {
  EngineOptions engine;
  std::string file;
  DatasetOptions data;
  std::string method = "nomu";
  std::string preset = "auto";
  std::optional<std::string> noise;
  CalibrationOptions calibration;
  std::string calibrate_on;
  std::string config;
  std::vector<std::string> settings;
  std::optional<std::int64_t> seed;
  std::string out;
  ReportOutput report;
  bool json = false;
  bool json_progress = false;
};

bool names_column(const std::optional<std::string>& noise) { return noise && *noise != "none" && *noise != "learned"; }

/// Applies the preset, then the file of settings, then --set, then the dedicated options; later ones win.
FitSpec spec_of(const Options& options, const DataSet& data) {
  FitSpec spec;
  spec.method = method_preset(options.method, options.preset, data.cols());
  if (options.noise) {
    set_noise(spec.method, names_column(options.noise) ? "known" : *options.noise);
  } else {
    choose_noise(spec.method, options.preset, data.rows());
  }
  const Fields fields = fields_of(spec);
  if (!options.config.empty()) apply_toml(fields, read_file(options.config), options.config);
  for (const std::string& setting : options.settings) apply_setting(fields, setting);
  options.calibration.apply(spec);
  if (options.seed) spec.seed = *options.seed;
  return spec;
}

Model fit_file(const Options& options, std::shared_ptr<Engine> engine) {
  DatasetOptions columns = options.data;
  if (names_column(options.noise)) columns.noise = *options.noise;
  const DataSet data = read_dataset(options.file, columns);
  const FitSpec spec = spec_of(options, data);
  ProgressBar bar(options.json_progress);
  const Progress progress{.report = bar.callback(), .stop = interrupts().get_token()};
  if (options.calibrate_on.empty()) return fit(spec, data, std::move(engine), progress);
  columns.min_rows = 1;
  const DataSet rows = make_dataset(read_table(options.calibrate_on), data.features, columns);
  return fit(spec, data, rows, std::move(engine), progress);
}

void print_fit(const Options& options, const Model& model, double seconds) {
  const std::optional<MetricsReport> held_out = held_out_metrics(model);
  const EngineInfo& engine = model.parts().engine;
  if (options.json) {
    nlohmann::json line{{"model", options.out},
                        {"method", method_name(model.spec().method)},
                        {"rows", model.data().rows()},
                        {"inputs", model.data().cols()},
                        {"dropped_rows", model.data().report.dropped_lines.size()},
                        {"constant_columns", model.data().report.constant_columns},
                        {"loss", model.report().best_loss},
                        {"calibration", calibration_json(model)},
                        {"seconds", seconds},
                        {"engine", engine.name},
                        {"provider", engine.provider},
                        {"isa", engine.isa},
                        {"threads", engine.threads}};
    if (held_out) line["held_out"] = metrics_json(*held_out);
    return print("{}\n", line.dump());
  }
  print("{}", model.describe());
  if (held_out) {
    print("held-out rows: RMSE {:.4g}, NLL {:.4g}, sharpness {:.4g}\n", held_out->rmse, held_out->nll,
          held_out->sharpness);
  }
  print("{:.1f} s with {} threads\nmodel: {}\n", seconds, engine.threads, options.out);
}

void write_fit_report(const Options& options, const Model& model) {
  if (options.report.empty()) return;
  ModelReportSpec spec{.check = CheckSpec{.refit = false}};
  spec.title =
      fmt::format("{} from {}", model.data().target_name, std::filesystem::path(options.file).filename().string());
  const auto files = options.report.write(model, std::move(spec), {.report = {}, .stop = interrupts().get_token()});
  if (!options.json) print("report: {}\n", files.front().string());
}

void run(const Options& options) {
  prepare_file(options.out, {options.file, options.config, options.calibrate_on});
  options.report.prepare({options.file, options.config, options.calibrate_on, options.out});
  const auto begin = std::chrono::steady_clock::now();
  const Model model = fit_file(options, shared_engine(options.engine));
  save_model(model, options.out);
  print_fit(options, model, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  // The model is already saved, in case the report fails.
  write_fit_report(options, model);
}

void add_column_options(CLI::App& command, Options& options) {
  command.add_option("--target", options.data.target, "column to predict")->required();
  const auto columns = [&](const char* name, std::vector<std::string>& list, const char* help) {
    command.add_option(name, list, help)->delimiter(',')->allow_extra_args(false);
  };
  columns("--features", options.data.features, "input columns; default: all without another role");
  columns("--ignore", options.data.ignore, "columns that are not inputs, such as row ids");
  columns("--categorical", options.data.categorical, "inputs whose cells are names even if they look like numbers");
  command.add_option("--weight", options.data.weight, "column of row weights");
  command.add_option("--group", options.data.group, "column of groups that are held out together");
  command.add_option("--time", options.data.time, "column of times; the latest rows are held out");
  command.add_flag("--drop-missing", options.data.drop_missing, "drop rows with missing values");
  command.add_option("--noise", options.noise,
                     "noise of the target: none, learned, or a column with each row's standard deviation; default with "
                     "preset auto: learned if there are at least 100 rows");
}

}  // namespace

void add_fit(CLI::App& app) {
  CLI::App* command = app.add_subcommand("fit", "Fit a calibrated model to a CSV file");
  const auto options = std::make_shared<Options>();
  add_input(*command, "DATA", options->file, "CSV or TSV file with a header line");
  add_column_options(*command, *options);
  command->add_option("--method", options->method, "method to fit")
      ->capture_default_str()
      ->check(CLI::IsMember(method_names()));
  command->add_option("--preset", options->preset, "settings to start from: auto, published or written")
      ->capture_default_str();
  options->calibration.add_to(*command);
  command->add_option("--calibrate-on", options->calibrate_on,
                      "file of calibration rows; no training rows are held out then");
  command->add_option("--config", options->config, "TOML file of settings");
  command->add_option("--set", options->settings, "key=value: one setting, for example train.epochs=200")
      ->allow_extra_args(false);
  command->add_option("--seed", options->seed, "seed of everything random")->check(whole_number());
  command->add_option("-o,--out", options->out, "model file to write")->required();
  command->add_option("--report", options->report.page, "HTML report on the model to write");
  command->add_option("--plots", options->report.plots, "folder for the plots of the report as SVG files");
  command->add_flag("--json", options->json, "print JSON");
  command->add_flag("--json-progress", options->json_progress, "write progress as JSON lines to standard error");
  add_engine_options(*command, options->engine);
  command->callback([options] { run(*options); });
}

}  // namespace nomu::cli
