#pragma once
// The course of one epoch, the same for every engine: which rows a step uses, its learning rate, what is monitored and
// which parameters are kept. Each engine has its own step.

#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <span>
#include <stop_token>
#include <vector>

#include "core/host_device.hpp"
#include "engine/monitor.hpp"
#include "engine/sampling.hpp"

namespace nomu::engine {

/// What a step does in addition to the update, decided once its loss is known.
enum class Keep {
  nothing,
  before_update,  ///< the parameters that gave the loss become the snapshot
  after_update,   ///< the updated parameters become the snapshot
  abandon         ///< no update: the loss is not finite
};

/// How a member's rows are cut into batches.
struct Batches {
  std::size_t rows, size;
  std::size_t count = 1;

  Batches(const TrainSpec& spec, std::size_t member_rows) : rows(member_rows), size(member_rows) {
    const auto wanted = static_cast<std::size_t>(spec.batch_size);
    if (wanted == 0 || wanted >= rows) return;
    size = wanted;
    count = spec.drop_remainder ? rows / size : (rows + size - 1) / size;
  }
  [[nodiscard]] bool full() const { return size == rows; }
};

/// Learning rate of 0-based step `step` out of `total`, before Adam's bias correction.
NOMU_HD inline double scheduled_rate(const TrainSpec& spec, double base, std::uint64_t step, std::uint64_t total) {
  if (spec.schedule == Schedule::constant) return base;
  const double progress = static_cast<double>(step) / static_cast<double>(total > 1 ? total - 1 : 1);
  const double cosine = 0.5 * (1.0 + std::cos(std::numbers::pi * (progress < 1.0 ? progress : 1.0)));
  return base * (spec.final_rate + (1.0 - spec.final_rate) * cosine);
}

NOMU_HD inline Keep kept(bool improved, Snapshot snapshot) {
  if (!improved || snapshot == Snapshot::none) return Keep::nothing;
  return snapshot == Snapshot::exact ? Keep::before_update : Keep::after_update;
}

/// One epoch in batches: the monitored loss is their average or, for an exact snapshot, the loss of all rows (without
/// dropout) with the parameters at the end of the epoch.
template <class Stepper>
void train_batches(const TrainSpec& spec, const Batches& batches, double base_rate, MemberReport& report,
                   std::uint32_t& step, Stepper& stepper, const std::stop_token& stop) {
  const std::vector<std::uint32_t> order =
      epoch_order(report.seed, static_cast<std::uint32_t>(report.epochs), batches.rows);
  const std::uint64_t total = static_cast<std::uint64_t>(spec.epochs) * batches.count;
  double sum = 0.0;
  for (std::size_t b = 0; b < batches.count; ++b) {
    if (stop.stop_requested()) return;
    const std::size_t first = b * batches.size;
    const auto rows = std::span(order).subspan(first, std::min(batches.size, batches.rows - first));
    const double rate = scheduled_rate(spec, base_rate, step, total);
    stepper.step(rows, step, rate, [&sum](double loss) {
      sum += loss;
      return std::isfinite(loss) ? Keep::nothing : Keep::abandon;
    });
    ++step;
    if (!std::isfinite(sum)) break;
  }
  double monitored = sum / static_cast<double>(batches.count);
  if (spec.snapshot == Snapshot::exact && std::isfinite(monitored)) monitored = stepper.loss_of_all_rows(step);
  const bool improved = report.observe(monitored, spec.patience);
  if (improved && spec.snapshot != Snapshot::none) stepper.keep_current();
}

/// Trains one member for one epoch. `Stepper` has
///   step(rows, step, rate, decide): one update on these rows, asking decide(loss) -> Keep before it changes anything,
///   loss_of_all_rows(step) and keep_current().
template <class Stepper>
void train_epoch(const TrainSpec& spec, std::size_t rows, double base_rate, MemberReport& report, std::uint32_t& step,
                 Stepper& stepper, const std::stop_token& stop) {
  const Batches batches(spec, rows);
  if (!batches.full()) {
    train_batches(spec, batches, base_rate, report, step, stepper, stop);
    return;
  }
  if (stop.stop_requested()) return;
  std::vector<std::uint32_t> order(rows);
  std::iota(order.begin(), order.end(), 0U);
  const double rate = scheduled_rate(spec, base_rate, step, static_cast<std::uint64_t>(spec.epochs));
  stepper.step(std::span<const std::uint32_t>(order), step, rate, [&](double loss) {
    const bool improved = report.observe(loss, spec.patience);
    return report.diverged ? Keep::abandon : kept(improved, spec.snapshot);
  });
  ++step;
}

}  // namespace nomu::engine
