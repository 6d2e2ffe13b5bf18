#pragma once
// How the scores of one model are printed.

#include <nlohmann/json.hpp>

#include "nomu/models/assess.hpp"

namespace nomu::cli {

[[nodiscard]] nlohmann::json evaluation_json(const Evaluation& result);
void print_evaluation(const Evaluation& result, std::size_t seen = 0);

}  // namespace nomu::cli
