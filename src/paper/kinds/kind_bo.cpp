#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <sstream>

#include "nomu/core/error.hpp"
#include "paper/kinds/kinds.hpp"
#include "paper/kinds/loop.hpp"
#include "paper/problems/bnn.hpp"
#include "paper/problems/data_files.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "paper/experiment";

/// Points of a run's regret curve: the paper's 64 steps, or as many evenly spaced ones in longer or shorter runs.
constexpr std::size_t curve_steps = 64;

/// "levy-5d": the function bo_levy in five dimensions.
struct Problem {
  std::string function;
  std::size_t dimension = 0;
};

Problem problem_of(const std::string& name) {
  const std::size_t dash = name.rfind('-');
  Problem problem;
  if (dash != std::string::npos) {
    problem.function = name.substr(0, dash);
    const char* const last = name.data() + name.size();
    const auto [end, error] = std::from_chars(name.data() + dash + 1, last, problem.dimension);
    if (error == std::errc{} && std::string_view(end, last) == "d" && problem.dimension > 0) return problem;
  }
  throw ConfigError(
      where, fmt::format("an optimisation problem is a function and a dimension such as levy-5d, got '{}'", name));
}

BnnFunction network_of(const ExperimentSpec& spec, std::size_t dimension, std::uint64_t seed) {
  BnnSpec network{.dimension = dimension, .seed = seed};
  if (!spec.network.empty()) {
    network.widths.assign(spec.network.begin(), spec.network.end());
    network.sigma_prior = 0.3;  // the paper's priors are for its own widths
  }
  return BnnFunction(network);
}

TestFunction function_of(const ExperimentSpec& spec, const std::string& name, std::uint64_t seed) {
  const Problem problem = problem_of(name);
  if (problem.function == "bnn") return as_test_function(network_of(spec, problem.dimension, seed));
  return find_function("bo_" + problem.function, problem.dimension);
}

ProblemShape shape(const ExperimentSpec& spec, const std::string& name) {
  const Problem problem = problem_of(name);
  if (problem.function != "bnn") (void)function_of(spec, name, 0);  // throws if it is unknown
  return {.rows = static_cast<std::size_t>(spec.rows), .cols = problem.dimension};
}

/// Whether the runs begin from the points of the paper's authors, which are known for all functions with a formula.
bool authors_points(const ExperimentSpec& spec, const Problem& problem) {
  if (spec.initial != "authors" && spec.initial != "drawn")
    throw ConfigError(where, fmt::format("initial is drawn or authors, got '{}'", spec.initial));
  return spec.initial == "authors" && problem.function != "bnn";
}

std::vector<double> initial_points(const ExperimentSpec& spec, const Problem& problem, std::uint64_t seed) {
  const auto count = static_cast<std::size_t>(spec.rows);
  if (authors_points(spec, problem))
    return read_initial_points(spec.data, problem.function, problem.dimension, seed, count);
  return paper_inputs(static_cast<std::uint32_t>(seed), count, 0, problem.dimension).train;
}

std::string recipe(const ExperimentSpec& spec, const std::string& name, std::uint64_t seed) {
  std::string text = fmt::format("optimise {} initial={} steps={} seed={}", name, spec.rows, spec.test_rows, seed);
  if (authors_points(spec, problem_of(name))) text += " authors";
  if (spec.optimum_evaluations != ExperimentSpec{}.optimum_evaluations && problem_of(name).function == "bnn")
    text += fmt::format(" optimum={}", spec.optimum_evaluations);
  for (const std::int64_t width : spec.network) text += fmt::format(" {}", width);
  return text;
}

/// The initial points are the training rows; the single test row is the optimum.
RunData draw(const ExperimentSpec& spec, const ExperimentRun& run) {
  const Problem problem = problem_of(run.problem);
  const TestFunction function = function_of(spec, run.problem, run.seed);
  std::vector<double> x = initial_points(spec, problem, run.seed);
  std::vector<double> y = evaluate_rows(function, x);
  double optimum = function.maximum ? function.maximum->value : 0.0;
  if (problem.function == "bnn") {
    const BnnFunction network = network_of(spec, problem.dimension, run.seed);
    optimum = direct_optimum([&](std::span<const double> rows) { return network.evaluate(rows); }, problem.dimension,
                             spec.optimum_evaluations);
  }
  return {.train = make_dataset(std::move(x), problem.dimension, std::move(y)),
          .validation = {},
          .test = make_dataset(std::vector<double>(problem.dimension, 0.0), problem.dimension, {optimum})};
}

/// The positive number after `name` in a word of a protocol; empty if the word is anything else.
std::optional<double> number_after(std::string_view name, std::string_view word) {
  if (!word.starts_with(name) || word.size() == name.size()) return {};
  double number = 0.0;
  const char* const last = word.data() + word.size();
  const auto [end, error] = std::from_chars(word.data() + name.size(), last, number);
  if (error != std::errc{} || end != last || !(number > 0.0)) return {};
  return number;
}

/// How points are chosen, from the protocol of the method. Its first word determines c: "mw-0.05" scales the mean width
/// and uses Dynamic c, "plain" has c = 1, "random" needs no model. Words after it: "written" follows the rules of the
/// paper's text, "same_seed" starts all models of a run from the same seed, "variance" uses the variance as sigma like
/// the published runs of DE and HDE, "local=8" refines the best points of DIRECT, "warm=300" trains for that many
/// epochs from the last model that was trained from scratch.
LoopSpec loop_of(const ExperimentSpec& spec, const Piece& piece) {
  const std::string protocol = piece.method.protocol.empty() ? spec.protocol : piece.method.protocol;
  LoopSpec loop{.method = piece.spec, .steps = spec.test_rows, .dynamic = DynamicC::as_published()};
  std::istringstream words(protocol);
  std::string word;
  words >> word;
  if (word == "random") loop.method.reset();
  loop.mean_width = number_after("mw-", word);
  bool known = word == "random" || word == "plain" || loop.mean_width;
  while (known && words >> word) {
    const std::optional<double> starts = number_after("local=", word);
    const std::optional<double> epochs = number_after("warm=", word);
    if (starts) loop.local_starts = static_cast<std::int64_t>(*starts);
    if (epochs) loop.warm_epochs = static_cast<std::int64_t>(*epochs);
    if (word == "written") loop.dynamic = {};
    if (word == "same_seed") loop.same_seed = true;
    if (word == "variance") loop.variance_as_sigma = true;
    known = starts || epochs || word == "written" || word == "same_seed" || word == "variance";
  }
  if (known) return loop;
  throw ConfigError(where, fmt::format("an optimisation protocol is mw-0.05 (or another mean width), plain or random, "
                                       "then any of written, same_seed, variance, local=8, warm=300; got '{}'",
                                       protocol));
}

std::vector<Measured> measure(const ExperimentSpec& spec, const Piece& piece, std::span<const RunData* const> data,
                              Engine& engine, const Progress& progress) {
  std::vector<LoopRun> runs;
  for (std::size_t m = 0; m < data.size(); ++m) {
    const ExperimentRun& run = piece.runs[m];
    runs.push_back({.evaluate = function_of(spec, run.problem, run.seed).evaluate,
                    .initial = data[m]->train.inputs,
                    .seed = run.fit_seed()});
  }
  const std::vector<LoopTrace> traces =
      run_loops(loop_of(spec, piece), runs, data[0]->train.cols(), engine, progress, piece.record);
  std::vector<Measured> all;
  for (std::size_t m = 0; m < traces.size(); ++m) {
    const std::vector<double>& values = traces[m].values;
    // DIRECT does not always find the optimum of a network; a run that finds a better value replaces it.
    const double optimum = std::max(data[m]->test.targets[0], *std::max_element(values.begin(), values.end()));
    const std::vector<double> regrets = regret(values, optimum);
    double doublings = 0.0;
    for (const std::int64_t count : traces[m].doublings) doublings += static_cast<double>(count);
    Measured measured{
        .status = RunStatus::ok,
        .values = {regrets.back(), optimum, traces[m].c, doublings, static_cast<double>(traces[m].diverged)}};
    const std::size_t first = data[m]->train.rows() - 1;
    const std::size_t steps = regrets.size() - 1 - first;
    for (std::size_t k = 0; k <= curve_steps; ++k) measured.values.push_back(regrets[first + k * steps / curve_steps]);
    all.push_back(std::move(measured));
  }
  return all;
}

/// The optimum of a function without a formula is the best value that DIRECT or any run of any method found on it.
/// Rescales the regrets of all runs of one seed to that optimum.
void use_best_known_optimum(std::span<ResultRow* const> rows) {
  std::map<std::pair<std::string, std::uint64_t>, double> best;
  for (const ResultRow* row : rows) {
    const auto [place, added] = best.try_emplace({row->problem, row->key.seed}, row->value("optimum"));
    place->second = std::max(place->second, row->value("optimum"));
  }
  for (ResultRow* row : rows) {
    const double before = row->value("optimum");
    const double optimum = best.at({row->problem, row->key.seed});
    if (!(optimum > before)) continue;
    for (auto& [name, value] : row->values) {
      if (name == "optimum") value = optimum;
      if (!name.starts_with("regret")) continue;
      const double reached = before - value * std::abs(before);
      value = (optimum - reached) / std::abs(optimum);
    }
  }
}

/// The mean over runs; over several functions the mean of their means, with their standard errors combined.
std::optional<Estimate> estimate(const std::string& metric, std::span<const ResultRow* const> rows) {
  std::map<std::string, std::vector<double>> by_problem;
  for (const ResultRow* row : rows) by_problem[row->problem].push_back(row->value(metric));
  if (by_problem.empty()) return std::nullopt;
  double sum = 0.0;
  double squares = 0.0;
  for (const auto& [name, values] : by_problem) {
    sum += mean(values);
    squares += standard_error(values) * standard_error(values);
  }
  const auto problems = static_cast<double>(by_problem.size());
  const double half = 1.959963984540054 * std::sqrt(squares) / problems;
  return Estimate{.value = sum / problems, .interval = {sum / problems - half, sum / problems + half}};
}

}  // namespace

ExperimentKind bo_kind() {
  std::vector<std::string> values = {"regret", "optimum", "c", "doublings", "diverged_steps"};
  std::vector<std::string> curve;
  for (std::size_t k = 0; k <= curve_steps; ++k) curve.push_back(fmt::format("regret_{:02}", k));
  values.insert(values.end(), curve.begin(), curve.end());
  return {.name = "bo",
          .values = std::move(values),
          .metrics = {{.name = "regret", .title = "final regret"}},
          .over_all = true,
          .widths = true,
          .curve = std::move(curve),
          .curve_title = "regret",
          .shape = shape,
          .recipe = recipe,
          .draw = draw,
          .measure = measure,
          .update_rows = use_best_known_optimum,
          .estimate = estimate};
}

}  // namespace nomu
