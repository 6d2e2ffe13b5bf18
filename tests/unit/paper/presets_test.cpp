// Keys of results name the paper's presets instead of writing out their settings, so these settings must stay. A test
// that fails here means: raise `results_version` of the experiments, then pin the new values.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "nomu/core/file.hpp"
#include "nomu/models/preset.hpp"

namespace nomu {
namespace {

std::string settings_of(const std::string& method, const std::string& preset, std::size_t cols) {
  MethodSpec spec = method_preset(method, preset, cols);
  const Fields fields = fields_of(spec);
  std::string text;
  for (const Field& field : fields.list()) {
    text += fmt::format("{} {} {}d {}={}\n", method, preset, cols, field.name, to_text(field.get()));
  }
  return text;
}

TEST(PinnedPresets, AreWhatResultsWereMadeWith) {
  std::string now;
  for (const std::size_t cols : {1U, 2U, 5U}) {
    for (const char* preset : {"published", "written"}) now += settings_of("nomu", preset, cols);
  }
  for (const char* method : {"gp", "mc_dropout", "deep_ensemble", "hyper_deep_ensemble"}) {
    now += settings_of(method, "published", 1);
  }
  now += settings_of("tube", "published", 1);
  const std::string pinned = read_file(std::filesystem::path(NOMU_GOLDEN_DIR) / "presets.txt");
  // Settings that came later have no line in the file yet.
  for (std::size_t at = 0; at < pinned.size();) {
    const std::size_t end = pinned.find('\n', at) + 1;
    EXPECT_NE(now.find(pinned.substr(at, end - at)), std::string::npos) << pinned.substr(at, end - at) << "now is\n"
                                                                        << now;
    if (testing::Test::HasFailure()) return;
    at = end;
  }
  EXPECT_GT(pinned.size(), 1000U);
}

}  // namespace
}  // namespace nomu
