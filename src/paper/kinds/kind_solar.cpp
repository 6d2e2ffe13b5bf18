#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"
#include "nomu/data/scaling.hpp"
#include "paper/kinds/kinds.hpp"
#include "paper/kinds/solar.hpp"
#include "paper/kinds/sufficient.hpp"
#include "paper/problems/data_files.hpp"
#include "paper/problems/paper_split.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "paper/solar";

/// The seed in "split-655".
std::uint32_t seed_of(const std::string& problem) {
  constexpr std::string_view prefix = "split-";
  std::uint32_t seed = 0;
  if (problem.starts_with(prefix)) {
    const char* const last = problem.data() + problem.size();
    const auto [end, error] = std::from_chars(problem.data() + prefix.size(), last, seed);
    if (error == std::errc{} && end == last) return seed;
  }
  throw ConfigError(where, fmt::format("a problem is the seed of a split, such as split-655, got '{}'", problem));
}

/// Five strips of twenty rows each are test rows in every split.
bool in_strip(std::size_t row) {
  for (const std::size_t first : {20U, 102U, 184U, 266U, 348U}) {
    if (row >= first && row < first + 20) return true;
  }
  return false;
}

ProblemShape shape(const ExperimentSpec& spec, const std::string& problem) {
  if (problem == "made") return {.rows = static_cast<std::size_t>(spec.rows), .cols = 1};
  (void)seed_of(problem);
  return {.rows = 194, .cols = 1};
}

std::string recipe(const ExperimentSpec& spec, const std::string& problem, std::uint64_t seed) {
  if (problem == "made") return fmt::format("solar made rows={} start={}", spec.rows, seed);
  const std::string rows = digest(read_file(data_file(spec.data, "solar/irradiance_data.txt")));
  return fmt::format("solar {} {} start={}", rows, problem, seed);
}

RunData draw(const ExperimentSpec& spec, const ExperimentRun& run) {
  const bool made = run.problem == "made";
  RunData data = solar_rows(made ? synthetic_years() : read_solar(spec.data), made ? 1 : seed_of(run.problem));
  if (made) {
    std::vector<std::size_t> few;
    const auto rows = static_cast<std::size_t>(spec.rows);
    for (std::size_t i = 0; i < rows; ++i) few.push_back(i * data.train.rows() / rows);
    data.train = subset(data.train, few);
  }
  return data;
}

}  // namespace

DataSet synthetic_years() {
  std::vector<double> x;
  std::vector<double> y;
  for (int year = 1610; year <= 2000; ++year) {
    x.push_back(year);
    y.push_back(1365.0 + std::sin(0.05 * year) + 0.3 * std::sin(0.57 * year));
  }
  return make_dataset(std::move(x), 1, std::move(y));
}

RunData solar_rows(const DataSet& years, std::uint32_t seed) {
  const Scaling inputs = fit_scaling(years.inputs, 1, ScalingKind::min_max);
  const Scaling targets = fit_scaling(years.targets, 1, ScalingKind::min_max);
  const DataSet all = scaled_dataset(years, inputs, targets);
  std::vector<std::size_t> test;
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < all.rows(); ++i) (in_strip(i) ? test : rest).push_back(i);
  const Split split = paper_split(rest.size(), (rest.size() + 2) / 3, seed);
  std::vector<std::size_t> train;
  train.reserve(split.train.size());
  for (const std::size_t i : split.train) train.push_back(rest[i]);
  for (const std::size_t i : split.test) test.push_back(rest[i]);
  return {.train = subset(all, train), .validation = {}, .test = subset(all, test)};
}

ExperimentKind solar_kind() {
  return {.name = "solar",
          .values = sufficient_names(),
          .metrics = {{.name = "auc", .title = "AUC"}, {.name = "min_nll", .title = "min NLL"}},
          .over_all = false,
          .shape = shape,
          .most_runs = {},
          .recipe = recipe,
          .draw = draw,
          .measure = measure_sufficient,
          .estimate = mean_estimate};
}

}  // namespace nomu
