// How far bounds go at rows with names that training did not have.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "nomu/core/random.hpp"
#include "nomu/data/table_io.hpp"
#include "nomu/models/request.hpp"

namespace nomu {
namespace {

constexpr int names = 25;

/// A number and one of the names from `first` on, each with an effect of its own: normal with deviation 2.
std::string named_rows(std::size_t rows, int first, std::uint64_t seed) {
  Random effects(99);
  std::vector<double> effect(4 * static_cast<std::size_t>(names));
  for (double& one : effect) one = 2.0 * effects.normal();
  Random random(seed);
  std::string text = "site,a,y\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const int name = first + static_cast<int>(random.below(names));
    const double a = random.normal();
    const double y = a + effect[static_cast<std::size_t>(name)] + 0.3 * random.normal();
    text += "s" + std::to_string(name) + "," + std::to_string(a) + "," + std::to_string(y) + "\n";
  }
  return text;
}

double coverage(const Model& model, const Table& rows) {
  const Bounds band = model.bounds(rows, 0.9);
  const std::vector<double> y = numeric_column(rows, "y");
  double inside = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (band.lower[i] <= y[i] && y[i] <= band.upper[i]) inside += 1.0;
  }
  return inside / static_cast<double>(y.size());
}

TEST(UnknownNames, BoundsAreAsWideAsTheNamesDiffer) {
  const Model model = fit({.target = "y", .level = 0.9}, parse_table(named_rows(400, 0, 1), "train.csv"));
  EXPECT_GT(coverage(model, parse_table(named_rows(1000, 0, 2), "known.csv")), 0.85);
  // Three times as many other names: their own effects, few as they are, decide how many rows are covered.
  double unknown = 0.0;
  for (const int first : {names, 2 * names, 3 * names})
    unknown += coverage(model, parse_table(named_rows(500, first, 3), "unknown.csv")) / 3.0;
  EXPECT_GT(unknown, 0.8);
}

TEST(UnknownNames, KnownNamesAreNotWidened) {
  const Model model = fit({.target = "y", .level = 0.9}, parse_table(named_rows(400, 0, 1), "train.csv"));
  const PredictedRows known = model.predict(parse_table("site,a\ns1,0\ns2,0.5\n", "known.csv"));
  const PredictedRows unknown = model.predict(parse_table("site,a\nelsewhere,0\nnowhere,0.5\n", "unknown.csv"));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_LT(known.sigma_model[i], 0.6);
    EXPECT_GT(unknown.sigma_model[i], 1.2);
  }
}

}  // namespace
}  // namespace nomu
