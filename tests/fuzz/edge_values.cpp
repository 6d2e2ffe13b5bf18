#include "edge_values.hpp"

namespace nomu {

using nlohmann::json;

const std::vector<std::string>& edge_texts() {
  static const std::vector<std::string> texts = {"0",
                                                 "1",
                                                 "2",
                                                 "3",
                                                 "-1",
                                                 "1000",
                                                 "4294967296",
                                                 "4611686018427387904",
                                                 "9223372036854775807",
                                                 "-9223372036854775808",
                                                 "0.5",
                                                 "1e-300",
                                                 "1e308",
                                                 "nan",
                                                 "inf",
                                                 "true",
                                                 "false",
                                                 "",
                                                 "[]",
                                                 "[3]",
                                                 "[3, 3]",
                                                 "[0]",
                                                 "[1, 2, 3]",
                                                 "[9223372036854775807]",
                                                 "[4294967296, 4294967296]",
                                                 "[1, 1, 1, 1, 1, 1, 1, 1]"};
  return texts;
}

namespace {

json edge_value(FuzzRandom& random) {
  switch (below(8, random)) {
    case 0: return nullptr;
    case 1: return one_of(edge_counts, random);
    case 2: return -static_cast<std::int64_t>(one_of(edge_counts, random) >> 1U);
    case 3: return one_of(edge_numbers, random);
    case 4: return one_of(edge_texts(), random);
    case 5: return json::array();
    case 6: return json::object();
    default: return below(2, random) == 0;
  }
}

/// Another value of the same type, where there is one.
json similar_value(const json& before, FuzzRandom& random) {
  if (before.is_boolean()) return !before.get<bool>();
  if (before.is_number_integer()) return one_of(edge_counts, random);
  if (before.is_number()) return one_of(edge_numbers, random);
  if (!before.is_string()) return edge_value(random);
  static const std::vector<std::string> words = {"",
                                                 "none",
                                                 "folds",
                                                 "hold_out",
                                                 "given",
                                                 "random",
                                                 "group",
                                                 "time",
                                                 "nll",
                                                 "separate",
                                                 "coverage",
                                                 "conformal",
                                                 "cross_conformal",
                                                 "isotonic",
                                                 "width",
                                                 "groups",
                                                 "distinct_inputs",
                                                 "later_rows",
                                                 "number",
                                                 "names",
                                                 "boolean",
                                                 "date",
                                                 "\x1b[31mred\x1b[0m",
                                                 "<b>&",
                                                 "caf\u00e9",
                                                 "a\nb",
                                                 std::string("\0x", 2)};
  return one_of(words, random);
}

/// A random place below `node`; `path` says where.
json& somewhere(json& node, FuzzRandom& random, std::string& path) {
  json* place = &node;
  while (place->is_structured() && !place->empty() && (place == &node || below(6, random) > 0)) {
    const auto step = std::next(place->begin(), static_cast<std::ptrdiff_t>(below(place->size(), random)));
    path += "/" + (place->is_object() ? step.key() : std::to_string(step - place->begin()));
    place = &*step;
  }
  return *place;
}

}  // namespace

std::string change_json(json& node, FuzzRandom& random, std::string path) {
  json& place = somewhere(node, random, path);
  if (place.is_array() && !place.empty() && below(3, random) > 0) {
    const std::size_t element = below(place.size(), random);
    if (below(2, random) == 0) {
      place.push_back(json(place[element]));
      return path + " repeats an element";
    }
    place.erase(element);
    return path + " lacks an element";
  }
  place = below(3, random) == 0 ? edge_value(random) : similar_value(place, random);
  return path + " is " + place.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace nomu
