#include "models/evidence/sigma_shape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/team.hpp"
#include "models/network/output_map.hpp"
#include "nomu/eval/metrics.hpp"
#include "nomu/eval/statistics.hpp"

namespace nomu {

double SigmaShape::sigma(double distance) const {
  return far * shaped_distance((distance - start) / (1.0 - start), power);
}

namespace {

struct JudgedShape {
  SigmaShape shape;
  double crps = std::numeric_limits<double>::infinity();
  double shortfall = 0.0;  ///< of sigma in the made gaps
};

/// The shape with the noise factor that suits it best.
JudgedShape judged(SigmaShape shape, const JudgedRows& unseen) {
  const std::vector<double> zero(unseen.errors.size(), 0.0);
  std::vector<double> model;
  for (std::size_t i = 0; i < unseen.distance.size(); ++i) {
    const double beyond = unseen.beyond.empty() ? 0.0 : unseen.beyond[i];
    model.push_back(std::hypot(shape.sigma(unseen.distance[i]), beyond));
  }
  JudgedShape best{.shape = shape};
  for (const double factor : {1.0, 0.95, 0.9, 0.85, 0.8, 0.7}) {
    std::vector<double> sigma;
    for (std::size_t i = 0; i < model.size(); ++i) sigma.push_back(std::hypot(model[i], factor * unseen.noise[i]));
    const double value = crps(zero, sigma, unseen.errors);
    if (value >= best.crps) continue;
    best.crps = value;
    best.shape.noise_factor = factor;
  }
  return best;
}

/// Rows of a made gap, all near its edge or all away from it, and the variance of their errors that is certainly not
/// noise.
struct GapNeed {
  std::vector<double> distance;
  double variance = 0.0;
};

GapNeed need_of(const JudgedRows& gap, std::span<const std::size_t> rows) {
  GapNeed need;
  std::vector<double> excess;
  for (const std::size_t i : rows) {
    need.distance.push_back(gap.distance[i]);
    excess.push_back(std::pow(gap.errors[i], 2) - std::pow(gap.noise[i], 2));
  }
  const auto n = static_cast<double>(rows.size());
  const double mean = std::accumulate(excess.begin(), excess.end(), 0.0) / n;
  double squares = 0.0;
  for (const double one : excess) squares += std::pow(one - mean, 2);
  need.variance = std::max(0.0, mean - 2.0 * std::sqrt(squares) / n);
  return need;
}

/// Of the rows that lie farther from the data than almost all unseen ones.
std::vector<GapNeed> needs_of(const JudgedRows& unseen, std::span<const JudgedRows> gaps) {
  constexpr std::size_t enough = 5;
  const double beyond = quantile(unseen.distance, 0.95);
  std::vector<GapNeed> needs;
  for (const JudgedRows& gap : gaps) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < gap.errors.size(); ++i)
      if (gap.distance[i] > beyond) rows.push_back(i);
    std::ranges::stable_sort(rows, {}, [&](std::size_t i) { return gap.distance[i]; });
    const std::span<const std::size_t> all(rows);
    const std::size_t half = rows.size() / 2;
    for (const auto part : {all.first(half), all.subspan(half)})
      if (part.size() >= enough) needs.push_back(need_of(gap, part));
  }
  return needs;
}

/// How much the shape lacks in the worst of the gaps, as a logarithm.
double shortfall(const SigmaShape& shape, std::span<const GapNeed> needs) {
  constexpr double wider = 2.0;  ///< real gaps may be wider than those that were made
  double worst = 0.0;
  for (const GapNeed& need : needs) {
    if (need.variance <= 0.0) continue;
    double squares = 0.0;
    for (const double d : need.distance) squares += std::pow(shape.sigma(d), 2);
    const double mean = std::max(squares / static_cast<double>(need.distance.size()), 1e-30);
    worst = std::max(worst, 0.5 * std::log(wider * wider * need.variance / mean));
  }
  return worst;
}

}  // namespace

SigmaShape choose_shape(const JudgedRows& unseen, std::span<const JudgedRows> gaps, double sigma_far,
                        std::int64_t threads) {
  constexpr double equal = 0.995;
  constexpr double price = 0.93;    ///< unseen rows may be predicted so much worse for the sake of gaps
  std::vector<JudgedShape> shapes;  // those with most sigma away from the data first
  const auto add = [&](const SigmaShape& shape) { shapes.push_back({.shape = shape}); };
  for (const double start : {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6}) add({.start = start, .far = sigma_far});
  for (const double power : {1.5, 2.0, 3.0, 4.0, 6.0}) add({.power = power, .far = sigma_far});
  for (const double start : {0.7, 0.8, 0.9}) add({.start = start, .far = sigma_far});
  // Rows as far away as artificial ones that are predicted well all the same.
  for (const double share : {0.6, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 1e-4, 1e-5}) {
    for (const double start : {0.0, 0.3, 0.6}) add({.start = start, .far = share * sigma_far});
    if (share >= 0.1) add({.power = 3.0, .far = share * sigma_far});
  }
  const std::vector<GapNeed> needs = needs_of(unseen, gaps);
  side_by_side(shapes.size(), threads, [&](std::size_t s) {
    shapes[s] = judged(shapes[s].shape, unseen);
    shapes[s].shortfall = shortfall(shapes[s].shape, needs);
  });
  const double best = std::ranges::min(shapes, {}, &JudgedShape::crps).crps;
  std::erase_if(shapes, [&](const JudgedShape& one) { return price * one.crps > best; });
  const double lack = std::ranges::min(shapes, {}, &JudgedShape::shortfall).shortfall;
  std::erase_if(shapes, [&](const JudgedShape& one) { return one.shortfall > lack; });
  const double least = std::ranges::min(shapes, {}, &JudgedShape::crps).crps;
  return std::ranges::find_if(shapes, [&](const JudgedShape& one) { return !(equal * one.crps > least); })->shape;
}

}  // namespace nomu
