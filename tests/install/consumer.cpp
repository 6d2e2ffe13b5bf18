// Uses the installed package as README tells users to: one header, a table in, a calibrated model out.

#include <cmath>
#include <nomu/nomu.hpp>
#include <string>

int main() {
  std::string text = "x,y\n";
  for (int i = 0; i < 24; ++i) text += std::to_string(0.1 * i) + "," + std::to_string(std::sin(0.3 * i)) + "\n";
  const nomu::FitRequest request{.target = "y", .preset = "interactive", .settings = {{"train.epochs", "50"}}};
  const nomu::Model model = nomu::fit(request, nomu::parse_table(text, "made"));
  const nomu::Table rows = nomu::parse_table("x\n0.55\n", "new");
  const nomu::Bounds bounds = model.bounds(rows, 0.8);
  const nomu::Space space = nomu::Space::box(1, -1.0, 1.0);
  const nomu::Optimum found =
      nomu::minimize([](const nomu::Point& x) { return x[0] * x[0]; }, space, {.evaluations = 4});
  return bounds.lower[0] < model.predict(rows).mean[0] && model.predict(rows).mean[0] < bounds.upper[0] &&
                 found.value <= 1.0
             ? 0
             : 1;
}
