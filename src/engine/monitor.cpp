#include "engine/monitor.hpp"

#include <algorithm>

namespace nomu::engine {

void mark_diverged(std::span<MemberReport> reports, Snapshot snapshot, Losses kind) {
  const auto kept = [snapshot](const MemberReport& r) {
    return snapshot == Snapshot::none ? r.last_loss : r.best_loss;
  };
  std::vector<double> losses;
  for (const MemberReport& report : reports) {
    if (!report.diverged && report.epochs > 0) losses.push_back(kept(report));
  }
  if (losses.empty()) return;
  const auto middle = losses.begin() + static_cast<std::ptrdiff_t>(losses.size() / 2);
  std::nth_element(losses.begin(), middle, losses.end());
  const double median = *middle;
  const bool comparable = kind == Losses::comparable && losses.size() > 1 && median > 0.0;
  for (MemberReport& report : reports) {
    if (report.epochs == 0) continue;
    const double limit = comparable ? 100.0 * median : report.first_loss;
    report.diverged = report.diverged || kept(report) > limit;
  }
}

}  // namespace nomu::engine
