#include "commands.hpp"
#include "model/model_output.hpp"
#include "nomu/models/archive.hpp"
#include "terminal.hpp"

namespace nomu::cli {

void add_show(CLI::App& app) {
  CLI::App* command = app.add_subcommand("show", "Show what a model file contains");
  struct Options {
    std::string model;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  add_input(*command, "MODEL", options->model, "model file");
  command->add_flag("--json", options->json, "print JSON: every setting, column, factor and report");
  command->callback([options] {
    const Model model = load_model(options->model, shared_engine({.device = "cpu", .threads = 1}));
    print("{}", options->json ? model_json(model) + "\n" : model.describe());
  });
}

}  // namespace nomu::cli
