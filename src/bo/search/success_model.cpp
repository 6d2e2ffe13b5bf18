#include "bo/search/success_model.hpp"

#include <algorithm>
#include <vector>

#include "nomu/data/cohort.hpp"
#include "nomu/models/method.hpp"
#include "nomu/models/preset.hpp"

namespace nomu {
namespace {

constexpr std::size_t most_of_each = 100;  // the cost of a fit is cubic

/// Adds rows [n][inputs] with this target; evenly spaced ones if there are too many.
void add(std::span<const double> rows, std::size_t inputs, double target, std::vector<double>& x,
         std::vector<double>& y) {
  const std::size_t count = rows.size() / inputs;
  const std::size_t taken = std::min(count, most_of_each);
  for (std::size_t k = 0; k < taken; ++k) {
    const std::span<const double> row = rows.subspan(k * count / taken * inputs, inputs);
    x.insert(x.end(), row.begin(), row.end());
    y.push_back(target);
  }
}

}  // namespace

std::shared_ptr<const FittedCohort> fit_success(std::span<const double> finished, std::span<const double> failed,
                                                std::size_t inputs, Engine& engine, const Progress& progress) {
  if (finished.empty() || failed.empty()) return {};
  std::vector<double> x;
  std::vector<double> y;
  add(finished, inputs, 1.0, x, y);
  add(failed, inputs, -1.0, x, y);
  MethodSpec spec = method_preset("gp", "auto", inputs);
  const Fields fields = fields_of(spec);
  fields.set_text("restarts", "1");
  // Shorter length scales would explain every failure on its own instead of finding the border.
  fields.set_text("length.low", "0.1");
  const std::vector<std::uint64_t> seeds{1};
  return fit(spec, repeat(make_dataset(std::move(x), inputs, std::move(y)), seeds), engine, progress);
}

double success_probability(double mean, double sigma) { return std::clamp(0.5 * (1.0 + mean - sigma), 0.0, 1.0); }

}  // namespace nomu
