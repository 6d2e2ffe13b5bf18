// nomu optimize report: one page about a study.

#include <fmt/chrono.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "commands.hpp"
#include "model_output.hpp"
#include "nomu/core/file.hpp"
#include "nomu/experiment/optimization_report.hpp"
#include "optimize_commands.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct Options {
  EngineOptions engine{.threads = 1};  // what is optimised wants the other cores
  std::string study;
  std::string out;
  std::string title;
  std::optional<double> optimum;
  bool no_model = false;
};

void run(const Options& options) {
  const std::filesystem::path study = options.study;
  const std::string out =
      options.out.empty() ? std::filesystem::path(study).replace_extension(".html").string() : options.out;
  prepare_file(out, {study});
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  ProgressBar bar;
  const std::string page =
      render_optimization_report(Study::open(study, StudyAccess::read, shared_engine(options.engine)),
                                 {.title = options.title.empty() ? study.stem().string() : options.title,
                                  .date = fmt::format("{:%Y-%m-%d}", today),
                                  .optimum = options.optimum,
                                  .model = !options.no_model},
                                 {.report = bar.callback(), .stop = interrupts().get_token()});
  bar.finish();
  write_file_atomically(out, page);
  print("{}\n", out);
}

}  // namespace

void add_optimize_report(CLI::App& optimize) {
  CLI::App* command = optimize.add_subcommand("report", "Write a page of pictures about a study");
  const auto options = std::make_shared<Options>();
  add_input(*command, "STUDY", options->study, "study file");
  command->add_option("-o,--out", options->out, "HTML file to write; default: beside the study");
  command->add_option("--title", options->title, "title of the page");
  command->add_option("--optimum", options->optimum, "known optimum: draw the regret");
  command->add_flag("--no-model", options->no_model, "without slices and maps of a model");
  add_engine_options(*command, options->engine);
  command->callback([options] { run(*options); });
}

}  // namespace nomu::cli
