#include "bo/surrogate/cost_model.hpp"

#include <cmath>

#include "bo/surrogate/learned.hpp"
#include "bo/surrogate/process_fit.hpp"

namespace nomu {

double CostModel::log_at(std::span<const double> inputs, std::span<double> slopes) const {
  if (slopes.empty()) return centre_ + width_ * process_.mean_at(inputs);
  std::vector<double> of_sigma(inputs.size());
  const double mean = process_.at(inputs, slopes, of_sigma).mean;
  for (double& slope : slopes) slope *= width_;
  return centre_ + width_ * mean;
}

std::shared_ptr<const CostModel> learn_cost(const Space& space, const std::vector<Point>& points,
                                            const std::vector<double>& costs) {
  constexpr std::size_t least = 4;
  constexpr std::size_t most = 100;  // the fit is cubic in them
  std::vector<Point> known;
  std::vector<double> logs;
  for (std::size_t k = costs.size(); k-- > 0 && known.size() < most;) {  // the latest
    if (costs[k] <= 0.0) continue;
    known.push_back(points[k]);
    logs.push_back(std::log(costs[k]));
  }
  if (known.size() < least) return {};
  ProcessRows rows = process_rows(space, known);
  rows.y = Eigen::Map<const Vector>(logs.data(), static_cast<Eigen::Index>(logs.size()));
  const double centre = rows.y.mean();
  rows.y.array() -= centre;
  const double width = std::sqrt(rows.y.squaredNorm() / static_cast<double>(logs.size()));
  if (!(width > 1e-6)) return {};
  rows.y /= width;
  const ProcessFit fit = fit_process(rows, ProcessKernel::Shape::matern, true);
  Process process(std::move(rows), fit.kernel);
  return process.valid() ? std::make_shared<const CostModel>(std::move(process), centre, width) : nullptr;
}

}  // namespace nomu
