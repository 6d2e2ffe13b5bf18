#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "message_of.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"
#include "nomu/interchange/attach.hpp"
#include "nomu/interchange/onnx.hpp"

namespace nomu {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// PyTorch's network with its weights in a second file, in a folder of its own.
class OnnxWeights : public testing::Test {
 public:
  void SetUp() override {
    if (!onnx_available()) GTEST_SKIP() << "built without ONNX";
    fs::remove_all(outer);
    fs::create_directories(own_folder);
    for (const char* name : {"torch_external.onnx", "torch_external.onnx.data"})
      fs::copy_file(fs::path(NOMU_GOLDEN_DIR) / "onnx" / name, own_folder / name);
    network_bytes = read_file(network_path);
  }
  void TearDown() override { fs::remove_all(outer); }

  /// The refusal of the network in which all occurrences of one text are another one of the same length.
  [[nodiscard]] std::string refusal(const std::string& from, const std::string& to) const {
    EXPECT_EQ(from.size(), to.size());
    EXPECT_NE(network_bytes.find(from), std::string::npos) << from;
    std::string changed = network_bytes;
    for (std::size_t at = changed.find(from); at != std::string::npos; at = changed.find(from, at + 1))
      changed.replace(at, from.size(), to);
    write_file_atomically(network_path, changed);
    return refusal();
  }
  [[nodiscard]] std::string refusal() const {
    return message_of<DataError>([&] { (void)load_onnx(network_path); });
  }

  fs::path outer = fs::path(testing::TempDir()) /
                   ("onnx_weights_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
  fs::path own_folder = outer / "network";
  fs::path network_path = own_folder / "torch_external.onnx";
  fs::path weights_path = own_folder / "torch_external.onnx.data";
  std::string network_bytes;
};

TEST_F(OnnxWeights, AreReadFromTheFileBesideTheNetwork) {
  const auto network = load_onnx(network_path);
  EXPECT_EQ(network->features(), 24U);
  EXPECT_THAT(network->info().weights, testing::ElementsAre(weights_path));
  // What is kept of it needs no other file.
  EXPECT_EQ(parse_onnx(network->file(), "whole")->features(), 24U);
  EXPECT_TRUE(parse_onnx(network->file(), "whole")->info().weights.empty());
  const fs::path here = fs::current_path();
  fs::current_path(own_folder);
  EXPECT_EQ(load_onnx("torch_external.onnx")->file(), network->file());
  fs::current_path(here);
}

TEST_F(OnnxWeights, AreNotFoundByBytesAlone) {
  EXPECT_THAT(message_of<DataError>([&] { (void)parse_onnx(network_bytes, "network"); }),
              HasSubstr("its numbers are in another file; give the path of the network"));
}

TEST_F(OnnxWeights, AreReadFromNowhereElse) {
  fs::copy_file(weights_path, outer / "l.onnx.data");
  fs::create_directories(own_folder / "torch");
  fs::copy_file(weights_path, own_folder / "torch" / "external.onnx.data");
  constexpr const char* only = "they are only read from files in the folder of the network";
  EXPECT_THAT(refusal("torch_external.onnx.data", "../network/../l.onnx.dat"), HasSubstr(only));
  EXPECT_THAT(refusal("torch_external.onnx.data", "/tmp/network/l.onnx.data"), HasSubstr(only));
  EXPECT_THAT(refusal("torch_external.onnx.data", "torch/external.onnx.data"), HasSubstr(only));
  EXPECT_THAT(refusal("torch_external.onnx.data", "torch_external.onnx.date"),
              HasSubstr("'torch_external.onnx.date', which cannot be read: No such file"));
}

TEST_F(OnnxWeights, AreAFileThemselves) {
  fs::rename(weights_path, outer / "weights");
  fs::create_symlink(outer / "weights", weights_path);
  EXPECT_THAT(refusal(), HasSubstr("it is a link; put the file itself next to the network"));
  fs::remove(weights_path);
  fs::create_directory(weights_path);
  EXPECT_THAT(refusal(), HasSubstr("it is not a file"));
  fs::remove(weights_path);
  ASSERT_EQ(::mkfifo(weights_path.c_str(), 0600), 0);
  EXPECT_THAT(refusal(), HasSubstr("it is not a file"));
}

/// A field of a protobuf message that holds bytes; these are short.
std::string field(int number, const std::string& bytes) {
  EXPECT_LT(bytes.size(), 128U);
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

/// A field that holds a small number.
std::string field(int number, char value) { return {static_cast<char>(number << 3), value}; }

TEST_F(OnnxWeights, AreReadInBranchesThatNoOutputNeeds) {
  write_file_atomically(own_folder / "b.bin", "1234");
  // dims, data_type, name, external_data and data_location of a tensor; initializer of a graph; name, type and g of an
  // attribute; output, op_type and attribute of a node. Messages that follow each other are merged.
  const std::string location = field(1, "location") + field(2, "b.bin");
  const std::string numbers =
      field(1, char{1}) + field(2, char{1}) + field(8, "b") + field(13, location) + std::string{14 << 3, 1};
  const std::string branch = field(1, "then_branch") + field(6, field(5, numbers)) + std::string("\xA0\x01\x05");
  const std::string node = field(2, "unused") + field(4, "If") + field(5, branch);
  write_file_atomically(network_path, network_bytes + field(7, field(1, node)));
  const auto network = load_onnx(network_path);
  EXPECT_THAT(network->file(), testing::Not(HasSubstr("b.bin")));
  EXPECT_THAT(network->file(), HasSubstr("1234"));
  EXPECT_THAT(network->info().weights, testing::UnorderedElementsAre(weights_path, own_folder / "b.bin"));
}

TEST_F(OnnxWeights, AreWhereTheNetworkSays) {
  EXPECT_THAT(refusal("2304", "2305"),
              HasSubstr("it has 2305 bytes in 'torch_external.onnx.data', but its shape needs 2304"));
  write_file_atomically(network_path, network_bytes);
  const std::string weights = read_file(weights_path);
  write_file_atomically(weights_path, weights.substr(0, weights.size() - 1));
  EXPECT_THAT(refusal(), HasSubstr("beyond its 2591 bytes; is it the file of another network?"));
  write_file_atomically(weights_path, weights.substr(0, 2304));
  EXPECT_THAT(refusal("offset", "offsex"), HasSubstr("several constants refer to the same bytes"));
  for (const char* wrong : {"-304", "1e10", "0x12", "9999"})
    EXPECT_THAT(refusal("2304", wrong), HasSubstr("torch_external.onnx: constant '")) << wrong;
}

}  // namespace
}  // namespace nomu
