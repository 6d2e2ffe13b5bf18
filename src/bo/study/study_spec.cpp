// The settings of a study by name, and the spec of its models.

#include <fmt/format.h>

#include <string>

#include "nomu/bo/study.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/preset.hpp"

namespace nomu {
namespace {

/// Small networks trained for as long as a person likes to wait; docs/optimisation.md has the evidence.
void make_interactive(MethodSpec& method) {
  const std::string name = method_name(method);
  const Fields fields = fields_of(method);
  if (name == "nomu") {
    fields.set_text("ensemble", "1");
    fields.set_text("stages", "joint");
    fields.set_text("mean_net.hidden", "[64, 64]");
    fields.set_text("sigma_net.hidden", "[64, 64]");
    fields.set_text("train.epochs", "1000");
    fields.set_text("train.batch_size", "0");
    fields.set_text("augment.box", "cube");
    fields.set_text("augment.count", "128");
    fields.set_text("mu_sqr", "1");
    fields.set_text("readout.sigma_min", "1e-6");
  } else if (name == "deep_ensemble" || name == "mc_dropout") {
    fields.set_text("net.hidden", "[64, 64]");
    fields.set_text("net.init", "he");
    fields.set_text("net.init_scale", "0.5");
    fields.set_text("train.epochs", "500");
  }
}

void apply_settings(MethodSpec& method, const std::string& settings) {
  const Fields fields = fields_of(method);
  for (std::size_t begin = 0; begin < settings.size();) {
    const std::size_t end = std::min(settings.find(';', begin), settings.size());
    const std::string part = settings.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t first = part.find_first_not_of(" \t");
    if (first == std::string::npos) continue;
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos) {
      throw ConfigError("bo/study", fmt::format("settings: '{}' is not of the form key=value", part));
    }
    const std::size_t last = part.find_last_not_of(" \t", equals - 1);
    const std::size_t value = part.find_first_not_of(" \t", equals + 1);
    fields.set_text(part.substr(first, last + 1 - first),
                    value == std::string::npos ? "" : part.substr(value, part.find_last_not_of(" \t") + 1 - value));
  }
}

}  // namespace

Fields fields_of(OptimizeSpec& spec) {
  Fields f("bo/study");
  f.add_choice("direction", spec.direction, {"minimize", "maximize"}, "whether the smallest or the largest is sought");
  f.add("method", spec.method, "what models the function: a method of `nomu fit`, or random");
  f.add("preset", spec.preset, "interactive, or a preset of the method");
  f.add("settings", spec.settings, "settings of the method: key=value; key=value");
  f.add("seed", spec.seed, Range::at_least(0.0), "seed of everything random");
  f.add("budget", spec.budget, Range::at_least(0.0), "trials in all; 0: no limit");
  f.add("initial", spec.initial, Range::at_least(0.0),
        "trials before the first model; 0: twice the variables, 8 at least");
  f.add_choice("design", spec.design, {"latin_hypercube", "sobol", "uniform"}, "where the initial trials are");
  f.add_choice("acquisition", spec.acquisition,
               {"upper_bound", "expected_improvement", "log_expected_improvement", "mean", "sigma"},
               "what the next trial maximises");
  f.add("mean_width", spec.mean_width, Range::positive(), "of the bounds after the initial trials; fixes c");
  f.add_nested("dynamic", fields_of(spec.dynamic));
  f.add("noisy", spec.noisy, "the same point may give different values");
  f.add("lease", spec.lease, Range::positive(), "seconds after which a trial without result is handed out again");
  f.add("fit_rows", spec.fit_rows, Range::at_least(8.0), "most results a model is fitted to");
  f.add("warm_epochs", spec.warm_epochs, Range::at_least(0.0),
        "epochs of models that go on from an earlier one; 0: every model starts anew");
  f.add("warm_every", spec.warm_every, Range::at_least(1.0), "results after which a model starts anew all the same");
  f.add_nested("direct", fields_of(spec.direct));
  f.add("local_starts", spec.local_starts, Range::at_least(0.0), "points of the search that are refined by gradients");
  return f;
}

MethodSpec method_of(const OptimizeSpec& spec, std::size_t inputs) {
  const bool interactive = spec.preset == "interactive";
  MethodSpec method = method_preset(spec.method, interactive ? "auto" : spec.preset, inputs);
  if (interactive) make_interactive(method);
  // The paper's presets say themselves what they do about noise.
  if (interactive || spec.preset == "auto") set_noise(method, spec.noisy ? "learned" : "none");
  apply_settings(method, spec.settings);
  return method;
}

}  // namespace nomu
