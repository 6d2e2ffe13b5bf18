#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "message_of.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/method.hpp"
#include "nomu/models/preset.hpp"

namespace nomu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const SettingHelp& setting_named(const SettingsOverview& overview, const std::string& name) {
  return *std::ranges::find(overview.settings, name, &SettingHelp::name);
}

TEST(Settings, EveryMethodListsThemUnderItsPresets) {
  for (const std::string& method : method_names()) {
    const SettingsOverview overview = method_settings(method);
    EXPECT_EQ(overview.presets, preset_names(method)) << method;
    EXPECT_EQ(overview.presets.front(), "auto") << method;
    EXPECT_FALSE(overview.settings.empty()) << method;
    for (const SettingHelp& setting : overview.settings) {
      EXPECT_EQ(setting.values.size(), overview.presets.size()) << method << ' ' << setting.name;
      EXPECT_FALSE(setting.doc.empty()) << method << ' ' << setting.name;
      EXPECT_FALSE(setting.allowed.empty()) << method << ' ' << setting.name;
    }
  }
}

TEST(Settings, NomuHasThePapersValuesBesideItsOwn) {
  const SettingsOverview overview = method_settings("nomu");
  EXPECT_THAT(overview.presets, ElementsAre("auto", "interactive", "published", "written"));
  const SettingHelp& ensemble = setting_named(overview, "ensemble");
  EXPECT_EQ(ensemble.allowed, "a whole number, between 1 and 1000000");
  EXPECT_THAT(ensemble.values, ElementsAre("5", "1", "1", "1"));
  const SettingHelp& gradient = setting_named(overview, "gradient");
  EXPECT_EQ(gradient.allowed, "one of coupled, stopped");
  EXPECT_EQ(gradient.values[2], "coupled");
  EXPECT_THAT(setting_named(overview, "augment.kind").values[2], HasSubstr("; one column: grid"));
  EXPECT_EQ(setting_named(overview, "stable").allowed, "true or false");
  EXPECT_EQ(setting_named(overview, "mean_net.hidden").allowed.substr(0, 23), "a list of whole numbers");
}

TEST(Settings, FitsHaveSomeOfTheirOwn) {
  const SettingsOverview overview = fit_settings();
  EXPECT_EQ(setting_named(overview, "calibration.level").values, std::vector<std::string>{"0.95"});
  EXPECT_TRUE(std::ranges::find(overview.settings, "ensemble", &SettingHelp::name) == overview.settings.end());
}

TEST(Settings, UnknownMethodsAreNamed) {
  EXPECT_THAT(message_of<ConfigError>([] { return method_settings("nom"); }), HasSubstr("nomu"));
}

}  // namespace
}  // namespace nomu
