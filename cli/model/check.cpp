#include "commands.hpp"
#include "model/findings.hpp"
#include "model/model_output.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct Options : ModelFile {
  CheckSpec check;
  bool no_refit = false;
  bool json = false;
  bool json_progress = false;
};

void run(const Options& options) {
  const Model model = options.load();
  CheckSpec spec = options.check;
  spec.refit = !options.no_refit;
  ProgressBar bar(options.json_progress);
  const DesiderataReport report = about_file(options.model, [&] {
    return check_model(model, spec, {.report = bar.callback(), .stop = HeedInterrupts().token()});
  });
  bar.finish();
  if (!options.json) return print_findings(report);
  print_json(findings_json(report));
}

}  // namespace

void add_check(CLI::App& app) {
  CLI::App* command = app.add_subcommand("check", "Check a model's uncertainty against the paper's desiderata");
  const auto options = std::make_shared<Options>();
  options->add_to(*command);
  command->add_option("--probes", options->check.probes, "number of random points to predict")
      ->capture_default_str()
      ->check(CLI::Range(2L, 10000000L));
  command->add_option("--margin", options->check.margin, "how far beyond the data to probe, in widths of the data")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1000.0));
  command->add_option("--seed", options->check.seed, "seed of the probes")->capture_default_str();
  command->add_flag("--no-refit", options->no_refit, "skip D5, which takes three more fits");
  command->add_flag("--json", options->json, "print JSON");
  command->add_flag("--json-progress", options->json_progress, "write progress as JSON lines to standard error");
  command->callback([options] { run(*options); });
}

}  // namespace nomu::cli
