#include "interchange/foreign/wire_fields.hpp"

#include <gtest/gtest.h>

#include "nomu/core/file.hpp"

namespace nomu {
namespace {

std::string field(unsigned number, const std::string& content) {
  std::string bytes(1, static_cast<char>(number << 3U | 2U));
  for (std::size_t size = content.size();; size >>= 7U) {
    bytes += static_cast<char>((size & 0x7FU) | (size > 0x7F ? 0x80U : 0U));
    if (size <= 0x7F) return bytes + content;
  }
}

TEST(WireFields, CountsWhatBecomesObjects) {
  std::string nodes;
  for (int i = 0; i < 1000; ++i) nodes += field(1, "");
  EXPECT_EQ(wire_fields(field(7, nodes), 5000), 1001U);
  EXPECT_GT(wire_fields(field(7, nodes), 100), 100U);
  // Nodes with names and attributes, and a graph in an attribute.
  const std::string inner = field(1, field(1, "x") + field(2, "y") + field(5, field(6, nodes)));
  EXPECT_EQ(wire_fields(field(7, inner), 5000), 1006U);
  // Weights are numbers, whatever their bytes look like.
  EXPECT_EQ(wire_fields(field(7, field(5, field(9, nodes))), 5000), 2U);
  EXPECT_EQ(wire_fields("no message", 5000), 0U);
}

TEST(WireFields, RealNetworksAreFarBelowTheLimit) {
  const std::size_t count = wire_fields(read_file(NOMU_GOLDEN_DIR "/onnx/torch_cnn.onnx"), 2000000);
  EXPECT_GT(count, 20U);
  EXPECT_LT(count, 1000U);
}

}  // namespace
}  // namespace nomu
