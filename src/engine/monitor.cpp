#include "engine/monitor.hpp"

namespace nomu::engine {

bool has_diverged(const MemberReport& report, Snapshot snapshot, bool goes_on) {
  if (report.diverged || goes_on || report.epochs <= 1) return report.diverged;
  const double kept = snapshot == Snapshot::none ? report.last_loss : report.best_loss;
  return !(kept < divergence_factor * report.first_loss);
}

}  // namespace nomu::engine
