#include "bo/search/fitted_process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

class FittedProcess final : public FittedCohort {
 public:
  FittedProcess(std::shared_ptr<const Learned> learned, double worst, double best)
      : learned_(std::move(learned)), worst_(worst), half_(0.5 * best - 0.5 * worst), reports_(1) {}

  [[nodiscard]] std::size_t members() const override { return 1; }

  [[nodiscard]] Prediction predict(const Tensor<float>& x) const override {
    const auto width = static_cast<std::size_t>(learned_->process.rows().x.cols());
    if (x.members() != 1 || x.cols() != width) {
      throw DataError("bo/study",
                      fmt::format("x must be [1][q][{}], got [{}][{}][{}]", width, x.members(), x.rows(), x.cols()));
    }
    RowMatrix points(static_cast<Eigen::Index>(x.rows()), static_cast<Eigen::Index>(width));
    std::transform(x.flat().begin(), x.flat().end(), points.data(), [](float v) { return static_cast<double>(v); });
    const Tensor<float> blank(1, x.rows(), 1);
    Prediction prediction{.mean = blank, .sigma_model = blank, .sigma_noise = {}, .sigma_below = {}};
    const std::vector<Process::Value> values = learned_->process.at_all(points);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double mean = learned_->warp.invert(values[i].mean);
      const double sigma = values[i].sigma * learned_->warp.unit_at(values[i].mean);
      prediction.mean(0, i, 0) = static_cast<float>(2.0 * ((0.5 * mean - 0.5 * worst_) / half_) - 1.0);
      prediction.sigma_model(0, i, 0) = static_cast<float>(sigma / half_);
    }
    return prediction;
  }

  [[nodiscard]] std::unique_ptr<FittedCohort> select(std::span<const std::size_t> /*members*/) const override {
    return std::make_unique<FittedProcess>(learned_, worst_, 2.0 * (0.5 * worst_ + half_));
  }
  [[nodiscard]] const std::vector<FitReport>& reports() const override { return reports_; }
  [[nodiscard]] FittedState state() const override {
    throw Error("bo/study", "the model of a study with method auto lives in the study; it cannot be saved elsewhere");
  }

 private:
  std::shared_ptr<const Learned> learned_;
  double worst_;
  double half_;  // of the range of the results; halves do not overflow where the range does
  std::vector<FitReport> reports_;
};

}  // namespace

std::shared_ptr<FittedCohort> fitted_process(std::shared_ptr<const Learned> learned, double worst, double best) {
  return std::make_shared<FittedProcess>(std::move(learned), worst, best);
}

}  // namespace nomu
