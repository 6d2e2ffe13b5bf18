#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "nomu/models/method.hpp"
#include "nomu/models/model.hpp"
#include "nomu/models/preset.hpp"

namespace nomu {
namespace {

std::vector<SettingHelp> under_presets(std::string_view method, const std::vector<std::string>& presets,
                                       std::size_t columns) {
  std::vector<MethodSpec> specs;
  specs.reserve(presets.size());
  for (const std::string& preset : presets) specs.push_back(method_preset(method, preset, columns));
  std::vector<Fields> variants;
  variants.reserve(specs.size());
  for (MethodSpec& spec : specs) variants.push_back(fields_of(spec));
  return settings_help(variants);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> changed_settings(const FitSpec& spec) {
  FitSpec used = spec;  // fields are bound for writing too
  FitSpec defaults;
  defaults.method = method_named(method_name(spec.method));
  return fields_of(used).differences(fields_of(defaults));
}

SettingsOverview method_settings(std::string_view method) {
  const std::vector<std::string> presets = preset_names(method);
  SettingsOverview overview{.title = method_title(method_named(method)), .presets = presets, .settings = {}};
  constexpr std::size_t several = 5;
  overview.settings = under_presets(method, presets, several);
  const std::vector<SettingHelp> one_column = under_presets(method, presets, 1);
  for (std::size_t i = 0; i < one_column.size(); ++i) {
    for (std::size_t j = 0; j < presets.size(); ++j) {
      std::string& value = overview.settings[i].values[j];
      if (one_column[i].values[j] != value) value = fmt::format("{}; one column: {}", value, one_column[i].values[j]);
    }
  }
  return overview;
}

SettingsOverview fit_settings() {
  FitSpec spec;
  const Fields of_method = fields_of(spec.method);
  std::vector<SettingHelp> all = settings_help({fields_of(spec)});
  const auto belongs_to_method = [&](const SettingHelp& setting) {
    return std::ranges::find(of_method.list(), setting.name, &Field::name) != of_method.list().end();
  };
  std::erase_if(all, belongs_to_method);
  return {.title = "Every fit", .presets = {"default"}, .settings = std::move(all)};
}

}  // namespace nomu
