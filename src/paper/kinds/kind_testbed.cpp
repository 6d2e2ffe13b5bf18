#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "nomu/core/error.hpp"
#include "nomu/core/random.hpp"
#include "paper/kinds/kinds.hpp"
#include "paper/kinds/sufficient.hpp"
#include "paper/problems/bnn.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "paper/experiment";

/// The dimension in "5d".
std::size_t columns_of(const std::string& problem) {
  std::size_t d = 0;
  const char* const last = problem.data() + problem.size();
  const auto [end, error] = std::from_chars(problem.data(), last, d);
  if (error != std::errc{} || std::string_view(end, last) != "d" || d == 0) {
    throw ConfigError(where, fmt::format("a test-bed problem is a dimension such as 2d, got '{}'", problem));
  }
  return d;
}

std::size_t rows_for(const ExperimentSpec& spec, std::int64_t rows, std::size_t d) {
  return static_cast<std::size_t>(rows) * (spec.rows_per_input ? d : 1);
}

ProblemShape shape(const ExperimentSpec& spec, const std::string& problem) {
  const std::size_t d = columns_of(problem);
  if (spec.inputs != "uniform" && spec.inputs != "gauss") {
    throw ConfigError(where, fmt::format("inputs must be uniform or gauss, got '{}'", spec.inputs));
  }
  return {.rows = rows_for(spec, spec.rows, d), .cols = d};
}

BnnSpec network_of(const ExperimentSpec& spec, std::size_t d, std::uint64_t seed) {
  BnnSpec network{.dimension = d, .seed = seed};
  if (!spec.network.empty()) {
    network.widths.assign(spec.network.begin(), spec.network.end());
    // The paper's priors are for its own widths; here any scale will do.
    network.sigma_prior = 0.3;
  }
  return network;
}

std::string recipe(const ExperimentSpec& spec, const std::string& problem, std::uint64_t seed) {
  const std::size_t d = columns_of(problem);
  std::string text = fmt::format("bnn d={} inputs={} rows={} test={} seed={}", d, spec.inputs,
                                 rows_for(spec, spec.rows, d), rows_for(spec, spec.test_rows, d), seed);
  for (const std::int64_t width : spec.network) text += fmt::format(" {}", width);
  return text;
}

/// An orthogonal matrix [d][d] from the Haar measure: normal vectors, orthonormalised one after the other.
std::vector<double> haar_rotation(std::size_t d, Random& random) {
  std::vector<double> q(d * d);
  for (double& value : q) value = random.normal();
  for (std::size_t k = 0; k < d; ++k) {
    double* const row = q.data() + k * d;
    // Twice, because one pass loses orthogonality to rounding.
    for (std::size_t pass = 0; pass < 2; ++pass) {
      for (std::size_t j = 0; j < k; ++j) {
        double dot = 0.0;
        for (std::size_t i = 0; i < d; ++i) dot += row[i] * q[j * d + i];
        for (std::size_t i = 0; i < d; ++i) row[i] -= dot * q[j * d + i];
      }
    }
    double square = 0.0;
    for (std::size_t i = 0; i < d; ++i) square += row[i] * row[i];
    for (std::size_t i = 0; i < d; ++i) row[i] /= std::sqrt(square);
  }
  return q;
}

/// Normal inputs with variance 0.15 in five directions and 0.001 in all others (Appendix B.2.4). Every run draws its
/// own directions.
PaperInputs gauss_inputs(std::uint64_t seed, std::size_t n_train, std::size_t n_test, std::size_t d) {
  constexpr std::size_t wide = 5;
  constexpr std::uint32_t stream = 1000;  // separate from those of the network's layers
  Random random(seed, stream);
  const std::vector<double> directions = haar_rotation(d, random);
  const auto rows = [&](std::size_t count) {
    std::vector<double> x(count * d, 0.0);
    for (std::size_t r = 0; r < count; ++r) {
      for (std::size_t k = 0; k < d; ++k) {
        const double step = std::sqrt(k < wide ? 0.15 : 0.001) * random.normal();
        for (std::size_t i = 0; i < d; ++i) x[r * d + i] += step * directions[k * d + i];
      }
    }
    return x;
  };
  PaperInputs inputs;
  inputs.train = rows(n_train);
  inputs.test = rows(n_test);
  return inputs;
}

RunData draw(const ExperimentSpec& spec, const ExperimentRun& run) {
  const std::size_t d = columns_of(run.problem);
  const std::size_t n = rows_for(spec, spec.rows, d);
  const std::size_t q = rows_for(spec, spec.test_rows, d);
  const BnnFunction function(network_of(spec, d, run.seed));
  PaperInputs inputs = spec.inputs == "gauss" ? gauss_inputs(run.seed, n, q, d)
                                              : paper_inputs(static_cast<std::uint32_t>(run.seed), n, q, d);
  std::vector<double> y = function.evaluate(inputs.train);
  std::vector<double> test_y = function.evaluate(inputs.test);
  return {.train = make_dataset(std::move(inputs.train), d, std::move(y)),
          .validation = {},
          .test = make_dataset(std::move(inputs.test), d, std::move(test_y))};
}

/// One c for all runs: c^2 is the mean of z^2, and a run's NLL with it is mean(ln sigma) + ln c + mean(z^2) / (2 c^2).
std::optional<Estimate> estimate(const std::string& /*metric*/, std::span<const ResultRow* const> rows) {
  std::vector<double> squares;
  for (const ResultRow* row : rows) squares.push_back(row->value("z_squared"));
  if (squares.empty()) return std::nullopt;
  const double c_squared = mean(squares);
  std::vector<double> values;
  for (const ResultRow* row : rows) {
    values.push_back(row->value("log_sigma") + 0.5 * std::log(c_squared) + 0.5 * row->value("z_squared") / c_squared);
  }
  return Estimate{.value = mean(values), .interval = normal_interval(values)};
}

}  // namespace

ExperimentKind testbed_kind() {
  return {.name = "testbed",
          .values = sufficient_names(),
          .metrics = {{.name = "nll", .title = "NLL"}},
          .over_all = false,
          .shape = shape,
          .recipe = recipe,
          .draw = draw,
          .measure = measure_sufficient,
          .estimate = estimate};
}

}  // namespace nomu
