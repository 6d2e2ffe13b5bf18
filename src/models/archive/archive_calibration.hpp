#pragma once
// A calibration in an archive, and the held-out rows that it was learned from: facts go into the header, numbers into
// blocks.

#include <nlohmann/json_fwd.hpp>

#include "models/archive/archive_blocks.hpp"
#include "nomu/eval/calibration.hpp"
#include "nomu/models/model.hpp"

namespace nomu {

[[nodiscard]] nlohmann::json calibration_facts(const Calibration& calibration);
void add_calibration(const Calibration& calibration, BlockWriter& blocks);
[[nodiscard]] Calibration read_calibration(const nlohmann::json& facts, const BlockReader& blocks);

/// `calibration` is the one that was learned from these rows; it names their strata.
[[nodiscard]] nlohmann::json held_out_facts(const HeldOut& held);
void add_held_out(const HeldOut& held, const Calibration& calibration, BlockWriter& blocks);
[[nodiscard]] HeldOut read_held_out(const nlohmann::json& facts, const BlockReader& blocks,
                                    const Calibration& calibration);

}  // namespace nomu
