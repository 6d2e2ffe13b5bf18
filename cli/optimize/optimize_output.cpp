#include "optimize/optimize_output.hpp"

#include <fmt/format.h>

#include "nomu/core/error.hpp"
#include "nomu/data/table_io.hpp"

namespace nomu::cli {

nlohmann::json point_json(const Space& space, const Point& point) {
  nlohmann::json json = nlohmann::json::object();
  for (std::size_t j = 0; j < space.size(); ++j) {
    const Variable& v = space.variables()[j];
    if (v.kind == Variable::Kind::real) json[v.name] = point[j];
    if (v.kind == Variable::Kind::integer) json[v.name] = static_cast<std::int64_t>(point[j]);
    if (v.kind == Variable::Kind::categorical) json[v.name] = space.text(j, point[j]);
  }
  return json;
}

Point point_from_json(const Space& space, const nlohmann::json& json) {
  if (!json.is_object()) throw DataError("optimize", "a point is an object of variables and their values");
  Point point(space.size());
  std::vector<bool> given(space.size(), false);
  for (const auto& [name, value] : json.items()) {
    const std::size_t j = space.index_of(name);
    given[j] = true;
    if (value.is_string()) {
      point[j] = space.parse(j, value.get<std::string>());
    } else if (value.is_number() && space.variables()[j].kind != Variable::Kind::categorical) {
      point[j] = value.get<double>();
    } else {
      point[j] = space.parse(j, value.dump());
    }
  }
  for (std::size_t j = 0; j < space.size(); ++j) {
    if (given[j]) continue;
    throw DataError("optimize", fmt::format("the point lacks the variable '{}'", space.variables()[j].name));
  }
  space.check(point);
  return point;
}

std::string json_line(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

nlohmann::json trial_json(const Space& space, const Trial& trial) {
  nlohmann::json json{{"id", trial.id},
                      {"point", point_json(space, trial.point)},
                      {"state", state_name(trial.state)},
                      {"origin", trial.origin},
                      {"asked", trial.asked}};
  if (trial.value) json["value"] = *trial.value;
  if (trial.state == TrialState::failed) json["reason"] = trial.reason;
  if (trial.state != TrialState::pending) json["told"] = trial.told;
  if (trial.state == TrialState::pending) json["lease_until"] = trial.lease_until;
  if (!trial.worker.empty()) json["worker"] = trial.worker;
  return json;
}

std::string point_text(const Space& space, const Point& point) {
  std::string text;
  for (std::size_t j = 0; j < space.size(); ++j) {
    text += fmt::format("{}{}={}", j == 0 ? "" : " ", space.variables()[j].name, space.text(j, point[j]));
  }
  return text;
}

std::string why_none(const Study& study) {
  const std::int64_t budget = study.budget();
  if (budget > 0 && study.status().trials >= budget) {
    return fmt::format(
        "the budget of {} trials is spent, results told by --point among them; 'nomu optimize budget' "
        "raises it",
        budget);
  }
  return "every point of the space has been tried";
}

}  // namespace nomu::cli
