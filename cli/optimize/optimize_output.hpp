#pragma once
// What the commands of `nomu optimize` share: trials as JSON and as text, points from both.

#include <nlohmann/json.hpp>
#include <string>

#include "nomu/bo/study.hpp"

namespace nomu::cli {

/// {"x": 0.5, "n": 3, "solver": "cg"}
[[nodiscard]] nlohmann::json point_json(const Space& space, const Point& point);

/// The point of such an object; throws DataError for unknown, missing or impossible values.
[[nodiscard]] Point point_from_json(const Space& space, const nlohmann::json& json);

/// Everything about a trial.
[[nodiscard]] nlohmann::json trial_json(const Space& space, const Trial& trial);

/// "x=0.5 n=3 solver=cg"
[[nodiscard]] std::string point_text(const Space& space, const Point& point);

/// Why nothing is left to be asked for.
[[nodiscard]] std::string why_none(const Study& study);

/// One line of text. Bytes that are no UTF-8, which old files may hold, are replaced.
[[nodiscard]] std::string json_line(const nlohmann::json& json);

}  // namespace nomu::cli
