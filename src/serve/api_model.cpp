// The model of a study as JSON.

#include <fmt/format.h>

#include "report/study/study_slices.hpp"
#include "serve/api.hpp"
#include "serve/api_json.hpp"

namespace nomu {
namespace {

using nlohmann::json;

constexpr double patience_s = 30.0;

/// Values of a variable as the interface writes them: choices by name.
json values_of(const Space& space, std::size_t variable, const std::vector<double>& values) {
  json list = json::array();
  const bool names = space.variables()[variable].kind == Variable::Kind::categorical;
  for (const double value : values) {
    if (names)
      list.push_back(space.text(variable, value));
    else
      list.push_back(value);
  }
  return list;
}

json json_of(const Space& space, const StudySlice& slice) {
  return {{"variable", space.variables()[slice.variable].name},
          {"values", values_of(space, slice.variable, slice.values)},
          {"mean", slice.mean},
          {"sigma", slice.sigma}};
}

}  // namespace

std::string Api::model(const ApiRequest& request) {
  const Space& space = desk_.space();
  const auto given = [&](const char* name) {
    const auto found = request.parameters.find(name);
    return found == request.parameters.end() ? std::string() : found->second;
  };
  std::optional<std::size_t> wanted;
  if (const std::string name = given("variable"); !name.empty()) wanted = space.index_of(name);
  Point centre;
  if (const std::string at = given("at"); !at.empty()) centre = point_from_json(space, at);
  const std::shared_ptr<const WatchedModel> model = models_.latest(patience_s);
  if (!model) {
    const std::string trouble = models_.trouble();
    throw NotNow("serve", trouble.empty() ? "the first model is still being fitted; ask again" : trouble);
  }
  if (centre.empty()) centre = model->centre;
  json slices = json::array();
  for (std::size_t j = 0; j < space.size(); ++j) {
    if (wanted ? *wanted == j : space.active(j, centre))
      slices.push_back(json_of(space, slice_of(space, model->fitted, centre, j)));
  }
  json all{{"results", model->results}, {"at", json::parse(point_to_json(space, centre))}, {"slices", slices}};
  if (!model->unseen.empty()) {
    all["unseen"] = {{"values", model->unseen.value},
                     {"mean", model->unseen.mean},
                     {"sigma", model->unseen.sigma},
                     {"inside", model->unseen.inside},
                     {"explained", model->unseen.explained}};
  }
  return text_of(all);
}

}  // namespace nomu
