#include "nomu/models/preset.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <type_traits>

#include "models/fit/noise_and_scale.hpp"
#include "nomu/core/config.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "models/preset";

bool has(const Fields& fields, std::string_view name) {
  return std::ranges::find(fields.list(), name, &Field::name) != fields.list().end();
}

/// Whether a method has small networks that are fast enough for interactive use; docs/optimisation.md has the evidence.
template <class Spec>
constexpr bool has_interactive =
    std::is_same_v<Spec, NomuSpec> || std::is_same_v<Spec, DeepEnsembleSpec> || std::is_same_v<Spec, McDropoutSpec>;

template <class Spec>
MethodSpec interactive(Spec spec) {
  const Fields fields = fields_of(spec);
  if constexpr (std::is_same_v<Spec, NomuSpec>) {
    apply_settings(fields, {{"ensemble", "1"},
                            {"stages", "joint"},
                            {"mean_net.hidden", "[64, 64]"},
                            {"sigma_net.hidden", "[64, 64]"},
                            {"train.epochs", "1000"},
                            {"train.batch_size", "0"},
                            {"augment.box", "cube"},
                            {"augment.count", "128"},
                            {"mu_sqr", "1"},
                            {"readout.sigma_min", "1e-6"}});
  } else {
    apply_settings(
        fields, {{"net.hidden", "[64, 64]"}, {"net.init", "he"}, {"net.init_scale", "0.5"}, {"train.epochs", "500"}});
  }
  return spec;
}

/// Whether a method is built on NOMU's networks, whose presets it then uses.
template <class Spec>
constexpr bool built_on_nomu = requires(Spec spec) {
  spec.nomu.augment;
};

template <class Spec>
std::vector<std::string> presets_of() {
  constexpr std::size_t dimension = 1;
  std::vector<std::string> names{"auto"};
  if constexpr (has_interactive<Spec>) names.emplace_back("interactive");
  if constexpr (
      built_on_nomu<Spec> || requires { Spec::published(dimension); } || requires { Spec::published(); })
    names.emplace_back("published");
  if constexpr (built_on_nomu<Spec> || requires { Spec::written(dimension); }) names.emplace_back("written");
  return names;
}

/// "; methods that have it: nomu, deep_ensemble", or nothing if no method has a preset of this name.
std::string methods_with(std::string_view preset) {
  std::vector<std::string> methods = method_names();
  std::erase_if(methods, [&](const std::string& method) {
    const std::vector<std::string> presets = preset_names(method);
    return std::ranges::find(presets, preset) == presets.end();
  });
  return methods.empty() ? "" : fmt::format("; methods that have it: {}", fmt::join(methods, ", "));
}

template <class Spec>
MethodSpec preset_of(const Spec& automatic, std::string_view preset, std::size_t dimension) {
  if (preset == "auto") return automatic;
  if constexpr (has_interactive<Spec>) {
    if (preset == "interactive") return interactive(automatic);
  }
  if constexpr (requires { Spec::published(dimension); }) {
    if (preset == "published") return Spec::published(dimension);
  } else if constexpr (requires { Spec::published(); }) {
    if (preset == "published") return Spec::published();
  }
  if constexpr (requires { Spec::written(dimension); }) {
    if (preset == "written") return Spec::written(dimension);
  }
  if constexpr (built_on_nomu<Spec>) {
    Spec spec = automatic;
    if (preset == "published") spec.nomu = NomuSpec::published(dimension);
    if (preset == "written") spec.nomu = NomuSpec::written(dimension);
    if (preset == "published" || preset == "written") return spec;
  }
  throw ConfigError(where, fmt::format("method '{}' has no preset '{}'; its presets are {}{}", method_name(automatic),
                                       preset, fmt::join(presets_of<Spec>(), ", "), methods_with(preset)));
}

}  // namespace

MethodSpec method_preset(std::string_view method, std::string_view preset, std::size_t dimension) {
  return std::visit([&](const auto& spec) { return preset_of(spec, preset, dimension); }, method_named(method));
}

std::vector<std::string> preset_names(std::string_view method) {
  return std::visit([]<class Spec>(const Spec&) { return presets_of<Spec>(); }, method_named(method));
}

void set_noise(MethodSpec& spec, std::string_view noise) {
  const Fields fields = fields_of(spec);
  if (has(fields, "noise")) return fields.set_text("noise", noise);
  if (has(fields, "learn_noise")) return fields.set("learn_noise", noise == "learned");
  if (noise != "none" && noise != "known") {
    throw ConfigError(where, fmt::format("method '{}' does not support noise = {}; use none, or name a column with the "
                                         "standard deviation of every row's target",
                                         method_name(spec), noise));
  }
}

bool can_learn_noise(const MethodSpec& spec) {
  MethodSpec copy = spec;  // fields are bound for writing too
  const Fields fields = fields_of(copy);
  return has(fields, "noise") || has(fields, "learn_noise");
}

bool wants_cube(const MethodSpec& spec) {
  return std::visit(
      [](const auto& s) {
        if constexpr (requires { s.augment.box; }) {
          return s.augment.box == Augmentation::Box::cube;
        } else if constexpr (requires { s.nomu.augment.box; }) {
          return s.nomu.augment.box == Augmentation::Box::cube;
        } else {
          return false;
        }
      },
      spec);
}

bool reads_images(const MethodSpec& spec) {
  MethodSpec copy = spec;  // fields are bound for writing too
  const Fields fields = fields_of(copy);
  return std::ranges::any_of(fields.list(), [](const Field& field) {
    return field.name.ends_with("filters") && to_text(field.get()) != "[]";
  });
}

}  // namespace nomu
