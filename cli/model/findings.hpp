#pragma once
// How `nomu check` and `nomu attach --check` say what was measured of the desiderata.

#include <nlohmann/json.hpp>

#include "nomu/eval/desiderata.hpp"

namespace nomu::cli {

/// A list with one object for each finding.
[[nodiscard]] nlohmann::json findings_json(const DesiderataReport& report);

/// One line for each finding.
void print_findings(const DesiderataReport& report);

}  // namespace nomu::cli
