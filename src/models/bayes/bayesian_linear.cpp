#include "models/bayes/bayesian_linear.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace nomu {
namespace {

constexpr double least_precision = 1e-8;
constexpr double largest_precision = 1e10;

double within(double precision) { return std::clamp(precision, least_precision, largest_precision); }

/// Eigenvalues, clipped at 0, and eigenvectors of the Gram matrix.
struct Spectrum {
  Vector values;
  Matrix vectors;
  bool valid;

  explicit Spectrum(const Matrix& gram) : valid(gram.diagonal().allFinite()) {
    if (!valid) return;
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(gram);
    values = solver.eigenvalues().cwiseMax(0.0);
    vectors = solver.eigenvectors();
    valid = solver.info() == Eigen::Success;
  }

  /// Number of coefficients that the rows determine: sum of beta v / (alpha + beta v).
  [[nodiscard]] double determined(double alpha, double beta) const {
    return (beta * values.array() / (alpha + beta * values.array())).sum();
  }
};

/// Repeats alpha = g / |c|^2 and beta = (n - g) / |e|^2 until convergence; `squares(alpha, beta)` gives |c|^2, |e|^2.
template <class Squares>
void tune(const Spectrum& spectrum, double rows, const Squares& squares, BayesianLinear& fit) {
  for (int step = 0; step < 1000; ++step) {
    const double determined = spectrum.determined(fit.alpha, fit.beta);
    const auto [coefficients, errors] = squares(fit.alpha, fit.beta);
    const double alpha = within(determined / std::max(coefficients, 1e-300));
    const double beta = within(std::max(rows - determined, 1e-9) / std::max(errors, 1e-300));
    const double change = std::abs(std::log(alpha / fit.alpha)) + std::abs(std::log(beta / fit.beta));
    fit.alpha = alpha;
    fit.beta = beta;
    if (change < 1e-7) return;
  }
}

void set_root(const Spectrum& spectrum, BayesianLinear& fit) {
  const Vector scale = (fit.alpha + fit.beta * spectrum.values.array()).rsqrt();
  fit.root = spectrum.vectors * scale.asDiagonal();
}

BayesianLinear failed(const NormalEquations& equations) {
  BayesianLinear fit;
  fit.valid = false;
  fit.coefficients = Vector::Zero(equations.moment().size());
  fit.root = Matrix::Zero(equations.moment().size(), equations.moment().size());
  return fit;
}

}  // namespace

void NormalEquations::add(const Matrix& columns, const Vector& targets, const Vector& weights) {
  const Matrix weighted = columns * weights.cwiseSqrt().asDiagonal();
  gram_.selfadjointView<Eigen::Lower>().rankUpdate(weighted);
  moment_.noalias() += columns * targets.cwiseProduct(weights);
  rows_ += weights.sum();
  target_squares_ += targets.cwiseAbs2().dot(weights);
}

BayesianLinear regress(const NormalEquations& equations) {
  const Spectrum spectrum(equations.gram());
  if (!spectrum.valid) return failed(equations);
  // In the eigenbasis the coefficients are beta b / (alpha + beta v), and errors follow without another pass over the
  // rows.
  const Vector moment = spectrum.vectors.transpose() * equations.moment();
  const auto coefficients = [&](double alpha, double beta) -> Vector {
    return beta * moment.array() / (alpha + beta * spectrum.values.array());
  };
  const auto squares = [&](double alpha, double beta) {
    const Vector c = coefficients(alpha, beta);
    const double errors = equations.target_squares() - 2.0 * c.dot(moment) + c.cwiseAbs2().dot(spectrum.values);
    return std::pair{c.squaredNorm(), std::max(errors, 1e-14 * equations.target_squares())};
  };
  BayesianLinear fit;
  tune(spectrum, equations.rows(), squares, fit);
  fit.coefficients = spectrum.vectors * coefficients(fit.alpha, fit.beta);
  set_root(spectrum, fit);
  return fit;
}

BayesianLinear regress_around(const NormalEquations& equations, double coefficient_squares, double error_squares) {
  const Spectrum spectrum(equations.gram());
  if (!spectrum.valid || !std::isfinite(coefficient_squares + error_squares)) return failed(equations);
  BayesianLinear fit;
  tune(
      spectrum, equations.rows(),
      [&](double, double) {
        return std::pair{coefficient_squares, error_squares};
      },
      fit);
  set_root(spectrum, fit);
  return fit;
}

}  // namespace nomu
