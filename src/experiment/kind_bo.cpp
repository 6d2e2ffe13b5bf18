#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "experiment/kinds.hpp"
#include "nomu/bo/loop.hpp"
#include "nomu/core/error.hpp"
#include "nomu/data/bnn.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "experiment/study";

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

BnnFunction network_of(const StudySpec& spec, std::size_t dimension, std::uint64_t seed) {
  BnnSpec network{.dimension = dimension, .seed = seed};
  if (!spec.network.empty()) {
    network.widths.assign(spec.network.begin(), spec.network.end());
    network.sigma_prior = 0.3;  // the paper's priors belong to its widths
  }
  return BnnFunction(network);
}

TestFunction function_of(const StudySpec& spec, const std::string& name, std::uint64_t seed) {
  const Problem problem = problem_of(name);
  if (problem.function == "bnn") return as_test_function(network_of(spec, problem.dimension, seed));
  return find_function("bo_" + problem.function, problem.dimension);
}

ProblemShape shape(const StudySpec& spec, const std::string& name) {
  const Problem problem = problem_of(name);
  if (problem.function != "bnn") (void)function_of(spec, name, 0);  // throws for an unknown one
  return {.rows = static_cast<std::size_t>(spec.rows), .cols = problem.dimension};
}

std::string recipe(const StudySpec& spec, const std::string& name, std::uint64_t seed) {
  std::string text = fmt::format("optimise {} initial={} steps={} seed={}", name, spec.rows, spec.test_rows, seed);
  for (const std::int64_t width : spec.network) text += fmt::format(" {}", width);
  return text;
}

/// The initial points to train on; the one test row is the optimum.
RunData draw(const StudySpec& spec, const StudyRun& run) {
  const Problem problem = problem_of(run.problem);
  const TestFunction function = function_of(spec, run.problem, run.seed);
  PaperInputs inputs =
      paper_inputs(static_cast<std::uint32_t>(run.seed), static_cast<std::size_t>(spec.rows), 0, problem.dimension);
  std::vector<double> y = evaluate_rows(function, inputs.train);
  double optimum = function.maximum ? function.maximum->value : 0.0;
  if (problem.function == "bnn") {
    const BnnFunction network = network_of(spec, problem.dimension, run.seed);
    optimum = direct_optimum([&](std::span<const double> x) { return network.evaluate(x); }, problem.dimension);
  }
  return {.train = make_dataset(std::move(inputs.train), problem.dimension, std::move(y)),
          .validation = {},
          .test = make_dataset(std::vector<double>(problem.dimension, 0.0), problem.dimension, {optimum})};
}

/// How c comes about, from the protocol of the method: "mw-0.05" and "mw-0.5" scale the mean width and use Dynamic c,
/// "plain" has c = 1, "random" needs no model. "-written" after a width takes the rules of the paper's text.
LoopSpec loop_of(const StudySpec& spec, const Piece& piece) {
  const std::string protocol = piece.method.protocol.empty() ? spec.protocol : piece.method.protocol;
  LoopSpec loop{.method = piece.spec, .steps = spec.test_rows, .dynamic = DynamicC::as_published()};
  if (protocol == "plain") return loop;
  if (protocol == "random") {
    loop.method.reset();
    return loop;
  }
  const bool written = protocol.ends_with("-written");
  if (written) loop.dynamic = {};
  const std::string width = protocol.substr(0, protocol.size() - (written ? std::string_view("-written").size() : 0));
  if (width == "mw-0.05") loop.mean_width = 0.05;
  if (width == "mw-0.5") loop.mean_width = 0.5;
  if (!loop.mean_width) {
    throw ConfigError(
        where, fmt::format("a protocol of optimisation is mw-0.05, mw-0.5, plain or random, got '{}'", protocol));
  }
  return loop;
}

std::vector<Measured> measure(const StudySpec& spec, const Piece& piece, std::span<const RunData* const> data,
                              Engine& engine, const Progress& progress) {
  std::vector<LoopRun> runs;
  for (std::size_t m = 0; m < data.size(); ++m) {
    const StudyRun& run = piece.runs[m];
    runs.push_back({.evaluate = function_of(spec, run.problem, run.seed).evaluate,
                    .initial = data[m]->train.inputs,
                    .seed = run.fit_seed()});
  }
  const std::vector<LoopTrace> traces = run_loops(loop_of(spec, piece), runs, data[0]->train.cols(), engine, progress);
  std::vector<Measured> all;
  for (std::size_t m = 0; m < traces.size(); ++m) {
    const std::vector<double>& values = traces[m].values;
    // DIRECT does not always find the optimum of a network; a run that finds more sets it.
    const double optimum = std::max(data[m]->test.targets[0], *std::max_element(values.begin(), values.end()));
    const std::vector<double> regrets = regret(values, optimum);
    const std::size_t first = data[m]->train.rows() - 1;
    const std::size_t steps = regrets.size() - 1 - first;
    double doublings = 0.0;
    for (const std::int64_t count : traces[m].doublings) doublings += static_cast<double>(count);
    all.push_back({.status = RunStatus::ok,
                   .values = {regrets.back(), regrets[first], regrets[first + steps / 4], regrets[first + steps / 2],
                              regrets[first + 3 * steps / 4], optimum, traces[m].c, doublings,
                              static_cast<double>(traces[m].diverged)}});
  }
  return all;
}

/// The mean over runs; over several functions the mean of their means, with the standard errors of all combined. Of two
/// variants of Levy's function the published one counts there, as in the paper's averages.
std::optional<Estimate> estimate(const std::string& metric, std::span<const ResultRow* const> rows) {
  std::map<std::string, std::vector<double>> by_problem;
  for (const ResultRow* row : rows) by_problem[row->problem].push_back(row->value(metric));
  if (by_problem.empty()) return std::nullopt;
  std::erase_if(by_problem,
                [&](const auto& entry) { return entry.first.starts_with("levy-") && by_problem.size() > 1; });
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

StudyKind bo_kind() {
  return {.name = "bo",
          .values = {"regret", "regret_start", "regret_quarter", "regret_half", "regret_three_quarters", "optimum", "c",
                     "doublings", "diverged_steps"},
          .metrics = {{.name = "regret", .title = "final regret"}},
          .over_all = true,
          .shape = shape,
          .recipe = recipe,
          .draw = draw,
          .measure = measure,
          .estimate = estimate};
}

}  // namespace nomu
