#include "bo/store/study_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "core/text/json_numbers.hpp"
#include "core/text/json_text.hpp"
#include "nomu/core/error.hpp"
#include "nomu/data/table_io.hpp"

namespace nomu {
namespace {

using nlohmann::json;

constexpr const char* kinds[] = {"real", "integer", "categorical"};

json parse(std::string_view text) {
  json value = parse_json(text);
  if (value.is_discarded()) throw DataError("bo/study", "the file contains damaged text; run verify on a copy");
  return value;
}

/// Calls `read` and turns errors of the JSON library into errors about the file.
template <class F>
auto guarded(const F& read) {
  try {
    return read();
  } catch (const json::exception& error) {
    throw DataError("bo/study", fmt::format("the file has unexpected contents: {}", reason_of(error)));
  }
}

/// Version 1, which does not name itself, had one number where version 2 has a list of results, or the budget.
constexpr std::int64_t body_version = 2;

std::optional<double> value_of(const json& body) {
  if (body.contains("values")) {
    const auto values = body.at("values").get<std::vector<double>>();
    if (values.size() != 1) throw DataError("bo/study", fmt::format("it has {} results instead of one", values.size()));
    return values.front();
  }
  const char* name = body.contains("budget") ? "budget" : "value";
  return body.contains(name) ? std::optional<double>(body.at(name).get<double>()) : std::optional<double>();
}

json optional_number(const std::optional<double>& value) { return value ? json(*value) : json(); }
std::optional<double> optional_from(const json& value) {
  return value.is_null() ? std::optional<double>() : std::optional<double>(value.get<double>());
}

}  // namespace

std::string number_to_text(double number) { return format_number(number); }
double number_from_text(std::string_view text) { return read_cell(text).number; }
std::string point_to_text(const Point& point) { return json(point).dump(); }
Point point_from_text(std::string_view text) {
  // A study may have 100,000 points, so plain lists of numbers are read without the JSON library.
  Point point;
  const char* const last = text.data() + text.size();
  const char* at = text.empty() ? last : text.data() + 1;
  while (at < last) {
    double number = 0.0;
    const auto [end, error] = std::from_chars(at, last, number);
    if (error != std::errc{} || end == last) break;
    point.push_back(number);
    if (*end == ']' && end + 1 == last && text.front() == '[') return point;
    if (*end != ',') break;
    at = end + 1;
  }
  return guarded([&] { return parse(text).get<Point>(); });
}

std::string space_to_text(const Space& space) {
  json variables = json::array();
  for (const Variable& v : space.variables()) {
    variables.push_back({{"name", v.name},
                         {"type", kinds[static_cast<std::size_t>(v.kind)]},
                         {"low", v.low},
                         {"high", v.high},
                         {"log", v.log},
                         {"choices", v.choices}});
    if (!v.unit.empty()) variables.back()["unit"] = v.unit;  // files without units stay as they were
    for (const Condition& condition : v.when)
      variables.back()["when"].push_back({condition.variable, condition.values});
  }
  json constraints = json::array();
  for (const LinearConstraint& constraint : space.constraints()) {
    json terms = json::array();
    for (const LinearConstraint::Term& term : constraint.terms) terms.push_back({term.variable, term.coefficient});
    constraints.push_back({{"terms", terms},
                           {"at_least", optional_number(constraint.at_least)},
                           {"at_most", optional_number(constraint.at_most)}});
  }
  return json{{"variables", variables}, {"constraints", constraints}}.dump();
}

Space space_from_text(std::string_view text) {
  return guarded([&] {
    const json all = parse(text);
    std::vector<Variable> variables;
    for (const json& v : all.at("variables")) {
      const auto type = v.at("type").get<std::string>();
      variables.push_back({.name = v.at("name"),
                           .kind = type == kinds[0]   ? Variable::Kind::real
                                   : type == kinds[1] ? Variable::Kind::integer
                                                      : Variable::Kind::categorical,
                           .low = v.at("low"),
                           .high = v.at("high"),
                           .log = v.at("log"),
                           .choices = v.at("choices"),
                           .unit = v.value("unit", "")});
      for (const json& condition : v.value("when", json::array()))
        variables.back().when.push_back({condition.at(0), condition.at(1)});
    }
    std::vector<LinearConstraint> constraints;
    for (const json& c : all.at("constraints")) {
      LinearConstraint constraint{
          .terms = {}, .at_least = optional_from(c.at("at_least")), .at_most = optional_from(c.at("at_most"))};
      for (const json& term : c.at("terms")) constraint.terms.push_back({term.at(0), term.at(1)});
      constraints.push_back(std::move(constraint));
    }
    return Space(std::move(variables), std::move(constraints));
  });
}

std::string spec_to_text(const OptimizeSpec& given) {
  OptimizeSpec spec = given;
  json all = json::object();
  const Fields fields = fields_of(spec);
  for (const Field& field : fields.list()) all[field.name] = to_text(field.get());
  return all.dump();
}

OptimizeSpec spec_from_text(std::string_view text) {
  return guarded([&] {
    OptimizeSpec spec;
    // Old files do not name the settings that came later; these are what they meant.
    spec.method = "nomu";
    spec.warm_epochs = 0;
    spec.generator = SobolNumbers::drawn;
    spec.rules = 1;
    const Fields fields = fields_of(spec);
    const json all = parse(text);
    for (const auto& [name, value] : all.items()) fields.set_text(name, value.get<std::string>());
    return spec;
  });
}

std::string earlier_to_text(const EarlierResults& earlier) {
  return json{{"points", earlier.points}, {"values", earlier.values}}.dump();
}

EarlierResults earlier_from_text(std::string_view text) {
  if (text.empty()) return {};
  return guarded([&] {
    const json all = parse(text);
    EarlierResults earlier{.points = all.at("points"), .values = all.at("values")};
    if (earlier.points.size() != earlier.values.size())
      throw DataError("bo/study", "the file is damaged: its earlier results and their points differ in number");
    return earlier;
  });
}

std::string event_to_text(const StudyEvent& event) {
  json body{{"v", body_version}};
  if (!event.point.empty()) body["point"] = event.point;
  if (event.value && event.kind == "budget") body["budget"] = *event.value;
  if (event.value && event.kind != "budget") body["values"] = {*event.value};
  if (!event.text.empty()) body["text"] = event.text;
  if (event.cost) body["cost"] = *event.cost;
  if (event.replaces) body["replaces"] = true;
  if (event.kind == "ask") {
    body["basis"] = event.basis;
    body["c"] = event.c;
    body["engine"] = event.engine;
  }
  return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

StudyEvent event_from_text(std::string_view text) {
  return guarded([&] {
    const json body = parse(text);
    StudyEvent event;
    if (const auto version = body.value("v", std::int64_t{1}); version > body_version) {
      throw DataError(
          "bo/study",
          fmt::format(
              "it was written by a newer nomu (its events have version {}, this one reads up to {}); update nomu here",
              version, body_version));
    }
    event.point = body.value("point", Point{});
    event.value = value_of(body);
    event.text = body.value("text", std::string());
    if (body.contains("cost")) event.cost = body.at("cost").get<double>();
    event.replaces = body.value("replaces", false);
    if (body.contains("basis")) event.basis = static_cast<std::int64_t>(whole_number(body.at("basis")));
    event.c = body.value("c", 0.0);
    event.engine = body.value("engine", std::string());
    return event;
  });
}

}  // namespace nomu
