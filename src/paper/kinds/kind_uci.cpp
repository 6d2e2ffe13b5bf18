#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"
#include "nomu/core/random.hpp"
#include "paper/kinds/calibrated_fit.hpp"
#include "paper/kinds/kinds.hpp"
#include "paper/problems/data_files.hpp"
#include "paper/problems/paper_split.hpp"

namespace nomu {
namespace {

constexpr std::size_t authors_runs = 20;
constexpr std::uint64_t validation_purpose = 0x76616c;  // separates this split from everything else derived from a seed

enum class Splits { canonical, gap, authors, made };

struct Problem {
  std::string set;
  Splits splits = Splits::canonical;
};

Problem problem_of(const std::string& name) {
  if (name == "made") return {.set = name, .splits = Splits::made};
  Problem problem{.set = name};
  for (const auto& [ending, splits] : {std::pair{"-gap", Splits::gap}, std::pair{"-authors", Splits::authors}}) {
    if (!name.ends_with(ending)) continue;
    problem = {.set = name.substr(0, name.rfind('-')), .splits = splits};
  }
  const std::vector<std::string> sets{"boston", "concrete", "energy", "kin8nm", "naval",
                                      "power",  "protein",  "wine",   "yacht"};
  if (std::ranges::find(sets, problem.set) == sets.end()) {
    const std::string near = nearest(problem.set, sets);
    throw ConfigError("paper/uci", fmt::format("there is no UCI data set '{}'{}", problem.set,
                                               near.empty() ? "" : fmt::format(", did you mean '{}'?", near)));
  }
  return problem;
}

/// Rows for tests without data files: a noisy curve over two inputs.
DataSet synthetic_rows() {
  constexpr std::size_t rows = 60;
  Random random(17);
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = random.uniform(-1.0, 1.0);
    const double b = random.uniform(-1.0, 1.0);
    x.insert(x.end(), {10.0 * a, 3.0 + b});
    y.push_back(100.0 + 20.0 * std::sin(3.0 * a) + 5.0 * b + random.normal());
  }
  return make_dataset(std::move(x), 2, std::move(y));
}

std::size_t rounded_up_share(double part, std::size_t rows) {
  return static_cast<std::size_t>(std::ceil(part * static_cast<double>(rows) - 1e-9));
}

std::string split_folder(const Problem& problem) { return problem.splits == Splits::gap ? "uci_gap" : "uci"; }

std::filesystem::path split_file(const ExperimentSpec& spec, const Problem& problem, std::string_view part,
                                 std::uint64_t split) {
  return data_file(spec.data, fmt::format("{}/{}/index_{}_{}.txt", split_folder(problem), problem.set, part, split));
}

/// A fifth of the rows at random.
Split validation_split(std::size_t rows, std::uint64_t seed) {
  return random_split(rows, 0.2, derived_seed(seed, validation_purpose));
}

std::vector<std::size_t> select(const std::vector<std::size_t>& from, const std::vector<std::size_t>& places) {
  std::vector<std::size_t> rows;
  rows.reserve(places.size());
  for (const std::size_t place : places) rows.push_back(from[place]);
  return rows;
}

RunData split_rows(const DataSet& all, const Split& outer, const Split& inner) {
  return {.train = subset(all, select(outer.train, inner.train)),
          .validation = subset(all, select(outer.train, inner.test)),
          .test = subset(all, outer.test)};
}

/// Training, validation and test rows 72 : 18 : 10; run 0 is the authors' seed 1.
RunData authors_data(const DataSet& all, std::uint64_t run) {
  const auto seed = static_cast<std::uint32_t>(run + 1);
  const Split outer = paper_split(all.rows(), rounded_up_share(0.1, all.rows()), 3 * seed + 3);
  const Split inner = paper_split(outer.train.size(), rounded_up_share(0.2, outer.train.size()), 2 * seed + 1);
  return split_rows(all, outer, inner);
}

RunData draw(const ExperimentSpec& spec, const ExperimentRun& run) {
  const Problem problem = problem_of(run.problem);
  if (problem.splits == Splits::authors) return authors_data(read_uci_authors(spec.data, problem.set), run.seed);
  const bool made = problem.splits == Splits::made;
  const DataSet all = made ? synthetic_rows() : read_uci(spec.data, problem.set);
  const Split outer = made ? random_split(all.rows(), 0.2, run.seed)
                           : read_uci_split(spec.data, split_folder(problem), problem.set, run.seed, all.rows());
  return split_rows(all, outer, validation_split(outer.train.size(), run.seed));
}

ProblemShape shape(const ExperimentSpec& spec, const std::string& name) {
  const Problem problem = problem_of(name);
  if (problem.splits == Splits::made) return {.rows = 48, .cols = 2};
  const std::filesystem::path columns = data_file(spec.data, fmt::format("uci/{}/index_features.txt", problem.set));
  // The splits of a set differ by at most a few rows; the first one represents all of them.
  const std::filesystem::path rows = problem.splits == Splits::authors
                                         ? data_file(spec.data, fmt::format("uci/{}/index_train_0.txt", problem.set))
                                         : split_file(spec, problem, "train", 0);
  return {.rows = read_numbers(rows).rows(), .cols = read_numbers(columns).rows()};
}

std::int64_t most_runs(const ExperimentSpec& spec, const std::string& name) {
  const Problem problem = problem_of(name);
  if (problem.splits == Splits::made) return spec.runs;
  if (problem.splits == Splits::authors) return authors_runs;
  std::int64_t count = 0;
  while (std::filesystem::exists(spec.data /
                                 fmt::format("{}/{}/index_train_{}.txt", split_folder(problem), problem.set, count))) {
    ++count;
  }
  return count;
}

std::string recipe(const ExperimentSpec& spec, const std::string& name, std::uint64_t seed) {
  const Problem problem = problem_of(name);
  if (problem.splits == Splits::made) return fmt::format("uci made split={}", seed);
  const auto hash = [](const std::filesystem::path& file) { return digest(read_file(file)); };
  const std::string rows = hash(data_file(spec.data, fmt::format("uci/{}/data.txt", problem.set)));
  if (problem.splits == Splits::authors) return fmt::format("uci {} {} authors={}", problem.set, rows, seed + 1);
  return fmt::format("uci {} {} {} {} split={}", name, rows, hash(split_file(spec, problem, "train", seed)),
                     hash(split_file(spec, problem, "test", seed)), seed);
}

}  // namespace

ExperimentKind uci_kind() {
  return {.name = "uci",
          .values = calibrated_names(),
          .metrics = {{.name = "nll", .title = "NLL"},
                      {.name = "rmse", .title = "RMSE"},
                      {.name = "crps", .title = "CRPS"},
                      {.name = "coverage", .title = "coverage of 90 % bounds"}},
          .validates = true,
          .over_all = false,
          .shape = shape,
          .most_runs = most_runs,
          .recipe = recipe,
          .draw = draw,
          .measure = [](const ExperimentSpec&, const Piece& piece, std::span<const RunData* const> data, Engine& engine,
                        const Progress& progress) { return fit_calibrated(piece, data, engine, progress); },
          .estimate = mean_estimate};
}

}  // namespace nomu
