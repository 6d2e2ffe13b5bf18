// Files of every method, as format 1.0 wrote them: they are read, and blocks of another shape are refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "message_of.hpp"
#include "model_file.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"
#include "nomu/models/archive.hpp"
#include "nomu/models/assess.hpp"

namespace nomu {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<fs::path> files() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(fs::path(NOMU_GOLDEN_DIR) / "models_v1")) {
    if (entry.path().extension() == ".nomu") found.push_back(entry.path());
  }
  return found;
}

TEST(ModelFiles, OfFormatOnePointZeroAreRead) {
  ASSERT_EQ(files().size(), 10U);
  for (const fs::path& path : files()) {
    const Model model = load_model(path);
    const Table rows = read_table(path.parent_path() / "rows.csv");
    const Table expected = read_table(fs::path(path).replace_extension(".csv"));
    const PredictedRows predicted = model.predict(rows);
    const std::vector<double> mean = numeric_column(expected, "mean");
    const std::vector<double> sigma = numeric_column(expected, "sigma_model");
    const std::vector<double> upper = numeric_column(expected, "upper");
    const Bounds bounds = model.bounds(rows, 0.7);
    // Masks of MC dropout are no longer drawn row by row.
    const double tolerance = path.stem() == "mc_dropout" ? 0.5 : 1e-4;
    for (std::size_t i = 0; i < mean.size(); ++i) {
      EXPECT_NEAR(predicted.mean[i], mean[i], tolerance) << path;
      EXPECT_NEAR(bounds.upper[i], upper[i], 2.0 * tolerance) << path;
      if (tolerance < 0.1) {
        EXPECT_NEAR(predicted.sigma_model[i], sigma[i], 1e-3 * sigma[i] + 1e-5) << path;
      }
    }
  }
}

TEST(ModelFiles, OfFormatOnePointZeroCanBeChecked) {
  for (const fs::path& path : files()) {
    const Model model = load_model(path);
    const DesiderataReport report = check_model(model, {.probes = 20});  // D5 refits with the settings of the file
    // The four masks of this tiny MC dropout happen to drop nothing, so that its sigma is 0.
    if (path.stem() != "mc_dropout") {
      EXPECT_NE(report.find("D5").verdict, Verdict::skipped) << path;
    }
  }
}

TEST(ModelFiles, HeadersThatAreNestedTooDeeplyAreRefused) {
  ModelFile file(read_file(files().front()));
  json deep = json::array();
  for (int i = 0; i < 100; ++i) deep = json::array({deep});
  file.header["added"] = deep;
  EXPECT_THAT(message_of([&] { (void)unpack_model(file.bytes(), "deep.nomu"); }),
              testing::HasSubstr("deep.nomu: the header is malformed: it is nested too deeply"));
}

TEST(ModelFiles, HeadersWithValuesOfAnotherTypeAreRefusedInWords) {
  ModelFile file(read_file(files().front()));
  file.header["blocks"] = "none";
  const std::string message = message_of([&] { (void)unpack_model(file.bytes(), "odd.nomu"); });
  EXPECT_THAT(message, testing::HasSubstr("odd.nomu: the header is malformed: "));
  EXPECT_THAT(message, testing::Not(testing::HasSubstr("json.exception")));
}

TEST(ModelFiles, BlocksOfAnotherShapeAreRefused) {
  std::size_t refused = 0;
  for (const fs::path& path : files()) {
    const ModelFile original(read_file(path));
    for (std::size_t b = 0; b < original.header["blocks"].size(); ++b) {
      const json shape = original.header["blocks"][b]["shape"];
      const std::size_t count = shape[0].get<std::size_t>() * shape[1].get<std::size_t>() * shape[2].get<std::size_t>();
      const std::vector<json> others{
          {1, 1, count}, {count, 1, 1}, {1, count, 1}, {shape[2], shape[1], shape[0]}, {shape[0], shape[2], shape[1]}};
      for (const json& other : others) {
        if (other == shape) continue;
        ModelFile changed = original;
        changed.header["blocks"][b]["shape"] = other;
        const std::string name = original.header["blocks"][b]["name"];
        EXPECT_THAT(message_of<DataError>([&] { (void)unpack_model(changed.bytes(), "crafted"); }),
                    testing::HasSubstr("crafted: "))
            << path << " " << name << " " << other;
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 300U);
}

/// A file of models_v1.
ModelFile file_of(const std::string& method) {
  return ModelFile(read_file(fs::path(NOMU_GOLDEN_DIR) / "models_v1" / (method + ".nomu")));
}

std::string refusal_of(const ModelFile& file) {
  return message_of<DataError>([&] { (void)unpack_model(file.bytes(), "crafted"); });
}

/// The message about a file in which one block has another shape, and as many bytes as before.
std::string refusal_of(const std::string& method, const std::string& block, const json& shape) {
  ModelFile file = file_of(method);
  for (json& entry : file.header["blocks"]) {
    if (entry["name"] == block) entry["shape"] = shape;
  }
  return refusal_of(file);
}

std::string refusal_of_setting(const std::string& method, const std::string& name, const std::string& text) {
  ModelFile file = file_of(method);
  EXPECT_TRUE(file.header["settings"].contains(name)) << method << " " << name;
  file.header["settings"][name] = text;
  return refusal_of(file);
}

// Each of these once wrote or read beyond the numbers that the file holds.
TEST(ModelFiles, CraftedShapesAreRefused) {
  EXPECT_THAT(refusal_of("laplace", "state/root", {57, 57, 1}), testing::HasSubstr("crafted: "));
  EXPECT_THAT(refusal_of("hyper_deep_ensemble", "state/weights", {1, 5, 1}), testing::HasSubstr("crafted: "));
  EXPECT_THAT(refusal_of("deep_ensemble", "state/parameters", {1, 55, 96}), testing::HasSubstr("crafted: "));
  EXPECT_THAT(refusal_of("gp", "state/y", {1, 184, 0}), testing::HasSubstr("crafted: "));
}

TEST(ModelFiles, SizesThatWrapAreRefused) {
  for (const char* hidden : {"9223372036854775807", "[9223372036854775807]", "[4294967296, 4294967296]",
                             "[4611686018427387904, 4]", "[1152921504606846976, 16]"}) {
    EXPECT_THAT(refusal_of_setting("deep_ensemble", "net.hidden", hidden),
                testing::HasSubstr("does not fit into memory"))
        << hidden;
    EXPECT_THAT(refusal_of_setting("nomu", "mean_net.hidden", hidden), testing::HasSubstr("does not fit into memory"))
        << hidden;
  }
  EXPECT_THAT(refusal_of_setting("deep_ensemble", "networks", "9223372036854775807"), testing::HasSubstr("networks"));
  EXPECT_THAT(refusal_of_setting("mc_dropout", "passes", "4611686018427387904"), testing::HasSubstr("passes"));
}

TEST(ModelFiles, StandInsOfDatesAreDates) {
  for (const double day : {1e300, -1e300, 3e6, -8e5}) {
    ModelFile file(
        read_file(fs::path(NOMU_GOLDEN_DIR).parent_path() / "fuzz" / "corpus" / "model" / "known_noise.nomu"));
    std::size_t dates = 0;
    for (json& column : file.header["data"]["columns"]) {
      if (column.value("kind", "") != "date") continue;
      column["stand_in"] = day;
      ++dates;
    }
    ASSERT_GT(dates, 0U);
    EXPECT_THAT(refusal_of(file), testing::HasSubstr("crafted: the description of column 'day' is impossible")) << day;
  }
}

TEST(ModelFiles, CountsInTheHeaderTakeNoMemory) {
  ModelFile file = file_of("nomu");
  file.header["calibration"]["rows"] = 1ULL << 62U;
  file.header["calibration"]["unit"] = "new_groups";
  file.header["calibration"]["units"] = 1ULL << 61U;
  EXPECT_THAT(refusal_of(file), testing::HasSubstr("crafted: "));
}

}  // namespace
}  // namespace nomu
