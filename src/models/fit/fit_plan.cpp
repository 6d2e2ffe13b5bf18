#include "models/fit/fit_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "models/fit/noise_and_scale.hpp"
#include "models/fit/stored_text.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/preset.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "models/model";
constexpr std::size_t fewest_rows = 4;

void check_trainable(const DataSet& data) {
  check_dataset(data);
  if (data.rows() < fewest_rows) {
    throw DataError(where, fmt::format("{} rows, but at least {} are needed", data.rows(), fewest_rows));
  }
  const bool varies = std::ranges::any_of(data.targets, [&](double y) { return y != data.targets.front(); });
  if (!varies) {
    throw DataError(where, fmt::format("the target '{}' is {} in all {} rows; there is nothing to learn",
                                       data.target_name, data.targets.front(), data.rows()));
  }
}

/// Epochs for the networks of one fold: 900 steps, or for thousands of rows 70 or 25 epochs as far as steps allow.
void resolve_effort(TrainSpec& train, std::size_t rows, std::int64_t folds, double effort) {
  if (train.epochs != 0) return;
  const auto trained_rows = static_cast<std::int64_t>(rows) * (folds - 1) / folds;
  const std::int64_t batch = train.batch_size == 0 ? trained_rows : std::min(train.batch_size, trained_rows);
  const std::int64_t batches = (trained_rows + batch - 1) / batch;
  const auto epochs = static_cast<double>(std::max(
      {900 / batches, std::min<std::int64_t>(70, 10000 / batches), std::min<std::int64_t>(25, 40000 / batches)}));
  train.epochs = std::max<std::int64_t>(1, std::llround(effort * epochs));
}

/// Decides whether penalties and noise are chosen by evidence, and sets the networks accordingly.
void settle_evidence(FitSpec& spec, const DataSet& rows) {
  EvidenceSpec& evidence = spec.evidence;
  auto* method = std::get_if<NomuSpec>(&spec.method);
  const bool possible = method != nullptr && method->noise == Noise::learned && method->stages == Stages::two_stage &&
                        !reads_images(spec.method) && rows.noise.empty() &&
                        rows.rows() >= static_cast<std::size_t>(4 * evidence.folds);
  if (evidence.use == EvidenceSpec::Use::yes && !possible) {
    throw ConfigError(where, fmt::format("evidence needs method nomu with learned noise, two stages, no images and at "
                                         "least {} rows; set evidence.use to auto",
                                         4 * evidence.folds));
  }
  const bool open = possible && method->l2 < 0.0 && method->ensemble == NomuSpec{}.ensemble;
  const bool wanted =
      possible && (evidence.use == EvidenceSpec::Use::yes || (evidence.use == EvidenceSpec::Use::automatic && open));
  evidence.use = wanted ? EvidenceSpec::Use::yes : EvidenceSpec::Use::no;
  if (!wanted) return;
  evidence.kept = std::min(evidence.kept, static_cast<std::int64_t>(evidence.penalties.size()));
  method->ensemble = evidence.folds * evidence.kept;
  const bool small = rows.rows() < 500;
  for (MlpSpec* net : {&method->mean_net, &method->sigma_net}) {
    if (net->hidden.empty() && small) net->hidden = {32, 32};
  }
  resolve_effort(method->train, rows.rows(), evidence.folds, evidence.effort);
}

}  // namespace

FitPlan plan_fit(const FitSpec& given, const DataSet& rows) {
  check_trainable(rows);
  check_stored_text(rows);
  FitPlan plan{.spec = given, .calibration = {}};
  settle_evidence(plan.spec, rows);
  if (plan.spec.calibration.folds == 0) {
    // Fitted by evidence, each of these is itself a fit of several folds and candidates.
    plan.spec.calibration.folds = plan.spec.evidence.use == EvidenceSpec::Use::yes ? 5 : 10;
  }
  plan.calibration = plan_calibration(plan.spec.calibration, rows, static_cast<std::uint64_t>(given.seed));
  plan.spec.method = resolved_for(plan.spec.method, rows.rows(), rows.cols());
  const ScaleChoice scale = wants_cube(given.method) ? ScaleChoice::min_max : ScaleChoice::standardise;
  if (given.scale_inputs == ScaleChoice::automatic)
    plan.spec.scale_inputs = reads_images(given.method)                         ? ScaleChoice::together
                             : plan.spec.evidence.use == EvidenceSpec::Use::yes ? ScaleChoice::robust
                                                                                : scale;
  if (given.scale_target == ScaleChoice::automatic) plan.spec.scale_target = scale;
  plan.spec.calibration.kind = plan.calibration.kind;
  return plan;
}

}  // namespace nomu
