#include "model_changes.hpp"

#include <algorithm>
#include <cstring>

#include "core/text/json_numbers.hpp"
#include "edge_values.hpp"
#include "nomu/models/model.hpp"

namespace nomu {
namespace {

using nlohmann::json;

json& one_block(ModelFile& file, FuzzRandom& random, std::size_t& index) {
  json& list = file.header["blocks"];
  index = below(list.size(), random);
  return list[index];
}

std::string name_of(const json& block) { return block.value("name", "?"); }

/// Gives the bytes of a block the length of its shape, as far as that is a small number.
void fill_up(ModelFile& file, std::size_t index) {
  constexpr std::size_t most = 1U << 16U;
  const std::size_t size = ModelFile::size_of(file.header["blocks"][index], most + 1);
  if (size > most || index >= file.blocks.size()) return;
  std::string& bytes = file.blocks[index];
  const std::string before = bytes.empty() ? std::string(8, '\0') : bytes;
  while (bytes.size() < size) bytes += before;
  bytes.resize(size);
}

std::string change_shape(ModelFile& file, FuzzRandom& random) {
  std::size_t index = 0;
  json& block = one_block(file, random, index);
  json& shape = block["shape"];
  if (shape.size() != 3) return "";
  switch (below(4, random)) {
    case 0: std::swap(shape[below(3, random)], shape[below(3, random)]); break;
    case 1: shape[below(3, random)] = one_of(edge_counts, random); break;
    case 2: {  // one more or one less
      json& extent = shape[below(3, random)];
      extent = whole_number(extent) + (below(2, random) == 0 ? 1 : ~std::uint64_t{0});
      break;
    }
    default: {  // everything along one axis
      const std::uint64_t all = whole_number(shape[0]) * whole_number(shape[1]) * whole_number(shape[2]);
      shape = {1, 1, 1};
      shape[below(3, random)] = all;
    }
  }
  if (below(2, random) == 0) fill_up(file, index);
  return "shape of " + name_of(block) + " is " + shape.dump();
}

/// Another number wherever shapes have it: blocks still agree with each other.
std::string change_extent(ModelFile& file, FuzzRandom& random) {
  std::size_t index = 0;
  const json& block = one_block(file, random, index);
  const std::uint64_t before = whole_number(block.at("shape").at(below(3, random)));
  const std::uint64_t after = below(2, random) == 0 ? below(30, random) : before + 1;
  for (std::size_t b = 0; b < file.header["blocks"].size(); ++b) {
    for (json& extent : file.header["blocks"][b]["shape"]) {
      if (extent == before) extent = after;
    }
    fill_up(file, b);
  }
  return fmt::format("every extent {} is {}", before, after);
}

std::string change_type(ModelFile& file, FuzzRandom& random) {
  std::size_t index = 0;
  json& block = one_block(file, random, index);
  static const std::vector<std::string> types = {"f32", "f64", "u64", "i8", ""};
  block["type"] = one_of(types, random);
  if (below(2, random) == 0) fill_up(file, index);
  return "type of " + name_of(block) + " is " + block["type"].dump();
}

template <class T>
void put(std::string& bytes, std::size_t place, T value) {
  std::memcpy(bytes.data() + place * sizeof(T), &value, sizeof(T));
}

std::string change_values(ModelFile& file, FuzzRandom& random) {
  std::size_t index = 0;
  const json& block = one_block(file, random, index);
  if (index >= file.blocks.size()) return "";
  std::string& bytes = file.blocks[index];
  const std::string type = block.value("type", "");
  const std::size_t count = bytes.size() / (type == "f32" ? 4 : 8);
  if (count == 0) return "";
  const std::size_t first = below(count, random);
  const std::size_t last = below(3, random) == 0 ? count : first + 1;
  const double number = one_of(edge_numbers, random);
  const std::uint64_t whole = one_of(edge_counts, random);
  for (std::size_t i = below(4, random) == 0 ? 0 : first; i < last; ++i) {
    if (type == "f32") {
      put(bytes, i, static_cast<float>(std::clamp(number, -3e38, 3e38) == number ? number : number * 1e300));
    } else if (type == "u64") {
      put(bytes, i, whole);
    } else {
      put(bytes, i, number);
    }
  }
  return fmt::format("numbers {} to {} of {} are {} or {}", first, last, name_of(block), number, whole);
}

/// Blocks and names that other kinds of models have.
std::string change_blocks(ModelFile& file, FuzzRandom& random) {
  static const std::vector<std::string> names = {"calibration/strata",
                                                 "calibration/units",
                                                 "calibration/folds",
                                                 "calibration/scores",
                                                 "calibration/knots",
                                                 "held_out/rows",
                                                 "held_out/folds",
                                                 "state/weights",
                                                 "state/kept",
                                                 "state/noise",
                                                 "state/heads",
                                                 "state/trend",
                                                 "state/steps",
                                                 "state/root",
                                                 "state/y",
                                                 "state/row_weight",
                                                 "warps",
                                                 "scaling",
                                                 "data/noise",
                                                 "data/weight",
                                                 "network/mean",
                                                 "history/0",
                                                 "data/fitted_rows",
                                                 "held_out/sigma_below"};
  std::size_t index = 0;
  json& block = one_block(file, random, index);
  const std::string before = name_of(block);
  if (index >= file.blocks.size()) return "";
  const auto place = static_cast<std::ptrdiff_t>(index);
  switch (below(4, random)) {
    case 0:
      file.header["blocks"].erase(index);
      file.blocks.erase(file.blocks.begin() + place);
      return "no " + before;
    case 1: block["name"] = one_of(names, random); return before + " is called " + name_of(block);
    case 2: {
      json& other = file.header["blocks"][below(file.header["blocks"].size(), random)];
      std::swap(block["name"], other["name"]);
      return before + " and " + name_of(block) + " change names";
    }
    default: {  // a copy under another name, which the state lists
      json copy = block;
      copy["name"] = one_of(names, random);
      const std::string name = name_of(copy);
      if (name.starts_with("state/") && file.header["state"].is_array())
        file.header["state"].push_back(name.substr(std::string_view("state/").size()));
      file.header["blocks"].insert(file.header["blocks"].begin() + place, copy);
      file.blocks.insert(file.blocks.begin() + place, std::string(file.blocks[index]));
      return before + " also as " + name;
    }
  }
}

std::string change_setting(ModelFile& file, FuzzRandom& random) {
  json& settings = file.header["settings"];
  if (!settings.is_object() || settings.empty()) return "";
  FitSpec spec;
  try {
    spec.method = method_named(file.header.value("method", "nomu"));
  } catch (const std::exception&) {
    spec.method = method_named("nomu");
  }
  const Fields fields = fields_of(spec);
  const Field& field = one_of(fields.list(), random);
  const bool chosen = !field.choices.empty() && below(4, random) > 0;
  settings[field.name] = chosen ? one_of(field.choices, random) : one_of(edge_texts(), random);
  return "setting " + field.name + " is " + settings[field.name].dump();
}

std::string change_method(ModelFile& file, FuzzRandom& random) {
  file.header["method"] = one_of(method_names(), random);
  if (below(2, random) == 0) file.header["settings"] = json::object();
  return "method is " + file.header["method"].dump();
}

std::string change_header(ModelFile& file, FuzzRandom& random) {
  // The settings would win every draw; they have a change of their own.
  static const std::vector<std::string> parts = {"data",  "data",    "calibration", "held_out", "reports", "engine",
                                                 "state", "library", "network",     "blocks",   "joint",   "targets"};
  const std::string& part = one_of(parts, random);
  return file.header.contains(part) ? change_json(file.header[part], random, part) : "";
}

std::string change_bytes(ModelFile& file, FuzzRandom& random) {
  if (file.blocks.empty()) return "";
  std::string& bytes = file.blocks[below(file.blocks.size(), random)];
  if (bytes.empty()) return "";
  for (std::size_t k = 0; k < 1 + below(4, random); ++k)
    bytes[below(bytes.size(), random)] = static_cast<char>(random());
  return "some bytes";
}

std::string change_parts(ModelFile& file, FuzzRandom& random) {
  if (!file.header.at("blocks").is_array() || file.header["blocks"].empty()) return "";
  switch (below(17, random)) {
    case 0:
    case 1:
    case 2: return change_shape(file, random);
    case 3: return change_extent(file, random);
    case 4: return change_type(file, random);
    case 5:
    case 6: return change_values(file, random);
    case 7: return change_blocks(file, random);
    case 8:
    case 9:
    case 10: return change_setting(file, random);
    case 11: return change_method(file, random);
    case 12: return change_bytes(file, random);
    default: return change_header(file, random);
  }
}

/// Whether the file has the form of one that holds the files of several targets, which follow its own blocks.
bool has_targets(const ModelFile& file) {
  const json targets = file.header.value("targets", json());
  return targets.is_array() && !targets.empty() && !file.blocks.empty();
}

std::string change_target(ModelFile& file, FuzzRandom& random) {
  json& targets = file.header["targets"];
  const std::size_t chosen = below(targets.size(), random);
  std::size_t first = 0;
  for (std::size_t t = 0; t < chosen; ++t) first += whole_number(targets[t].at("bytes"));
  const std::size_t size = whole_number(targets[chosen].at("bytes"));
  std::string& files = file.blocks.back();
  if (first > files.size() || size > files.size() - first) return "";
  ModelFile one(std::string_view(files).substr(first, size));
  const std::string what = change_parts(one, random);
  const std::string bytes = one.bytes();
  files.replace(first, size, bytes);
  targets[chosen]["bytes"] = bytes.size();
  return fmt::format("of target {}: {}", chosen, what);
}

/// The length of the blocks before the files of the targets.
void mend_block_bytes(ModelFile& file) {
  std::size_t size = 0;
  for (std::size_t b = 0; b < std::min(file.header["blocks"].size(), file.blocks.size()); ++b)
    size += file.blocks[b].size();
  file.header["block_bytes"] = size;
}

}  // namespace

std::string change_model(ModelFile& file, FuzzRandom& random) {
  if (!has_targets(file)) return change_parts(file, random);
  if (below(4, random) > 0) return change_target(file, random);
  std::string what = change_parts(file, random);
  if (below(4, random) > 0) mend_block_bytes(file);
  return what;
}

}  // namespace nomu
