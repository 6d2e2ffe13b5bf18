#include <array>
#include <cmath>
#include <numbers>

#include "paper/problems/function_formulas.hpp"

namespace nomu {
namespace {

using std::numbers::pi;

double abs_1d(double x) { return 2.0 / 1.4 * std::abs(x - 0.4) - 1.0; }
double step(double x) { return x < 0.0 ? 1.0 : -1.0; }
double kink(double x) {
  const double t = x - 0.4;
  return (1.0 + (t < 0.0 ? 2.0 : -3.0) * t + 0.4) / 1.4;
}
double square(double x) { return 2.0 * x * x - 1.0; }
double cubic(double x) { return x * x * x; }
double sine1(double x) { return std::sin(10.0 / (x - 1.2)); }
double sine2(double x) { return std::sin(-5.5 * pi * x) / 5.0 + 4.0 * x / 5.0; }
double sine3_detrended(double x) { return std::sin(std::exp(2.7 * x) + 0.1) * std::pow((x + 1.0) / 2.0, 0.9); }
double sine3(double x) {
  return 2.0 / 2.46492193 * (0.5 * sine3_detrended(x) + 0.5 * x + 0.25 * (x + 1.0) * (x + 1.0) - 0.7324646);
}
double forrester(double x) {
  // The minimum on the original domain, rounded as in the paper's scaling.
  constexpr double lowest = -6.02074;
  const double t = (x + 1.0) / 2.0;
  return to_unit((6.0 * t - 2.0) * (6.0 * t - 2.0) * std::sin(12.0 * t - 4.0), lowest, 16.0 * std::sin(8.0));
}
/// With one input there are no middle terms; the d-dimensional formula gives just that for d = 1.
double levy(double x) {
  const double original = 10.0 * x;
  return to_unit(levy_formula({&original, 1}), 0.0, 15.625);
}

struct Row {
  const char* name = nullptr;
  double (*formula)(double) = nullptr;
  std::optional<double> argmin;
  std::optional<double> argmax;
};

const std::array<Row, 11>& rows() {
  static const std::array<Row, 11> table = {{
      {"abs", abs_1d, 0.4, -1.0},
      {"step", step, 1.0, -1.0},
      {"kink", kink, -1.0, 0.4},
      {"square", square, 0.0, 1.0},
      {"cubic", cubic, -1.0, 1.0},
      {"sine1", sine1, 1.2 - 4.0 / pi, 1.2 - 20.0 / (3.0 * pi)},
      {"sine2", sine2, -1.0, 1.0},
      {"sine3", sine3, -1.0, std::nullopt},
      {"forrester", forrester, std::nullopt, 1.0},
      {"levy", levy, 0.1, -1.0},
      {"sine3_detrended", sine3_detrended, std::nullopt, std::nullopt},
  }};
  return table;
}

std::optional<KnownOptimum> optimum(double (*formula)(double), std::optional<double> x) {
  if (!x) return std::nullopt;
  return KnownOptimum{.x = {*x}, .value = formula(*x)};
}

}  // namespace

std::vector<TestFunction> functions_1d() {
  std::vector<TestFunction> functions;
  for (const Row& row : rows()) {
    functions.push_back({.name = row.name,
                         .dimension = 1,
                         .evaluate = [formula = row.formula](std::span<const double> x) { return formula(x[0]); },
                         .minimum = optimum(row.formula, row.argmin),
                         .maximum = optimum(row.formula, row.argmax)});
  }
  return functions;
}

}  // namespace nomu
