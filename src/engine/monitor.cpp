#include "engine/monitor.hpp"

#include <algorithm>
#include <cmath>

namespace nomu::engine {

bool MemberReport::observe(double loss, std::int64_t patience) {
  if (epochs == 0) first_loss = loss;
  last_loss = loss;
  history.push_back(static_cast<float>(loss));
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
