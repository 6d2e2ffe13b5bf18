// Files of every method, as format 1.0 wrote them: they are read, and blocks of another shape are refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/crc64.hpp"
#include "message_of.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"
#include "nomu/models/archive.hpp"
#include "nomu/models/assess.hpp"

namespace nomu {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t checksum_at = 24;  // after magic, versions and the length of the head
constexpr std::size_t header_at = 32;

std::vector<fs::path> files() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(fs::path(NOMU_GOLDEN_DIR) / "models_v1")) {
    if (entry.path().extension() == ".nomu") found.push_back(entry.path());
  }
  return found;
}

struct OpenFile {
  std::string preamble;
  json header;
  std::string blocks;

  explicit OpenFile(const std::string& bytes) : preamble(bytes.substr(0, checksum_at)) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data() + 16, sizeof(length));
    header = json::parse(bytes.substr(header_at, length));
    blocks = bytes.substr(header_at + length);
  }

  /// The file with a length and a checksum that fit its head.
  [[nodiscard]] std::string bytes() const {
    const std::string text = header.dump();
    std::string front = preamble;
    const std::uint64_t length = text.size();
    std::memcpy(front.data() + 16, &length, sizeof(length));
    const std::uint64_t checksum = crc64(front + text);
    return front + std::string(reinterpret_cast<const char*>(&checksum), sizeof(checksum)) + text + blocks;
  }
};

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

TEST(ModelFiles, BlocksOfAnotherShapeAreRefused) {
  std::size_t refused = 0;
  for (const fs::path& path : files()) {
    const OpenFile original(read_file(path));
    for (std::size_t b = 0; b < original.header["blocks"].size(); ++b) {
      const json shape = original.header["blocks"][b]["shape"];
      const std::size_t count = shape[0].get<std::size_t>() * shape[1].get<std::size_t>() * shape[2].get<std::size_t>();
      const std::vector<json> others{
          {1, 1, count}, {count, 1, 1}, {1, count, 1}, {shape[2], shape[1], shape[0]}, {shape[0], shape[2], shape[1]}};
      for (const json& other : others) {
        if (other == shape) continue;
        OpenFile changed = original;
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

}  // namespace
}  // namespace nomu
