// Files that would take far more memory, or time, than they have bytes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "message_of.hpp"
#include "model_cases.hpp"
#include "model_file.hpp"
#include "models/archive/archive_blocks.hpp"
#include "nomu/core/file.hpp"
#include "nomu/models/archive.hpp"
#include "nomu/models/targets.hpp"

namespace nomu {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

ModelFile old_file(const std::string& method) {
  return ModelFile(read_file(fs::path(NOMU_GOLDEN_DIR) / "models_v1" / (method + ".nomu")));
}

ModelFile seed_file(const std::string& name) {
  return ModelFile(read_file(fs::path(NOMU_GOLDEN_DIR).parent_path() / "fuzz" / "corpus" / "model" / name));
}

std::string refusal_of(const ModelFile& file) {
  return message_of<DataError>([&] { return unpack_model(file.bytes(), "crafted", test_engine()); });
}

std::size_t place_of(const ModelFile& file, const std::string& block) {
  const json& list = file.header.at("blocks");
  for (std::size_t b = 0; b < list.size(); ++b) {
    if (list[b]["name"] == block) return b;
  }
  ADD_FAILURE() << "no block " << block;
  return 0;
}

TEST(MemoryOfFiles, ABlockOfTheStateIsListedOnce) {
  ModelFile file = old_file("deep_ensemble");
  file.header["state"].push_back(file.header["state"][0]);
  EXPECT_THAT(refusal_of(file), HasSubstr("crafted: block 'parameters' is listed twice in the state"));
}

TEST(MemoryOfFiles, RowsAreListedOnce) {
  ModelFile longer = old_file("deep_ensemble");
  const std::size_t b = place_of(longer, "data/fitted_rows");
  longer.header["blocks"][b]["shape"] = {1, 100'000, 1};
  longer.blocks[b].assign(800'000, '\0');
  EXPECT_THAT(refusal_of(longer), HasSubstr("crafted: damaged model: it lists a row twice"));
  for (const char* block : {"data/fitted_rows", "held_out/rows"}) {
    ModelFile file = old_file("deep_ensemble");
    std::string& rows = file.blocks[place_of(file, block)];
    rows.replace(8, 8, rows.substr(0, 8));
    EXPECT_THAT(refusal_of(file), HasSubstr("crafted: damaged model: it lists a row twice")) << block;
  }
}

TEST(MemoryOfFiles, AProcessIsConditionedOnNoMoreRowsThanThereAre) {
  ModelFile file = old_file("gp");
  for (const char* block : {"state/x", "state/y", "state/row_weight"}) {
    const std::size_t b = place_of(file, block);
    json& shape = file.header["blocks"][b]["shape"];
    shape[1] = 3000;
    file.blocks[b].assign(shape[0].get<std::size_t>() * 3000 * shape[2].get<std::size_t>() * sizeof(float), '\0');
  }
  EXPECT_THAT(refusal_of(file), HasSubstr("crafted: it is conditioned on 3000 rows, but the data have 14"));
}

TEST(MemoryOfFiles, HeadersOfVeryManyValuesAreNotParsed) {
  const json numbers = std::vector<int>(20, 1);
  for (const auto& [count, value] :
       {std::pair(1'200'000, json::object()), {1'200'000, json::array()}, {400'000, numbers}}) {
    ModelFile file = old_file("deep_ensemble");
    file.header["added"] = std::vector<json>(static_cast<std::size_t>(count), value);
    EXPECT_THAT(refusal_of(file), HasSubstr("memory as the whole file"));
  }
  ModelFile wide = old_file("deep_ensemble");  // as much text in a header that is not made of them
  wide.header["added"] = std::vector<json>(50'000, {{"name", "column"}, {"levels", json::array()}});
  EXPECT_EQ(refusal_of(wide), "no error");
}

TEST(MemoryOfFiles, ALongNameIsNotRepeatedForEveryRow) {
  ModelFile file = seed_file("coverage_by.nomu");
  EXPECT_EQ(refusal_of(file), "no error");
  for (json& name : file.header["calibration"]["strata"]) name = std::string(20U << 20U, 'a');
  EXPECT_THAT(refusal_of(file), HasSubstr("crafted: the names of held-out rows are too long"));
}

TEST(MemoryOfFiles, ModelsTakeNoMoreFromTheFirstThanTheFileAllows) {
  ModelFile file = seed_file("targets_shared.nomu");
  json& targets = file.header["targets"];
  const auto size = targets[0]["bytes"].get<std::size_t>();
  ModelFile first(std::string_view(file.blocks.back()).substr(0, size));
  ModelFile second(std::string_view(file.blocks.back()).substr(size));
  json block{{"name", "extra"}, {"type", "f32"}, {"shape", {1, 1U << 21U, 1}}, {"crc64", ""}};
  first.header["blocks"].push_back(block);
  first.blocks.emplace_back(std::size_t{4} << 21U, '\0');
  block["in_first"] = true;
  for (int i = 0; i < 100; ++i) {
    second.header["blocks"].push_back(block);
    second.blocks.emplace_back();
  }
  targets[0]["bytes"] = first.bytes().size();
  targets[1]["bytes"] = second.bytes().size();
  file.blocks.back() = first.bytes() + second.bytes();
  EXPECT_THAT(message_of<DataError>([&] { return unpack_targets(file.bytes(), "crafted", test_engine()); }),
              HasSubstr("crafted: w: the models of this file would take far more memory than the file has bytes"));
}

TEST(MemoryOfFiles, WritersShareNoMoreThanReadersAccept) {
  const std::vector<double> large(100, 1.0);
  const std::vector<double> small(10, 2.0);
  BlockWriter first;
  first.add("large", std::span(large));
  first.add("small", std::span(small));
  for (const auto& [room, left_out] : {std::pair{2000U, 880U}, {880U, 880U}, {879U, 800U}, {799U, 80U}, {0U, 0U}}) {
    BlockWriter second = first;
    EXPECT_EQ(second.leave_out_blocks_of(first, room), left_out);
    EXPECT_EQ(second.bytes().size(), 880U - left_out);
    const BlockReader whole(first.list(), first.bytes());
    const BlockReader read(second.list(), second.bytes(), &whole);
    EXPECT_EQ(read.shared_bytes(), left_out);
    EXPECT_EQ(read.doubles("large"), large);
    EXPECT_EQ(read.doubles("small"), small);
  }
}

}  // namespace
}  // namespace nomu
