#pragma once
// Training on the GPU: all members of a plan in lock step, round by round, with every decision made on the device.

#include <memory>

#include "engine/cuda/predict.hpp"
#include "engine/session.hpp"

namespace nomu::engine::cuda {

/// Device memory needed to train `members` members of a checked plan.
[[nodiscard]] std::size_t session_bytes(const TrainPlan& plan, const Layout& layout, Precision precision,
                                        std::size_t members);

[[nodiscard]] std::unique_ptr<Session> make_session(const TrainPlan& plan, Precision precision, Hardware hardware);

}  // namespace nomu::engine::cuda
