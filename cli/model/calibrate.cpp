#include "commands.hpp"
#include "model/model_output.hpp"
#include "model/targets.hpp"
#include "nomu/models/archive.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct Options : ModelAndRows {
  FitRequest request;
  std::string out;
};

void run(const Options& options, const TargetModels& models) {
  const std::vector<DataSet> rows = labelled_rows(models, read_table(options.file), options.drop_missing);
  const TargetModels result = about_predictions(options, [&] { return calibrated(models, rows, options.request); });
  save_targets(result, options.out, {options.model, options.file});
  if (options.json) {
    nlohmann::json line = targets_json(result);
    line["model"] = options.out;
    return print_json(line);
  }
  print("{}model: {}\n", result.describe(), options.out);
}

void run(const Options& options) {
  prepare_file(options.out, {options.file, options.network});
  const auto loaded = options.load_any();
  if (const auto* several = std::get_if<TargetModels>(&loaded)) return run(options, *several);
  const auto& model = std::get<Model>(loaded);
  const DataSet rows = labelled_rows(model, read_table(options.file), options.drop_missing);
  const Model result = about_predictions(options, [&] { return calibrated(model, rows, options.request); });
  save_model(result, options.out, {options.model, options.file});
  if (options.json) {
    nlohmann::json line = calibration_json(result);
    line["model"] = options.out;
    print_json(line);
  } else {
    print("{}model: {}\n", result.describe(), options.out);
  }
}

}  // namespace

void add_calibrate(CLI::App& app) {
  CLI::App* command = app.add_subcommand("calibrate", "Recalibrate a model on rows it has not seen");
  const auto options = std::make_shared<Options>();
  options->add_to(*command, "DATA", "CSV or TSV file with the target column");
  add_calibration_options(*command, options->request);
  command->add_option("-o,--out", options->out, "model file to write; may be MODEL")->required();
  command->callback([options] { run(*options); });
}

}  // namespace nomu::cli
