#pragma once
// How the scores of one model are printed.

#include <nlohmann/json.hpp>

#include "nomu/models/assess.hpp"

namespace nomu::cli {

/// `seen`: how many of the rows the model was made with.
[[nodiscard]] nlohmann::json evaluation_json(const Evaluation& result, std::size_t seen);
void print_evaluation(const Evaluation& result, std::size_t seen);

}  // namespace nomu::cli
