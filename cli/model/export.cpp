#include <fmt/format.h>

#include "commands.hpp"
#include "model/model_output.hpp"
#include "nomu/core/printable.hpp"
#include "nomu/interchange/onnx.hpp"
#include "nomu/models/archive.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct Options {
  EngineOptions engine;
  std::string model;
  std::string target;
  std::optional<double> level;
  std::string out;
  bool json = false;
};

constexpr std::size_t shown_bytes = 200;  // of a name

void run(const Options& options) {
  prepare_file(options.out, {options.model});
  const Model model = load_one(options.model, options.target, options.engine);
  const std::optional<double> level = options.level ? options.level : model.default_level();
  about_model(options.model, [&] { save_onnx(model, options.out, level); });
  const std::vector<std::string>& inputs = model.data().input_names;
  if (options.json) {
    nlohmann::json line{{"onnx", options.out}, {"opset", onnx_opset}, {"inputs", inputs}};
    if (level) line.update({{"level", *level}, {"guarantee", guarantee(model.calibration(), *level)}});
    return print_json(line);
  }
  std::vector<std::string> names;
  names.reserve(inputs.size());
  for (const std::string& input : inputs) names.push_back(printable(input, shown_bytes));
  print("input x, float [rows][{}]: {}\n", inputs.size(), fmt::format("{}", fmt::join(names, ", ")));
  if (level) {
    print("bounds of {}: {}\n", percent(*level), guarantee(model.calibration(), *level));
  } else {
    print("the model is not calibrated, so there are no outputs lower and upper\n");
  }
  print("onnx: {}\n", options.out);
}

}  // namespace

void add_export(CLI::App& app) {
  CLI::App* command = app.add_subcommand("export", "Write a model as an ONNX file, including its scaling and bounds");
  const auto options = std::make_shared<Options>();
  add_input(*command, "MODEL", options->model, "model file");
  add_target_option(*command, options->target);
  command->add_option("--level", options->level, "level of the bounds; default: the one the model was fitted for");
  command->add_option("-o,--out", options->out, "ONNX file to write")->required();
  command->add_flag("--json", options->json, "print JSON");
  add_engine_options(*command, options->engine);
  command->callback([options] { run(*options); });
}

}  // namespace nomu::cli
