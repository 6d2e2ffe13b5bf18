#include "engine/monitor.hpp"

namespace nomu::engine {

bool has_diverged(const MemberReport& report, Snapshot snapshot) {
  if (report.diverged) return true;
  const double kept = snapshot == Snapshot::none ? report.last_loss : report.best_loss;
  return report.epochs > 1 && !(kept < divergence_factor * report.first_loss);
}

}  // namespace nomu::engine
