#pragma once
// Output of the desiderata for `nomu check` and `nomu attach --check`.

#include <nlohmann/json.hpp>

#include "nomu/eval/desiderata.hpp"

namespace nomu::cli {

/// A list with one object per finding.
[[nodiscard]] nlohmann::json findings_json(const DesiderataReport& report);

/// Prints one line per finding.
void print_findings(const DesiderataReport& report);

}  // namespace nomu::cli
