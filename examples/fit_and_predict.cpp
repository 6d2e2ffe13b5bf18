// A calibrated model of one column of a CSV file, and 90 % bounds for rows it has not seen.

#include <cstdio>
#include <nomu/nomu.hpp>

int main(int argc, char** argv) {
  const nomu::Model model = nomu::fit({.target = "strength"}, nomu::read_table(argc > 1 ? argv[1] : "kiln.csv"));
  const nomu::Table rows = nomu::parse_table("temperature,hours,clay\n950,6,red\n1200,10,white\n", "new rows");
  const nomu::PredictedRows predicted = model.predict(rows);
  const nomu::Bounds bounds = model.bounds(rows, 0.9);
  for (std::size_t i = 0; i < predicted.rows(); ++i)
    std::printf("%.1f in [%.1f, %.1f]\n", predicted.mean[i], bounds.lower[i], bounds.upper[i]);
  nomu::save_model(model, "kiln.nomu");  // `nomu predict kiln.nomu` reads it
}
