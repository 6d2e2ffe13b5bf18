#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "engine/benchmark.hpp"
#include "engine/benchmark_cases.hpp"
#include "engine/scaling.hpp"
#include "nomu/core/config.hpp"
#include "nomu/core/error.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct Options {
  EngineOptions engine;
  std::vector<std::string> cases;
  std::vector<std::string> settings;
  bool scaling = false;
  std::string only;
  std::string peers;  ///< folder
  std::string python = "python3";
  bool json = false;
};

/// A case by its built-in name or from a file.
std::string case_text(const std::string& name) {
  std::vector<std::string> known;
  for (const BenchmarkCase& c : benchmark_cases()) {
    if (c.file == name) return c.toml;
    known.push_back(c.file);
  }
  if (name.ends_with(".toml")) return read_toml_file(name);
  throw ConfigError("bench",
                    fmt::format("unknown case '{}'; use one of {}, or a .toml file", name, fmt::join(known, ", ")));
}

void print_report(const BenchmarkSpec& spec, const BenchmarkReport& report, bool json) {
  const bool measured = report.roofline_us > 0.0;
  const double ratio = measured ? report.us_per_network_step / report.roofline_us : 0.0;
  if (!json) {
    const std::string comparison = measured
                                       ? fmt::format("{:.2f} x roofline ({:.1f} us: products {:.1f}, state {:.1f})",
                                                     ratio, report.roofline_us, report.products_us, report.state_us)
                                       : "roofline not measured on this engine";
    print("{:<11} {:>10.1f} us/step {:>8.1f} GFLOP/s   {}   {} {} {} x{}\n", spec.name, report.us_per_network_step,
          report.gflops, comparison, report.engine.name, report.engine.provider, report.engine.isa,
          report.engine.threads);
    return;
  }
  const auto if_measured = [measured](double value) { return measured ? nlohmann::json(value) : nlohmann::json(); };
  const nlohmann::json line{{"case", spec.name},
                            {"title", spec.title},
                            {"engine", report.engine.name},
                            {"provider", report.engine.provider},
                            {"isa", report.engine.isa},
                            {"precision", report.engine.precision},
                            {"device", report.engine.device},
                            {"threads", report.engine.threads},
                            {"members", spec.members},
                            {"rows", spec.rows},
                            {"augment", spec.augment},
                            {"steps", spec.steps},
                            {"repeats", spec.repeats},
                            {"us_per_network_step", report.us_per_network_step},
                            {"gflops", report.gflops},
                            {"roofline_us", if_measured(report.roofline_us)},
                            {"roofline_ratio", if_measured(ratio)},
                            {"products_us", if_measured(report.products_us)},
                            {"state_us", if_measured(report.state_us)},
                            {"memory_bytes", report.memory_bytes},
                            {"last_loss", report.last_loss}};
  print_json(line);
}

void run(const Options& options) {
  const HeedInterrupts heed;
  if (options.scaling) {
    std::optional<PeerPrograms> peers;
    if (!options.peers.empty()) peers = {.folder = options.peers, .python = options.python};
    return print_scaling({.limit = options.engine, .only = options.only, .peers = peers, .json = options.json});
  }
  std::vector<std::string> names = options.cases;
  if (names.empty()) {
    for (const BenchmarkCase& c : benchmark_cases()) names.push_back(c.file);
  }
  const auto engine = make_engine(options.engine);
  for (const std::string& name : names) {
    BenchmarkSpec spec;
    const Fields fields = fields_of(spec);
    apply_toml(fields, case_text(name), name);
    for (const std::string& setting : options.settings) apply_setting(fields, setting);
    print_report(spec, run_benchmark(spec, *engine, {.report = {}, .stop = heed.token()}), options.json);
  }
}

}  // namespace

void add_bench(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bench", "Measure the training step and compare it with its roofline");
  const auto options = std::make_shared<Options>();
  CLI::Option* cases =
      command->add_option("--case", options->cases, "case by name (r1, r2, r3, ...) or .toml file; default: all");
  CLI::Option* settings =
      command->add_option("--set", options->settings, "change settings of the case")->type_name("KEY=VALUE");
  CLI::Option* scaling =
      command
          ->add_flag("--scaling", options->scaling,
                     "instead, time training steps, default fits, predictions and searches with 1, 2, 4, ... threads; "
                     "takes minutes")
          ->excludes(cases)
          ->excludes(settings);
  command->add_option("--only", options->only, "with --scaling: rows with this text in their name, such as R3 or fit")
      ->needs(scaling);
  command
      ->add_option("--peers", options->peers,
                   "with --scaling: folder benchmarks/peers of the sources, to time JAX and PyTorch next to nomu")
      ->needs(scaling);
  command->add_option("--python", options->python, "Python that has the peers' libraries")
      ->needs(scaling)
      ->capture_default_str();
  command->add_flag("--json", options->json, "print one JSON line per case");
  add_engine_options(*command, options->engine);
  command->callback([options] { run(*options); });
}

}  // namespace nomu::cli
