#include "bo/surrogate/process_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bo/surrogate/box_search.hpp"

namespace nomu {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double least_noise = 1e-8;  // with less, rounding decides
constexpr double most_noise = 0.5;
constexpr double most_stretch = 4.0;  // one end has some 3,000 times the room of the other

struct Prior {
  double centre;
  double width;

  [[nodiscard]] double log_density(double at, double& slope) const {
    const double z = (at - centre) / width;
    slope = -z / width;
    return -0.5 * z * z;
  }
};

/// Log evidence of the log lengths and the log noise, with the level and the variance of the process at their best, and
/// its slopes.
class Evidence {
 public:
  Evidence(const ProcessRows& rows, ProcessKernel::Shape shape, bool noisy)
      : rows_(rows),
        shape_(shape),
        // On the cube [-1,1], whose sides are 2; a log-normal prior that shifts with the root of the dimension.
        length_{std::log(2.0) + std::sqrt(2.0) + 0.5 * std::log(static_cast<double>(rows.variables)), std::sqrt(3.0)},
        noise_{noisy ? std::log(0.02) : std::log(1e-4), noisy ? 1.5 : 4.0},
        // Functions of two studies that are a length of 2 apart have a correlation of about 0.8.
        distance_{std::log(2.0), 1.0},
        stretch_{0.0, 1.5},
        bowl_(rows.curved.empty() ? Vector() : rows.bowl()),
        places_(rows.x),
        correlations_(rows.rows(), rows.rows()),
        slopes_(rows.rows(), rows.rows()) {}

  double operator()(std::span<const double> settings, std::span<double> slopes) {
    const Eigen::Index n = rows_.rows();
    const auto groups = static_cast<Eigen::Index>(rows_.groups);
    Vector lengths(groups);
    for (Eigen::Index g = 0; g < groups; ++g) lengths[g] = std::exp(settings[static_cast<std::size_t>(g)]);
    const double noise = std::exp(settings[rows_.groups]);
    remoteness_ = rows_.foreign.empty() ? 0.0 : std::exp(-2.0 * settings[rows_.groups + 1]);
    stretch(settings.subspan(first_stretch()));
    fill(lengths, noise);
    factor_ = correlations_;
    Eigen::LLT<Eigen::Ref<Matrix>, Eigen::Lower> decomposition(factor_);
    if (decomposition.info() != Eigen::Success || !std::isfinite(factor_.diagonal().sum())) {
      std::ranges::fill(slopes, 0.0);
      return -infinity;
    }
    const auto lower = std::as_const(factor_).triangularView<Eigen::Lower>();
    Vector ones = Vector::Ones(n);
    Vector weights = rows_.y;
    lower.solveInPlace(ones);
    lower.solveInPlace(weights);
    Vector bowl = bowl_;
    if (bowl.size() > 0) lower.solveInPlace(bowl);
    remove_trend(ones, bowl, weights);
    const double misfit = weights.squaredNorm() + 1.0;
    double value = -0.5 * static_cast<double>(n + 1) * std::log(misfit) - factor_.diagonal().array().log().sum();
    std::vector<double> of_prior(settings.size());
    for (std::size_t k = 0; k < settings.size(); ++k) value += prior_of(k).log_density(settings[k], of_prior[k]);
    if (!slopes.empty()) {
      lower.transpose().solveInPlace(weights);
      fill_slopes(lengths, noise, weights, static_cast<double>(n + 1) / misfit, slopes);
      if (!stretches_.empty())
        fill_stretch_slopes(lengths, weights, static_cast<double>(n + 1) / misfit, slopes.subspan(first_stretch()));
      for (std::size_t k = 0; k < settings.size(); ++k) slopes[k] += of_prior[k];
    }
    return value;
  }

 private:
  [[nodiscard]] const Prior& prior_of(std::size_t setting) const {
    if (setting < rows_.groups) return length_;
    if (setting >= first_stretch()) return stretch_;
    return setting == rows_.groups ? noise_ : distance_;
  }

  [[nodiscard]] std::size_t first_stretch() const { return rows_.groups + (rows_.foreign.empty() ? 1 : 2); }

  /// Puts the rows where stretches with these settings have them.
  void stretch(std::span<const double> settings) {
    stretches_.clear();
    for (const double setting : settings) stretches_.emplace_back(setting);
    for (std::size_t k = 0; k < rows_.stretch.size(); ++k) {
      if (rows_.stretch[k] == ProcessRows::as_it_is) continue;
      const auto column = static_cast<Eigen::Index>(k);
      for (Eigen::Index i = 0; i < rows_.rows(); ++i)
        places_(i, column) = stretches_[rows_.stretch[k]].place(rows_.x(i, column));
    }
  }

  void fill(const Vector& lengths, double noise) {
    const Eigen::Index n = rows_.rows();
    for (Eigen::Index j = 0; j < n; ++j) {
      correlations_(j, j) = 1.0 + noise;
      for (Eigen::Index i = j + 1; i < n; ++i) {
        double square = scaled_square(places_.row(i).data(), places_.row(j).data(), rows_, lengths);
        if (rows_.two_studies(i, j)) square += remoteness_;
        const Correlation c = correlation_at(shape_, square);
        correlations_(i, j) = c.value;
        slopes_(i, j) = c.slope;
      }
    }
  }

  /// d/dtheta = tr((share a a' - K^-1) dK/dtheta) / 2 with a = K^-1 (y - level).
  void fill_slopes(const Vector& lengths, double noise, const Vector& weights, double share, std::span<double> slopes) {
    const Eigen::Index n = rows_.rows();
    inverse_.setIdentity(n, n);
    const auto lower = std::as_const(factor_).triangularView<Eigen::Lower>();
    lower.solveInPlace(inverse_);
    lower.transpose().solveInPlace(inverse_);
    std::ranges::fill(slopes, 0.0);
    const std::size_t columns = rows_.group.size();
    for (Eigen::Index j = 0; j < n; ++j) {
      slopes[rows_.groups] += 0.5 * (share * weights[j] * weights[j] - inverse_(j, j)) * noise;
      for (Eigen::Index i = j + 1; i < n; ++i) {
        const double pull = (share * weights[i] * weights[j] - inverse_(i, j)) * slopes_(i, j);
        if (rows_.two_studies(i, j)) slopes[rows_.groups + 1] -= 2.0 * pull * remoteness_;
        for (std::size_t k = 0; k < columns; ++k) {
          const double step = (places_(i, static_cast<Eigen::Index>(k)) - places_(j, static_cast<Eigen::Index>(k))) /
                              lengths[static_cast<Eigen::Index>(rows_.group[k])];
          slopes[rows_.group[k]] -= 2.0 * pull * step * step;
        }
      }
    }
  }

  /// The same for the settings of the stretches. After `fill_slopes`, which leaves the inverse of the correlations.
  void fill_stretch_slopes(const Vector& lengths, const Vector& weights, double share, std::span<double> slopes) const {
    for (std::size_t k = 0; k < rows_.stretch.size(); ++k) {
      if (rows_.stretch[k] == ProcessRows::as_it_is) continue;
      const auto column = static_cast<Eigen::Index>(k);
      const Stretch& stretch = stretches_[rows_.stretch[k]];
      const double length = lengths[static_cast<Eigen::Index>(rows_.group[k])];
      for (Eigen::Index j = 0; j < rows_.rows(); ++j) {
        const double of_j = stretch.slope_by_setting(rows_.x(j, column));
        for (Eigen::Index i = j + 1; i < rows_.rows(); ++i) {
          const double pull = (share * weights[i] * weights[j] - inverse_(i, j)) * slopes_(i, j);
          const double step = 2.0 * (places_(i, column) - places_(j, column)) / (length * length);
          slopes[rows_.stretch[k]] += pull * step * (stretch.slope_by_setting(rows_.x(i, column)) - of_j);
        }
      }
    }
  }

  const ProcessRows& rows_;
  ProcessKernel::Shape shape_;
  Prior length_;
  Prior noise_;
  Prior distance_;  // between two studies
  Prior stretch_;
  Vector bowl_;  // empty: none
  double remoteness_ = 0.0;
  std::vector<Stretch> stretches_;
  RowMatrix places_;  // of the rows
  Matrix correlations_, slopes_, factor_, inverse_;
};

}  // namespace

ProcessFit fit_process(const ProcessRows& rows, ProcessKernel::Shape shape, bool noisy) {
  Evidence evidence(rows, shape, noisy);
  const auto f = [&](std::span<const double> x, std::span<double> slopes) { return evidence(x, slopes); };
  BoxSearch search{.low = std::vector<double>(rows.groups, std::log(0.02)),
                   .high = std::vector<double>(rows.groups, std::log(200.0)),
                   .evaluations = 60,
                   .tolerance = 1e-3};
  search.low.push_back(std::log(least_noise));
  search.high.push_back(std::log(most_noise));
  if (!rows.foreign.empty()) {
    search.low.push_back(std::log(0.2));
    search.high.push_back(std::log(50.0));
  }
  std::size_t stretches = 0;
  for (const std::size_t stretch : rows.stretch) {
    if (stretch != ProcessRows::as_it_is) stretches = std::max(stretches, stretch + 1);
  }
  search.low.insert(search.low.end(), stretches, -most_stretch);
  search.high.insert(search.high.end(), stretches, most_stretch);
  const double start = std::log(0.5 * std::sqrt(static_cast<double>(rows.variables)));
  ProcessFit best{.kernel = {.shape = shape, .lengths = {}}, .evidence = -infinity};
  // A function that is smooth and one that is uneven differ most in their noise, and a search rarely finds its way from
  // one explanation to the other.
  for (const double noise : {1e-5, 0.05}) {
    std::vector<double> settings(rows.groups, start);
    settings.push_back(std::log(noise));
    if (!rows.foreign.empty()) settings.push_back(std::log(2.0));
    settings.resize(settings.size() + stretches, 0.0);
    const double value = ascend(f, search, settings);
    if (!(value > best.evidence)) continue;
    best.evidence = value;
    best.kernel.lengths.resize(static_cast<Eigen::Index>(rows.groups));
    for (std::size_t g = 0; g < rows.groups; ++g)
      best.kernel.lengths[static_cast<Eigen::Index>(g)] = std::exp(settings[g]);
    best.kernel.noise = std::exp(settings[rows.groups]);
    if (!rows.foreign.empty()) best.kernel.remoteness = std::exp(-2.0 * settings[rows.groups + 1]);
    best.kernel.stretches.clear();
    for (std::size_t s = settings.size() - stretches; s < settings.size(); ++s)
      best.kernel.stretches.emplace_back(settings[s]);
  }
  return best;
}

}  // namespace nomu
