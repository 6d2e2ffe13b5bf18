#include "bo/surrogate/knowledge_gain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "nomu/bo/acquisition.hpp"

namespace nomu {
namespace {

struct Line {
  double level;
  double slope;
  double from = -std::numeric_limits<double>::infinity();  // above all others from here on
};

/// The lines that are largest somewhere, by rising slope.
std::vector<Line> upper_lines(const std::vector<double>& levels, const std::vector<double>& slopes) {
  std::vector<std::size_t> order(levels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return slopes[a] != slopes[b] ? slopes[a] < slopes[b] : levels[a] < levels[b];
  });
  std::vector<Line> upper;
  for (const std::size_t k : order) {
    Line line{.level = levels[k], .slope = slopes[k]};
    if (!upper.empty() && upper.back().slope == line.slope) upper.pop_back();
    while (!upper.empty()) {
      line.from = (upper.back().level - line.level) / (line.slope - upper.back().slope);
      if (line.from > upper.back().from) break;
      upper.pop_back();
      line.from = -std::numeric_limits<double>::infinity();
    }
    upper.push_back(line);
  }
  return upper;
}

}  // namespace

double expected_rise(const std::vector<double>& levels, const std::vector<double>& slopes) {
  const std::vector<Line> upper = upper_lines(levels, slopes);
  double rise = 0.0;
  for (std::size_t k = 1; k < upper.size(); ++k)
    rise += (upper[k].slope - upper[k - 1].slope) * std::exp(log_improvement(-std::abs(upper[k].from)));
  return rise;
}

KnowledgeGain::KnowledgeGain(const Process& process)
    : process_(process),
      explained_(static_cast<Eigen::Index>(process.known()), static_cast<Eigen::Index>(process.known())) {
  for (std::size_t i = 0; i < process.known(); ++i) {
    explained_.row(static_cast<Eigen::Index>(i)) = process.explained(process.point(i)).transpose();
    means_.push_back(process.mean_at(process.point(i)));
  }
}

double KnowledgeGain::log_at(std::span<const double> inputs) const {
  const Vector here = process_.explained(inputs);
  const double left = std::max(1.0 - here.squaredNorm(), 0.0);
  const double spread = std::sqrt(std::max(left + process_.kernel().noise, 1e-14));
  std::vector<double> levels = means_;
  std::vector<double> slopes(means_.size());
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    const double shared =
        process_.correlation(i, inputs.data()) - explained_.row(static_cast<Eigen::Index>(i)).dot(here);
    slopes[i] = process_.scale() * shared / spread;
  }
  levels.push_back(process_.mean_at(inputs));
  slopes.push_back(process_.scale() * left / spread);
  return std::log(std::max(expected_rise(levels, slopes), 1e-300));
}

}  // namespace nomu
