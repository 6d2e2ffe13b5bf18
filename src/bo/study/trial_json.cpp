// Points and trials as JSON and as plain text.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/text/json_text.hpp"
#include "nomu/bo/trial_io.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

using nlohmann::json;

json point_json(const Space& space, const Point& point) {
  json all = json::object();
  const std::vector<bool> active = space.active(point);
  for (std::size_t j = 0; j < space.size(); ++j) {
    const Variable& v = space.variables()[j];
    if (!active[j]) continue;
    if (v.kind == Variable::Kind::real) all[v.name] = point[j];
    if (v.kind == Variable::Kind::integer) all[v.name] = static_cast<std::int64_t>(point[j]);
    if (v.kind == Variable::Kind::categorical) all[v.name] = space.text(j, point[j]);
  }
  return all;
}

double value_of(const Space& space, std::size_t variable, const json& value) {
  if (value.is_string()) return space.parse(variable, value.get<std::string>());
  const bool numeric = space.variables()[variable].kind != Variable::Kind::categorical;
  if (numeric && value.is_number()) return value.get<double>();
  return space.parse(variable, value.dump());
}

}  // namespace

std::string point_to_json(const Space& space, const Point& point) { return point_json(space, point).dump(); }

Point point_from_json(const Space& space, std::string_view text) {
  const json all = parse_json(text);
  if (!all.is_object()) throw DataError("bo/study", "a point is an object of variables and their values");
  if (const std::string twice = repeated_key(text); !twice.empty())
    throw DataError("bo/study", fmt::format("the point has '{}' twice; give each variable once", twice));
  std::vector<std::optional<double>> values(space.size());
  for (const auto& [name, value] : all.items()) {
    const std::size_t j = space.index_of(name);
    values[j] = value_of(space, j, value);
  }
  return space.complete(values);
}

std::string trial_to_json(const Space& space, const Trial& trial) {
  json all{{"id", trial.id},
           {"point", point_json(space, trial.point)},
           {"state", state_name(trial.state)},
           {"origin", trial.origin},
           {"asked", trial.asked}};
  if (trial.value) all["value"] = *trial.value;
  if (trial.cost) all["cost"] = *trial.cost;
  if (trial.state == TrialState::failed) all["reason"] = trial.reason;
  if (trial.state != TrialState::pending) all["told"] = trial.told;
  if (trial.state == TrialState::pending) all["lease_until"] = trial.lease_until;
  if (!trial.worker.empty()) all["worker"] = trial.worker;
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string point_text(const Space& space, const Point& point) {
  std::string text;
  const std::vector<bool> active = space.active(point);
  for (std::size_t j = 0; j < space.size(); ++j) {
    if (!active[j]) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", space.variables()[j].name, space.text(j, point[j]));
  }
  return text;
}

}  // namespace nomu
