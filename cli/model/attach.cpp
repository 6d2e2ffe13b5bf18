#include "nomu/interchange/attach.hpp"

#include <chrono>

#include "commands.hpp"
#include "model/findings.hpp"
#include "model/model_output.hpp"
#include "model/report_output.hpp"
#include "nomu/models/archive.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct Options {
  EngineOptions engine;
  std::string network;
  std::string data;
  FitRequest request{.columns = {.words = option_names()}};
  OnnxChoice choice = onnx_choice();
  std::string calibrate_on;
  std::string predict;
  std::string predictions;
  std::string out;
  std::string model;
  ReportOutput report;
  bool check = false;
  bool json = false;
  bool json_progress = false;
};

Model fit_file(const Options& options, const std::shared_ptr<const OnnxNetwork>& network) {
  const Table table = read_table(options.data);
  std::optional<Table> calibration;
  if (!options.calibrate_on.empty()) calibration = read_table(options.calibrate_on);
  const std::shared_ptr<Engine> engine = shared_engine(options.engine);
  ProgressBar bar(options.json_progress);
  const HeedInterrupts heed;
  const Progress progress{.report = bar.callback(), .stop = heed.token()};
  if (!calibration) return fit_bounds(options.request, network, table, engine, progress);
  return fit_bounds(options.request, network, table, *calibration, engine, progress);
}

void print_result(const Options& options, const OnnxNetworkInfo& info, const Model& model, double seconds) {
  std::optional<DesiderataReport> findings;
  if (options.check) findings = check_model(model, {.refit = false});
  if (options.json) {
    nlohmann::json line{{"onnx", options.out},         {"features", info.features},
                        {"opset", info.opset},         {"inputs", model.data().input_names},
                        {"rows", model.data().rows()}, {"calibration", calibration_json(model)},
                        {"seconds", seconds}};
    if (findings) line["desiderata"] = findings_json(*findings);
    return print_json(line);
  }
  print("bounds read layer '{}' of {}\n{}", info.features, options.network, model.describe());
  if (options.calibrate_on.empty() && model.default_level()) {
    print(
        "calibrated on rows that the network may have been trained on, where its errors are smaller; give rows it has "
        "not seen with --calibrate-on\n");
  }
  if (findings) print_findings(*findings);
  print("{:.1f} s\nonnx: {}\n", seconds, options.out);
}

void run(const Options& options) {
  prepare_file(options.out, {options.network, options.data, options.calibrate_on, options.predict});
  if (!options.predictions.empty())
    prepare_file(options.predictions,
                 {options.network, options.data, options.calibrate_on, options.predict, options.out});
  if (!options.model.empty())
    prepare_file(options.model, {options.network, options.data, options.calibrate_on, options.predict, options.out,
                                 options.predictions});
  options.report.prepare({options.network, options.data, options.calibrate_on, options.predict, options.out,
                          options.predictions, options.model});
  const auto begin = std::chrono::steady_clock::now();
  const std::shared_ptr<const OnnxNetwork> network = load_network(options.network, options.choice);
  const Model model = fit_file(options, network);
  save_attached(*network, model, options.out);
  if (!options.model.empty()) save_model(model, options.model, {options.data, options.calibrate_on});
  if (!options.predict.empty())
    write_table(options.predictions, predict_table(model, read_table(options.predict), model.default_level()));
  print_result(options, network->info(), model,
               std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  if (options.report.empty()) return;
  ModelReportSpec spec{.check = CheckSpec{.refit = false}};
  spec.title = "Bounds for " + std::filesystem::path(options.network).filename().string();
  const auto files = options.report.write(model, std::move(spec));
  if (!options.json) print("report: {}\n", files.front().string());
}

}  // namespace

void add_attach(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("attach", "Add bounds to a trained network: ONNX file in, ONNX file with bounds out");
  const auto options = std::make_shared<Options>();
  add_input(*command, "NETWORK", options->network, "ONNX file of a regression network");
  command->add_option("--data", options->data, "CSV or TSV file with rows the network was trained on")->required();
  command->add_option("--target", options->request.target, "column the network predicts")->required();
  const auto columns = [&](const char* name, std::vector<std::string>& list, const char* help) {
    command->add_option(name, list, help)->delimiter(',')->allow_extra_args(false);
  };
  columns("--inputs", options->request.columns.features,
          "columns in the order of the network's input; default: all others, in file order");
  columns("--ignore", options->request.columns.ignore, "columns that are not inputs, such as row ids");
  command->add_flag("--drop-missing", options->request.columns.drop_missing, "drop rows with missing values");
  command->add_option("--features", options->choice.features,
                      "node or value of the network that the bounds read; default: the input of its last layer");
  command->add_option("--output", options->choice.output,
                      "output of the network that is the prediction, if it has several");
  command
      ->add_option("--noise", options->request.noise,
                   "noise of the target: none, learned, or auto: learned from 100 rows on")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "none", "learned"}));
  add_range_option(*command, options->request, nullptr);
  add_calibration_options(*command, options->request);
  command->add_option("--calibrate-on", options->calibrate_on,
                      "file of calibration rows that the network has not seen");
  CLI::Option* predict = command->add_option("--predict", options->predict, "file of rows to predict with nomu itself");
  CLI::Option* predictions =
      command->add_option("--predictions", options->predictions, "table to write with the predictions of --predict");
  predict->needs(predictions);
  predictions->needs(predict);
  add_setting_options(*command, options->request);
  command->add_option("-o,--out", options->out, "ONNX file to write")->required();
  command->add_option("--model", options->model,
                      "model file to write as well, for predict, evaluate and report with --network NETWORK");
  command->add_option("--report", options->report.page, "HTML report on the bounds to write");
  command->add_option("--plots", options->report.plots, "folder for the plots of the report as SVG files");
  command->add_flag("--check", options->check, "check the bounds against the paper's desiderata");
  command->add_flag("--json", options->json, "print JSON");
  command->add_flag("--json-progress", options->json_progress, "write progress as JSON lines to standard error");
  add_engine_options(*command, options->engine);
  command->callback([options] { run(*options); });
}

}  // namespace nomu::cli
