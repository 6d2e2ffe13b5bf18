#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/text/json_text.hpp"
#include "nomu/bo/trial_io.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& why) {
  throw DataError("bo/study", why +
                                  "; a line is {\"id\": 3, \"value\": 0.5}, {\"id\": 4, \"failed\": \"reason\"} or "
                                  "{\"point\": {...}, \"value\": 0.5}");
}

bool is_int64(const json& value) {
  const bool too_large = value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX;
  return value.is_number_integer() && !too_large;
}

json parse(std::string_view line) {
  json all = parse_json(line);
  if (all.is_discarded() && (line.find("NaN") != line.npos || line.find("Infinity") != line.npos)) {
    refuse("NaN and Infinity are not results, report such a trial as failed");
  }
  if (!all.is_object()) refuse("it is not a JSON object");
  if (const std::string twice = repeated_key(line); !twice.empty()) refuse(fmt::format("it has '{}' twice", twice));
  for (const auto& [key, unused] : all.items()) {
    if (key != "id" && key != "value" && key != "failed" && key != "point" && key != "cost") {
      refuse(fmt::format("unknown key '{}'", key));
    }
  }
  if (all.contains("id") == all.contains("point")) refuse("it needs either id or point");
  if (all.contains("value") == all.contains("failed")) refuse("it needs either value or failed");
  if (all.contains("value") && !all["value"].is_number()) refuse("value must be a number");
  if (all.contains("failed") && !all["failed"].is_string()) refuse("failed must be a text, the reason");
  if (all.contains("id") && !is_int64(all["id"])) refuse("id must be the number of a trial");
  if (all.contains("cost") && !all["cost"].is_number()) refuse("cost must be a number");
  if (all.contains("point") && all.contains("failed")) refuse("only a trial can fail, not a point");
  return all;
}

}  // namespace

TrialResult result_from_json(const Space& space, std::string_view line) {
  const json all = parse(line);
  TrialResult result;
  if (all.contains("point")) result.point = point_from_json(space, all["point"].dump());
  if (all.contains("id")) result.id = all["id"].get<std::int64_t>();
  if (all.contains("value")) result.value = all["value"].get<double>();
  if (all.contains("cost")) result.cost = all["cost"].get<double>();
  if (all.contains("failed")) result.reason = all["failed"].get<std::string>();
  return result;
}

}  // namespace nomu
