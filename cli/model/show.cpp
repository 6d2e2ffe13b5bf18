#include "commands.hpp"
#include "model/model_output.hpp"
#include "model/targets.hpp"
#include "nomu/models/archive.hpp"
#include "terminal.hpp"

namespace nomu::cli {

void add_show(CLI::App& app) {
  CLI::App* command = app.add_subcommand("show", "Show what a model file contains");
  struct Options : ModelFile {
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  options->add_to(*command);
  command->add_flag("--json", options->json, "print JSON: every setting, column, factor and report");
  command->callback([options] {
    const auto loaded = options->load_any();
    if (const auto* several = std::get_if<TargetModels>(&loaded))
      return print("{}", options->json ? targets_json(*several).dump(2) + "\n" : several->describe());
    const auto& model = std::get<Model>(loaded);
    print("{}", options->json ? model_json(model) + "\n" : model.describe());
  });
}

}  // namespace nomu::cli
