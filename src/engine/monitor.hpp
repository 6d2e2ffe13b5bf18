#pragma once
// What happened to a member: its losses, the best of them, whether it stopped early or diverged.

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/host_device.hpp"
#include "nomu/nn/optimizer.hpp"

namespace nomu::engine {

/// What decisions need to know of a member's losses; plain data, so that a GPU decides by the same rule.
struct LossCourse {
  std::int64_t epochs = 0;       ///< epochs trained
  std::int64_t best_epoch = -1;  ///< of the best monitored loss, 0-based
  double first_loss = std::numeric_limits<double>::quiet_NaN();
  double best_loss = std::numeric_limits<double>::infinity();
  double last_loss = std::numeric_limits<double>::quiet_NaN();
  bool diverged = false;
  bool stopped_early = false;

  /// Whether training goes on.
  [[nodiscard]] NOMU_HD bool active() const { return !diverged && !stopped_early; }

  /// Records the monitored loss of an epoch; true if it is the best so far. A loss that is not finite ends the member.
  NOMU_HD bool observe(double loss, std::int64_t patience) {
    if (epochs == 0) first_loss = loss;
    last_loss = loss;
    const std::int64_t epoch = epochs++;
    if (!std::isfinite(loss)) {
      diverged = true;
      return false;
    }
    if (loss < best_loss) {
      best_loss = loss;
      best_epoch = epoch;
      return true;
    }
    stopped_early = patience > 0 && epoch - best_epoch >= patience;
    return false;
  }

  friend bool operator==(const LossCourse&, const LossCourse&) = default;
};

struct MemberReport : LossCourse {
  std::uint64_t seed = 0;
  std::int64_t restarts = 0;
  std::vector<float> history;  ///< monitored loss of every epoch

  bool observe(double loss, std::int64_t patience) {
    history.push_back(static_cast<float>(loss));
    return LossCourse::observe(loss, patience);
  }

  friend bool operator==(const MemberReport&, const MemberReport&) = default;
};

/// A fit must end below this multiple of its own first loss.
inline constexpr double divergence_factor = 1.0;

/// Whether a finished fit diverged: a loss was not finite, or the loss of the parameters that are kept is not below
/// `divergence_factor` times the first one. The first loss says nothing if the fit `goes_on` from trained networks, or
/// if there was only one epoch. Only the member itself counts, so the verdict does not depend on what else was trained
/// alongside.
[[nodiscard]] bool has_diverged(const MemberReport& report, Snapshot snapshot, bool goes_on = false);

}  // namespace nomu::engine
