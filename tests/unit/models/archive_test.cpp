#include "nomu/models/archive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "core/crc64.hpp"
#include "message_of.hpp"
#include "model_cases.hpp"
#include "nomu/core/file.hpp"

namespace nomu {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::size_t header_at = 32;

const Model& small_model() {
  static const Model model = [] {
    FitSpec spec = tiny_fit(CalibrationChoice::automatic, 10);
    spec.calibration.folds = 3;
    spec.calibration.level = 0.8;
    DataSet data = wavy_data(12);
    data.row_weight.assign(12, 1.0);
    data.row_weight[2] = 0.5;
    data.noise.assign(12, 2.0);
    data.noise_name = "s";
    return fit(spec, data, test_engine());
  }();
  return model;
}

const std::string& small_bytes() {
  static const std::string bytes = pack_model(small_model());
  return bytes;
}

std::string refusal(std::string_view bytes) {
  return message_of([&] { return unpack_model(bytes, "m.nomu", test_engine()); });
}

/// The file with another header, checksum and all: what a careful forger, or another version, would write.
std::string with_header(const std::string& from, const std::string& to) {
  std::string bytes = small_bytes();
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data() + 16, 8);
  std::string header = bytes.substr(header_at, size);
  const auto place = header.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  header.replace(place, from.size(), to);
  const std::string body = bytes.substr(header_at + size);
  size = header.size();
  std::memcpy(bytes.data() + 16, &size, 8);
  const std::uint64_t checksum = crc64(bytes.substr(0, 24) + header);
  std::memcpy(bytes.data() + 24, &checksum, 8);
  return bytes.substr(0, header_at) + header + body;
}

TEST(Archive, AModelComesBackWhole) {
  const Model& model = small_model();
  const Model again = unpack_model(small_bytes(), "m.nomu", test_engine());
  const std::vector<double> x{0.3, -4.0, 1.9, 2.0};
  const std::vector<double> noise{1.0, 2.0};
  EXPECT_EQ(again.predict(x, noise).mean, model.predict(x, noise).mean);
  EXPECT_EQ(again.predict(x, noise).sigma_model, model.predict(x, noise).sigma_model);
  EXPECT_EQ(again.bounds(x, 0.8, noise).lower, model.bounds(x, 0.8, noise).lower);
  EXPECT_EQ(again.outside(x), model.outside(x));
  EXPECT_EQ(again.calibration(), model.calibration());
  EXPECT_EQ(again.held_out().rows, model.held_out().rows);
  EXPECT_EQ(again.held_out().predicted.mean, model.held_out().predicted.mean);
  EXPECT_EQ(again.data().row_weight, model.data().row_weight);
  EXPECT_EQ(again.data().features, model.data().features);
  EXPECT_EQ(again.report().history, model.report().history);
  EXPECT_EQ(again.describe(), model.describe());
  EXPECT_EQ(pack_model(again), small_bytes()) << "and packs into the same bytes";
}

TEST(Archive, FilesAreWrittenWholeOrNotAtAll) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "nomu-archive-test";
  std::filesystem::create_directories(folder);
  save_model(small_model(), folder / "m.nomu");
  EXPECT_EQ(read_file(folder / "m.nomu"), small_bytes());
  EXPECT_EQ(load_model(folder / "m.nomu", test_engine()).describe(), small_model().describe());
  EXPECT_THAT(message_of([&] { return load_model(folder / "none.nomu", test_engine()); }), HasSubstr("none.nomu"));
  std::filesystem::remove_all(folder);
}

TEST(Archive, TruncationIsAlwaysNoticed) {
  Random random(1);
  for (int trial = 0; trial < 60; ++trial) {
    const auto length = static_cast<std::size_t>(random.below(small_bytes().size()));
    EXPECT_THAT(refusal(std::string_view(small_bytes()).substr(0, length)), HasSubstr("m.nomu: ")) << length;
  }
  for (std::size_t length = 0; length < 40; ++length) {
    EXPECT_THAT(refusal(std::string_view(small_bytes()).substr(0, length)), HasSubstr("m.nomu: ")) << length;
  }
  EXPECT_THAT(refusal(small_bytes() + "x"), HasSubstr("1 bytes follow the last block"));
}

TEST(Archive, EveryChangedByteIsNoticed) {
  std::string bytes = small_bytes();
  const std::size_t stride = std::max<std::size_t>(1, bytes.size() / 500);
  for (std::size_t i = 0; i < bytes.size(); i += i < 64 ? 1 : stride) {
    const char before = bytes[i];
    bytes[i] = static_cast<char>(before ^ 0x10);
    EXPECT_NE(refusal(bytes), "no error") << "byte " << i;
    bytes[i] = before;
  }
}

TEST(Archive, ForeignFilesAreNamedAsSuch) {
  EXPECT_THAT(refusal("a,b,c\n1,2,3\n"), HasSubstr("m.nomu: this is not a nomu model"));
  EXPECT_THAT(refusal(""), HasSubstr("the file is empty"));
  EXPECT_THAT(refusal(std::string(100, '\0')), HasSubstr("this is not a nomu model"));
}

TEST(Archive, NewerVersionsAreNamedAndOptionalKeysPassedOver) {
  EXPECT_EQ(refusal(with_header("\"format\":", "\"a_new_fact\":[1,2],\"format\":")), "no error");
  std::string newer = small_bytes();
  newer[8] = 2;
  std::uint64_t size = 0;
  std::memcpy(&size, newer.data() + 16, 8);
  const std::uint64_t checksum = crc64(newer.substr(0, 24) + newer.substr(header_at, size));
  std::memcpy(newer.data() + 24, &checksum, 8);
  EXPECT_THAT(refusal(newer), AllOf(HasSubstr("format 2.2"), HasSubstr("use a newer nomu")));
  EXPECT_THAT(refusal(with_header("\"mu_exp\"", "\"mu_new\"")), HasSubstr("written by a newer version"));
}

TEST(Archive, HeadersThatLieAreRefusedWithoutAllocating) {
  EXPECT_THAT(refusal(with_header("\"shape\":[1,12,1]", "\"shape\":[1,4000000000000,1]")),
              HasSubstr("larger than the file"));
  EXPECT_THAT(refusal(with_header("\"shape\":[1,12,1]", "\"shape\":[4294967296,4294967296,1]")),
              HasSubstr("larger than the file"));
  EXPECT_NE(refusal(with_header("\"shape\":[1,12,1]", "\"shape\":[1,11,1]")), "no error");
  EXPECT_NE(refusal(with_header("\"mean_net.hidden\":\"[16]\"", "\"mean_net.hidden\":\"[2000000000, 16]\"")),
            "no error");
  EXPECT_NE(refusal(with_header("\"method\":\"nomu\"", "\"method\":\"nemo\"")), "no error");
  EXPECT_NE(refusal(with_header("\"reports\":[", "\"reports\":[{},")), "no error");
  EXPECT_THAT(refusal(with_header("\"split\":\"random\"", "\"split\":\"raffle\"")),
              HasSubstr("unknown split of calibration rows 'raffle'"));
  EXPECT_NE(refusal(with_header("\"kind\":\"cross_conformal\"", "\"kind\":\"conformal\"")), "no error");
  EXPECT_THAT(refusal(with_header("\"kind\":\"number\",\"levels\":[],\"name\":\"x1\"",
                                  "\"kind\":\"names\",\"levels\":[\"a\",\"b\"],\"name\":\"x1\"")),
              HasSubstr("the columns do not match the inputs"));
  EXPECT_THAT(refusal(with_header("\"kind\":\"number\",\"levels\":[],\"name\":\"x1\"",
                                  "\"kind\":\"number\",\"levels\":[\"a\",\"b\"],\"name\":\"x1\"")),
              HasSubstr("the description of column 'x1' is impossible"));
  EXPECT_THAT(refusal(with_header("\"kind\":\"number\"", "\"kind\":\"sound\"")),
              HasSubstr("does not know columns of kind 'sound'"));
  EXPECT_NE(refusal(with_header("\"target\":\"y\"", "\"target\":7")), "no error");
}

TEST(Archive, ThreadsDoNotChangeTheFile) {
  const FitSpec spec = tiny_fit(CalibrationChoice::nll, 5);
  const Model two = fit(spec, wavy_data(8), std::shared_ptr<Engine>(make_engine({.device = "cpu", .threads = 2})));
  EXPECT_EQ(pack_model(two), pack_model(fit(spec, wavy_data(8), test_engine())));
}

/// Kept from version 0.1.0; every later version must read it and predict the same.
TEST(Archive, TheGoldenFileIsReadAndPredictsTheSame) {
  const Model model = load_model(std::filesystem::path(NOMU_GOLDEN_DIR) / "model_v1.nomu", test_engine());
  const Table expected = read_table(std::filesystem::path(NOMU_GOLDEN_DIR) / "model_v1.csv");
  const Table rows = parse_table("a,c\n0.5,red\n3.5,blue\n9,red\n", "x.csv");
  const Table found = predict_table(model, rows, 0.75);
  for (const char* name : {"mean", "sigma_model", "lower", "upper", "outside"}) {
    const std::vector<double> then = numeric_column(expected, name);
    const std::vector<double> now = numeric_column(found, name);
    for (std::size_t i = 0; i < then.size(); ++i)
      EXPECT_NEAR(now[i], then[i], 1e-4 * (1.0 + std::abs(then[i]))) << name;
  }
}

/// Of the first version with format 1.2: every kind of column, missing cells, unknown names, a range.
TEST(Archive, TheGoldenFileOfATableIsReadAndPredictsTheSame) {
  const std::filesystem::path folder(NOMU_GOLDEN_DIR);
  const Model model = load_model(folder / "table_v1_2.nomu", test_engine());
  const Table expected = read_table(folder / "table_v1_2.csv");
  const std::vector<double> probabilities{0.1, 0.9};
  const Table found = predict_table(model, read_table(folder / "table_v1_2_rows.csv"), 0.95, probabilities);
  EXPECT_EQ(found.names(), expected.names());
  for (const char* name : {"mean", "sigma_model", "lower", "upper", "q0.1", "q0.9", "outside"}) {
    const std::vector<double> then = numeric_column(expected, name);
    const std::vector<double> now = numeric_column(found, name);
    for (std::size_t i = 0; i < then.size(); ++i)
      EXPECT_NEAR(now[i], then[i], 1e-4 * (1.0 + std::abs(then[i]))) << name;
  }
  EXPECT_EQ(model.data().range, TargetRange{.low = 0.0});
  EXPECT_THAT(model.describe(), HasSubstr("like a row id"));
}

}  // namespace
}  // namespace nomu
