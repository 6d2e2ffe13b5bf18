#pragma once
/// Pointwise worst-case bounds and the single optimisation problem of Appendix A of the paper, solved on a grid for the
/// class of functions through the data whose integral of f''^2 is bounded. That class is not upwards directed, so that
/// the theorem does not hold for it: the two are compared in the paper's first pictures.

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <vector>

#include "nomu/report/plot.hpp"

namespace nomu {

/// A strictly increasing, concave u with its first two derivatives.
struct Gain {
  std::function<double(double)> value;
  std::function<double(double)> slope;
  std::function<double(double)> curvature;
};

/// u(z) = z, and u(z) = -e^{-c z} as in NOMU's loss.
[[nodiscard]] Gain identity_gain();
[[nodiscard]] Gain exponential_gain(double c);

/// Functions on a grid of equal steps from -1 to 1 that are 0 at some of its points: how far functions through the data
/// lie above the smoothest of them. Penalty: the integral of the squared second derivative.
class SmoothClass {
 public:
  /// `data` holds at least two of the indices 0 to `size` - 1.
  SmoothClass(std::size_t size, std::vector<std::size_t> data);

  [[nodiscard]] const std::vector<double>& grid() const { return grid_; }

  /// The largest value that a function of the class with a penalty of at most 1 has at each point of the grid.
  [[nodiscard]] std::vector<double> pointwise() const;

  /// The function that maximises the integral of u minus `weight` times the penalty.
  [[nodiscard]] std::vector<double> maximiser(const Gain& u, double weight) const;

  [[nodiscard]] double penalty(const std::vector<double>& function) const;

 private:
  [[nodiscard]] double step() const { return grid_[1] - grid_[0]; }
  [[nodiscard]] Eigen::MatrixXd penalty_matrix() const;
  [[nodiscard]] std::vector<double> on_grid(const Eigen::VectorXd& free) const;

  std::vector<double> grid_;
  std::vector<std::size_t> free_;  ///< the points without data
};

/// The paper's two pictures as one: h with u the identity falls below the mean between two close points, with the
/// exponential it does not, and both stay below the pointwise bound.
[[nodiscard]] Plot worst_case_plot(bool exponential);

}  // namespace nomu
