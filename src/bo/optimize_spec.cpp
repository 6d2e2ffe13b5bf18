// The settings of an optimisation by name, and the spec of its models.

#include "nomu/bo/optimize_spec.hpp"

#include <fmt/format.h>

#include <string>

#include "nomu/core/error.hpp"
#include "nomu/models/preset.hpp"

namespace nomu {
namespace {

/// Small networks that are trained in the time a person is willing to wait; docs/optimisation.md has the evidence.
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
  f.add_choice("direction", spec.direction, {"minimize", "maximize"},
               "whether the smallest or the largest value is sought");
  f.add("method", spec.method, "model of the function: a method of `nomu fit`, or random");
  f.add("preset", spec.preset, "interactive, or a preset of the method");
  f.add("settings", spec.settings, "settings of the method: key=value; key=value");
  f.add("seed", spec.seed, Range::at_least(0.0), "seed of everything random");
  f.add("budget", spec.budget, Range::at_least(0.0), "total number of trials; 0: no limit");
  f.add("initial", spec.initial, Range::at_least(0.0),
        "trials before the first model; 0: twice the number of variables, at least 8");
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
  f.add("warm_epochs", spec.warm_epochs, Range::at_least(0.0),
        "epochs of models that continue an earlier one; 0: train every model from scratch");
  f.add("warm_every", spec.warm_every, Range::at_least(1.0),
        "results between two models that are trained from scratch");
  f.add_nested("direct", fields_of(spec.direct));
  f.add("local_starts", spec.local_starts, Range::at_least(0.0),
        "number of the search's best points that are refined by gradient steps");
  return f;
}

MethodSpec method_of(const OptimizeSpec& spec, std::size_t inputs) {
  const bool interactive = spec.preset == "interactive";
  MethodSpec method = method_preset(spec.method, interactive ? "auto" : spec.preset, inputs);
  if (interactive) make_interactive(method);
  // The paper's presets set the noise themselves.
  if (interactive || spec.preset == "auto") set_noise(method, spec.noisy ? "learned" : "none");
  apply_settings(method, spec.settings);
  return method;
}

}  // namespace nomu
