#include <array>
#include <cmath>
#include <numbers>

#include "paper/problems/function_formulas.hpp"

namespace nomu {
namespace {

using std::numbers::pi;
using Point = std::array<double, 2>;

double squared(double v) { return v * v; }

// Scaling bounds that are not the true extremes (goldstein_price, branin, styblinski_tang) are the paper's.

double sphere(double a, double b) { return a * a + b * b - 1.0; }

double g_function(double a, double b) { return to_unit(g_formula(Point{(a + 1.0) / 2.0, (b + 1.0) / 2.0}), -2.0, 6.0); }

double goldstein_price(double a, double b) {
  const double x = 2.0 * a;
  const double y = 2.0 * b;
  const double first =
      1.0 + squared(x + y + 1.0) * (19.0 - 14.0 * x + 3.0 * x * x - 14.0 * y + 6.0 * x * y + 3.0 * y * y);
  const double second =
      30.0 + squared(2.0 * x - 3.0 * y) * (18.0 - 32.0 * x + 12.0 * x * x + 48.0 * y - 36.0 * x * y + 27.0 * y * y);
  return to_unit(first * second, 3.0, 1e6);
}

double levy(double a, double b) {
  static const double highest = levy_formula(Point{-10.0, -10.0});
  return to_unit(levy_formula(Point{10.0 * a, 10.0 * b}), 0.0, highest);
}

double bukin6(double a, double b) {
  const double x = 5.0 * a - 10.0;
  const double y = 3.0 * b;
  return to_unit(100.0 * std::sqrt(std::abs(y - 0.01 * x * x)) + 0.01 * std::abs(x + 10.0), 0.0, 229.178784747792);
}

double rosenbrock(double a, double b) {
  return to_unit(rosenbrock_formula(Point{7.5 * a + 2.5, 7.5 * b + 2.5}), 0.0, 1102581.0);
}

double beale(double a, double b) {
  const double x = 4.5 * a;
  const double y = 4.5 * b;
  const double value = squared(1.5 - x + x * y) + squared(2.25 - x + x * y * y) + squared(2.625 - x + x * y * y * y);
  return to_unit(value, 0.0, 181853.61328125);
}

/// The three-hump camel function.
double camel(double a, double b) {
  const double x = 2.0 * a;
  const double y = 2.0 * b;
  const double value = 2.0 * x * x - 1.05 * squared(x * x) + squared(x * x * x) / 6.0 + x * y + y * y;
  return to_unit(value, 0.0, 9.866666666666665);
}

double perm(double a, double b) { return to_unit(perm_formula(Point{2.0 * a, 2.0 * b}), 0.0, 110.5); }

double branin(double a, double b) {
  const double x = 7.5 * (a + 1.0) - 5.0;
  const double y = 7.5 * (b + 1.0);
  const double value = squared(y - 5.1 / (4.0 * pi * pi) * x * x + 5.0 / pi * x - 6.0) +
                       10.0 * (1.0 - 1.0 / (8.0 * pi)) * std::cos(x) + 10.0;
  return to_unit(value, 0.397887, 308.12909601160663);
}

double styblinski_tang(double a, double b) {
  const auto term = [](double x) { return squared(x * x) - 16.0 * x * x + 5.0 * x; };
  return to_unit(0.5 * (term(5.0 * a) + term(5.0 * b)), -78.332, 250.0);
}

/// Rises, unlike the one-dimensional step; the paper defines them this way.
double step(double a, double /*b*/) { return a < 0.0 ? -1.0 : 1.0; }

struct Row {
  const char* name = nullptr;
  double (*formula)(double, double) = nullptr;
  std::optional<Point> argmin;
  std::optional<Point> argmax;
};

const std::array<Row, 12>& rows() {
  // Styblinski-Tang is smallest at the smallest root of 4x^3 - 32x + 5.
  constexpr double tang = -2.9035340277711770 / 5.0;
  static const std::array<Row, 12> table = {{
      {"sphere", sphere, Point{0.0, 0.0}, Point{1.0, 1.0}},
      {"g_function", g_function, Point{0.0, 1.0}, Point{1.0, 1.0}},
      {"goldstein_price", goldstein_price, Point{0.0, -0.5}, std::nullopt},
      {"levy", levy, Point{0.1, 0.1}, Point{-1.0, -1.0}},
      {"bukin6", bukin6, Point{0.0, 1.0 / 3.0}, Point{-1.0, -1.0}},
      {"rosenbrock", rosenbrock, Point{-0.2, -0.2}, Point{1.0, -1.0}},
      {"beale", beale, Point{2.0 / 3.0, 1.0 / 9.0}, Point{-1.0, -1.0}},
      {"camel", camel, Point{0.0, 0.0}, Point{1.0, 1.0}},
      {"perm", perm, Point{0.5, 1.0}, Point{-1.0, -1.0}},
      {"branin", branin, Point{(pi + 5.0) / 7.5 - 1.0, 2.275 / 7.5 - 1.0}, Point{-1.0, -1.0}},
      {"styblinski_tang", styblinski_tang, Point{tang, tang}, Point{1.0, 1.0}},
      {"step", step, Point{-1.0, 0.0}, Point{1.0, 0.0}},
  }};
  return table;
}

std::optional<KnownOptimum> optimum(double (*formula)(double, double), const std::optional<Point>& x) {
  if (!x) return std::nullopt;
  return KnownOptimum{.x = {(*x)[0], (*x)[1]}, .value = formula((*x)[0], (*x)[1])};
}

}  // namespace

std::vector<TestFunction> functions_2d() {
  std::vector<TestFunction> functions;
  for (const Row& row : rows()) {
    functions.push_back({.name = row.name,
                         .dimension = 2,
                         .evaluate = [formula = row.formula](std::span<const double> x) { return formula(x[0], x[1]); },
                         .minimum = optimum(row.formula, row.argmin),
                         .maximum = optimum(row.formula, row.argmax)});
  }
  return functions;
}

}  // namespace nomu
