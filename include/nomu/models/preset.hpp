#pragma once
/// Presets of methods by name, and their settings for people to read.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "nomu/models/method.hpp"

namespace nomu {

/// A method by name in one of its presets: "auto" is its default spec; "interactive" has small networks that train
/// quickly, for NOMU, deep ensembles and MC dropout; "published" and "written" exist for methods with static members of
/// these names and for those built on NOMU's networks. Throws ConfigError listing the presets of the method, and the
/// methods that have the preset.
[[nodiscard]] MethodSpec method_preset(std::string_view method, std::string_view preset, std::size_t dimension);

/// The presets that a method has, "auto" first.
[[nodiscard]] std::vector<std::string> preset_names(std::string_view method);

/// Settings for people to read: name, value under each preset, allowed values, one line of explanation. `nomu
/// settings`, docs/settings.md and Python's help() are made from these.
struct SettingsOverview {
  std::string title;
  std::vector<std::string> presets;   ///< the presets that the values of each setting belong to, in order
  std::vector<SettingHelp> settings;  ///< a value that depends on the number of input columns says so
};

/// The settings of a method by name; throws ConfigError that suggests the nearest name.
[[nodiscard]] SettingsOverview method_settings(std::string_view method);

/// The settings that a fit has in addition to those of its method: scaling, calibration, seed and the like.
[[nodiscard]] SettingsOverview fit_settings();

/// Whether a network of the method reads rows as images.
[[nodiscard]] bool reads_images(const MethodSpec& spec);

}  // namespace nomu
