#include <fmt/format.h>

#include <vector>

#include "eval/bootstrap.hpp"
#include "paper/kinds/kinds.hpp"
#include "paper/kinds/sufficient.hpp"
#include "paper/problems/functions.hpp"

namespace nomu {
namespace {

std::size_t columns_of(const ExperimentSpec& spec) { return static_cast<std::size_t>(spec.dimension); }

ProblemShape shape(const ExperimentSpec& spec, const std::string& problem) {
  (void)find_function(problem, columns_of(spec));  // throws if it is unknown
  return {.rows = static_cast<std::size_t>(spec.rows), .cols = columns_of(spec)};
}

std::string recipe(const ExperimentSpec& spec, const std::string& problem, std::uint64_t seed) {
  return fmt::format("function {} d={} rows={} test={} seed={}", problem, spec.dimension, spec.rows, spec.test_rows,
                     seed);
}

RunData draw(const ExperimentSpec& spec, const ExperimentRun& run) {
  const std::size_t d = columns_of(spec);
  const TestFunction function = find_function(run.problem, d);
  PaperInputs inputs = paper_inputs(static_cast<std::uint32_t>(run.seed), static_cast<std::size_t>(spec.rows),
                                    static_cast<std::size_t>(spec.test_rows), d);
  std::vector<double> y = evaluate_rows(function, inputs.train);
  std::vector<double> test_y = evaluate_rows(function, inputs.test);
  return {.train = make_dataset(std::move(inputs.train), d, std::move(y)),
          .validation = {},
          .test = make_dataset(std::move(inputs.test), d, std::move(test_y))};
}

std::optional<Estimate> estimate(const std::string& metric, std::span<const ResultRow* const> rows) {
  std::vector<double> values;
  for (const ResultRow* row : rows) values.push_back(row->value(metric));
  if (values.empty()) return std::nullopt;
  return Estimate{.value = median(values), .interval = bootstrap_median_interval(values)};
}

}  // namespace

ExperimentKind toy_kind() {
  return {.name = "toy",
          .values = sufficient_names(),
          .metrics = {{.name = "auc", .title = "AUC"}, {.name = "min_nll", .title = "min NLL"}},
          .over_all = true,
          .shape = shape,
          .recipe = recipe,
          .draw = draw,
          .measure = measure_sufficient,
          .estimate = estimate};
}

}  // namespace nomu
