// The settings of an optimisation by name, and the spec of its models.

#include "nomu/bo/optimize_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "nomu/core/error.hpp"
#include "nomu/models/preset.hpp"
#include "nomu/models/request.hpp"

namespace nomu {
namespace {

std::string without_blanks_around(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

/// "a=1; b=2" as settings.
std::vector<Setting> listed_settings(const std::string& settings) {
  std::vector<Setting> list;
  for (std::size_t begin = 0; begin < settings.size();) {
    const std::size_t end = std::min(settings.find(';', begin), settings.size());
    const std::string part = without_blanks_around(settings.substr(begin, end - begin));
    begin = end + 1;
    if (part.empty()) continue;
    const Setting setting = parse_setting(part, "bo/study");
    list.push_back({.name = without_blanks_around(setting.name), .value = without_blanks_around(setting.value)});
  }
  return list;
}

}  // namespace

Fields fields_of(OptimizeSpec& spec) {
  constexpr double most = 1e5;  // more would stall every step of a study
  Fields f("bo/study");
  f.add_choice("direction", spec.direction, {"minimize", "maximize"},
               "whether the smallest or the largest value is sought");
  f.add("method", spec.method, "model of the function: auto, a method of `nomu fit`, or random");
  f.add("preset", spec.preset, "a preset of the method; interactive is auto for methods that do not have it");
  f.add("settings", spec.settings, "settings of the method: key=value; key=value");
  f.add("seed", spec.seed, Range::at_least(0.0), "seed of everything random");
  f.add("budget", spec.budget, Range::at_least(0.0), "total number of trials; 0: no limit");
  f.add(
      "initial", spec.initial, Range::between(0.0, most),
      "trials before the first model; 0: twice the number of variables, at least 8 and, for method auto, at most 10; 3 "
      "with results of an earlier study");
  f.add_choice("design", spec.design, {"latin_hypercube", "sobol", "uniform"}, "how the initial trials are placed");
  f.add_choice("generator", spec.generator, {"drawn", "published"},
               "direction numbers of Sobol's sequence; drawn: as in studies made before there was a choice");
  f.add_choice("acquisition", spec.acquisition,
               {"upper_bound", "expected_improvement", "log_expected_improvement", "mean", "sigma"},
               "what the next trial maximises");
  f.add("mean_width", spec.mean_width, Range::positive(),
        "mean width of the bounds after the initial trials; determines c");
  f.add_nested("dynamic", fields_of(spec.dynamic));
  f.add("noisy", spec.noisy, "repeated evaluations of a point may differ");
  f.add("lease", spec.lease, Range::positive(), "seconds after which a trial without a result is handed out again");
  f.add("fit_rows", spec.fit_rows, Range::at_least(8.0), "largest number of results a model is fitted to");
  f.add("warm_epochs", spec.warm_epochs, Range::between(0.0, 1e9),
        "epochs of models that continue an earlier one; 0: train every model from scratch");
  f.add("warm_every", spec.warm_every, Range::at_least(1.0),
        "results between two models that are trained from scratch");
  f.add_nested("direct", fields_of(spec.direct));
  f.add("local_starts", spec.local_starts, Range::between(0.0, most),
        "number of the search's best points that are refined by gradient steps");
  f.add("rules", spec.rules, Range::between(1.0, 6.0),
        "version of the rules of method auto; a study keeps the version it was created with");
  return f;
}

Proposer proposer_of(const OptimizeSpec& spec) {
  if (spec.method == "auto") return Proposer::automatic;
  return spec.method == "random" ? Proposer::random : Proposer::method;
}

EngineOptions study_engine_options() { return {.threads = 1}; }

MethodSpec method_of(const OptimizeSpec& spec, std::size_t inputs) {
  // The networks that "auto" may use are those of the paper.
  const std::string method = proposer_of(spec) == Proposer::automatic ? "nomu" : spec.method;
  const std::vector<std::string> presets = preset_names(method);
  // The default preset is meant for every method.
  const bool lacking = spec.preset == "interactive" && std::ranges::find(presets, spec.preset) == presets.end();
  const FitRequest request{
      .method = method, .preset = lacking ? "auto" : spec.preset, .settings = listed_settings(spec.settings)};
  return method_given_noise(request, spec.noisy, inputs);
}

}  // namespace nomu
