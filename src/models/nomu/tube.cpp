#include "nomu/models/tube.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/tube";

void check_settings(const TubeSpec& spec) {
  if (!(spec.sigma > 0.0)) throw ConfigError(where, fmt::format("sigma must be positive, got {}", spec.sigma));
}

class FittedTube final : public FittedCohort {
 public:
  FittedTube(std::unique_ptr<FittedCohort> nomu, double sigma) : nomu_(std::move(nomu)), sigma_(sigma) {}

  [[nodiscard]] std::size_t members() const override { return nomu_->members(); }

  [[nodiscard]] Prediction predict(const Tensor<float>& x) const override {
    Prediction prediction = nomu_->predict(x);
    std::ranges::fill(prediction.sigma_model.flat(), static_cast<float>(sigma_));
    return prediction;
  }

  [[nodiscard]] const std::vector<FitReport>& reports() const override { return nomu_->reports(); }

  [[nodiscard]] FittedState state() const override { return nomu_->state(); }

 private:
  std::unique_ptr<FittedCohort> nomu_;
  double sigma_;
};

}  // namespace

Fields fields_of(TubeSpec& spec) {
  Fields f(where);
  f.add("sigma", spec.sigma, Range::positive(), "the uncertainty, the same everywhere, before calibration");
  f.add_nested("nomu", fields_of(spec.nomu));
  return f;
}

std::unique_ptr<FittedCohort> fit(const TubeSpec& spec, const Cohort& cohort, Engine& engine,
                                  const Progress& progress) {
  check_settings(spec);
  return std::make_unique<FittedTube>(fit(spec.nomu, cohort, engine, progress), spec.sigma);
}

std::unique_ptr<FittedCohort> restore(const TubeSpec& spec, const FittedState& state, std::vector<FitReport> reports,
                                      Engine& engine) {
  check_settings(spec);
  return std::make_unique<FittedTube>(restore(spec.nomu, state, std::move(reports), engine), spec.sigma);
}

}  // namespace nomu
