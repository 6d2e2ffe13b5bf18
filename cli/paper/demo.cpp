#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "nomu/core/counted.hpp"
#include "nomu/core/file.hpp"
#include "paper/figures/toy.hpp"
#include "paper/problems/functions.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct Options {
  EngineOptions engine;
  std::string out = "demo";
  std::string preset = "published";
  std::vector<std::string> settings;
  std::vector<std::string> functions = {"levy"};
  ToySpec toy;
  bool json = false;
};

void print_report(const Options& options, const ToyReport& report, const EngineInfo& engine, double seconds,
                  const std::string& figure) {
  if (options.json) {
    nlohmann::json desiderata;
    for (const Finding& finding : report.desiderata.findings) {
      if (finding.measured) desiderata[finding.name] = *finding.measured;
    }
    print_json(nlohmann::json{{"function", options.toy.function},
                              {"seed", options.toy.seed},
                              {"preset", options.preset},
                              {"auc", report.metrics.auc},
                              {"min_nll", report.metrics.min_nll},
                              {"c", report.c},
                              {"rmse", report.metrics.rmse},
                              {"desiderata", desiderata},
                              {"seconds", seconds},
                              {"engine", engine.name},
                              {"provider", engine.provider},
                              {"isa", engine.isa},
                              {"threads", engine.threads},
                              {"report", figure}});
    return;
  }
  print("NOMU ({}) on {} points of {}, input seed {}, measured on {} fresh points\n", options.preset, options.toy.rows,
        options.toy.function, options.toy.seed, options.toy.test_rows);
  print("  AUC      {:8.3f}   mean width against coverage, smaller is better\n", report.metrics.auc);
  print("  min NLL  {:8.3f}   at c = {:.2f}\n", report.metrics.min_nll, report.c);
  print("  RMSE     {:8.3f}\n", report.metrics.rmse);
  for (const char* name : {"D2", "D3"}) print("  {}       {}\n", name, report.desiderata.find(name).sentence);
  print("  loss     {:8.2e}   after {} epochs, from {:.2e}\n", report.fit.best_loss, report.fit.epochs,
        report.fit.first_loss);
  print("  {:.1f} s on {} ({}, {}, {})\n", seconds, engine.name, engine.provider, engine.isa,
        counted(engine.threads, "thread"));
}

/// A single plot, or several side by side as in the paper.
std::string render_plots(const std::vector<Plot>& plots) {
  if (plots.size() == 1) return render_svg(plots.front());
  return render_svg_grid(plots,
                         {.columns = std::min<std::size_t>(3, plots.size()), .cell = {.width = 420, .height = 320}});
}

void run(Options options) {
  NomuSpec spec = options.preset == "written" ? NomuSpec::written(1) : NomuSpec::published(1);
  const Fields fields = fields_of(spec);
  for (const std::string& setting : options.settings) apply_setting(fields, setting);
  const std::filesystem::path folder = options.out;
  prepare_folder(folder);  // before any work is done
  const auto engine = make_engine(options.engine);
  for (const std::string& function : options.functions) (void)find_function(function, 1);  // throws if unknown
  const std::filesystem::path figure = folder / "report.svg";
  std::vector<Plot> plots;
  std::vector<std::pair<ToyReport, double>> results;
  for (const std::string& function : options.functions) {
    options.toy.function = function;
    const auto begin = std::chrono::steady_clock::now();
    ProgressBar bar;
    ToyReport report =
        run_toy(options.toy, spec, *engine, {.report = bar.callback(), .stop = HeedInterrupts().token()});
    bar.finish();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    plots.push_back(report.plot);
    results.emplace_back(std::move(report), seconds);
  }
  write_file_atomically(figure, render_plots(plots));
  for (std::size_t i = 0; i < results.size(); ++i) {
    options.toy.function = options.functions[i];
    print_report(options, results[i].first, engine->info(), results[i].second, figure.string());
  }
  if (!options.json) print("figure: {}\n", figure.string());
}

}  // namespace

void add_demo(CLI::App& app) {
  CLI::App* command = app.add_subcommand("demo", "Fit NOMU to eight points of a known function and draw its bounds");
  const auto options = std::make_shared<Options>();
  command->add_option("--out", options->out, "folder for report.svg")->capture_default_str();
  command->add_option("--function", options->functions, "one-dimensional test functions, drawn side by side")
      ->capture_default_str()
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--rows", options->toy.rows, "training points")
      ->capture_default_str()
      ->check(CLI::Range(2, 10000));
  command->add_option("--seed", options->toy.seed, "seed of the inputs, as in the paper")
      ->capture_default_str()
      ->check(CLI::Range(0L, 4294967295L));
  command->add_option("--preset", options->preset, "published or written")
      ->capture_default_str()
      ->check(CLI::IsMember({"published", "written"}));
  command
      ->add_option("--set", options->settings,
                   "change settings of the method, for example train.epochs=200; nomu settings nomu lists them")
      ->type_name("KEY=VALUE");
  command->add_flag("--json", options->json, "print JSON");
  add_engine_options(*command, options->engine);
  command->callback([options] { run(*options); });
}

}  // namespace nomu::cli
