#include "paper/problems/functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "data/did_you_mean.hpp"
#include "nomu/core/error.hpp"
#include "paper/problems/function_formulas.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "paper/functions";

/// Doubles in [0, 1) from MT19937 with 53 bits, two words per number: the sequence behind the paper's seeds.
class PaperRandom {
 public:
  explicit PaperRandom(std::uint32_t seed) : engine_(seed) {}

  [[nodiscard]] double uniform() {
    const std::uint64_t high = engine_() >> 5U;
    const std::uint64_t low = engine_() >> 6U;
    return static_cast<double>((high << 26U) | low) * 0x1p-53;
  }

 private:
  std::mt19937 engine_;
};

/// Formulas index without checks; the functions handed out check the number of inputs.
TestFunction with_size_check(TestFunction function) {
  auto formula = std::move(function.evaluate);
  function.evaluate = [formula = std::move(formula), name = function.name,
                       dimension = function.dimension](std::span<const double> x) {
    if (x.size() != dimension) {
      throw DataError(where, fmt::format("'{}' takes {} inputs, got {}", name, dimension, x.size()));
    }
    return formula(x);
  };
  return function;
}

std::optional<TestFunction> find_in(std::vector<TestFunction> functions, std::string_view name) {
  const auto found = std::ranges::find_if(functions, [&](const TestFunction& f) { return f.name == name; });
  if (found == functions.end()) return std::nullopt;
  return std::move(*found);
}

std::vector<TestFunction> fixed_functions(std::size_t dimension) {
  if (dimension == 1) return functions_1d();
  if (dimension == 2) return functions_2d();
  return {};
}

[[noreturn]] void fail_unknown(std::string_view name, std::size_t dimension) {
  const std::vector<std::string> names = function_names();
  if (std::ranges::find(names, name) == names.end()) {
    throw ConfigError(where, fmt::format("unknown function '{}'{} (functions: {})", name, did_you_mean(name, names),
                                         quoted_list(names)));
  }
  std::string dimensions;
  for (const std::size_t d : {std::size_t{1}, std::size_t{2}}) {
    if (find_in(fixed_functions(d), name)) dimensions += fmt::format("{}{}", dimensions.empty() ? "" : " or ", d);
  }
  const std::string any = "bo_" + std::string(name);
  const bool has_any = std::ranges::find(names, any) != names.end();
  throw ConfigError(
      where, fmt::format("'{}' exists for {} inputs, not for {}{}", name, dimensions, dimension,
                         has_any ? fmt::format("; '{}', to be maximised, takes any number", any) : std::string{}));
}

}  // namespace

TestFunction find_function(std::string_view name, std::size_t dimension) {
  if (std::optional<TestFunction> function = find_in(fixed_functions(dimension), name))
    return with_size_check(std::move(*function));
  if (std::optional<TestFunction> function = nd_function(name, dimension)) return with_size_check(std::move(*function));
  fail_unknown(name, dimension);
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const std::size_t dimension : {std::size_t{1}, std::size_t{2}}) {
    for (const TestFunction& function : fixed_functions(dimension)) {
      if (std::ranges::find(names, function.name) == names.end()) names.push_back(function.name);
    }
  }
  for (std::string& name : nd_function_names()) names.push_back(std::move(name));
  return names;
}

std::vector<std::string> function_names(std::size_t dimension) {
  std::vector<std::string> names;
  for (const TestFunction& function : fixed_functions(dimension)) names.push_back(function.name);
  for (std::string& name : nd_function_names()) {
    const bool needs_two = name == "bo_rosenbrock" || name == "bo_levy_published";
    if (dimension >= (needs_two ? 2U : 1U)) names.push_back(std::move(name));
  }
  return names;
}

std::vector<double> evaluate_rows(const TestFunction& function, std::span<const double> x) {
  const std::size_t d = function.dimension;
  if (d == 0 || x.size() % d != 0) {
    throw DataError(where,
                    fmt::format("{} values do not fill rows of the {} inputs of '{}'", x.size(), d, function.name));
  }
  std::vector<double> values;
  values.reserve(x.size() / d);
  for (std::size_t i = 0; i < x.size(); i += d) values.push_back(function.evaluate(x.subspan(i, d)));
  return values;
}

PaperInputs paper_inputs(std::uint32_t seed, std::size_t n_train, std::size_t n_test, std::size_t dimension) {
  PaperRandom random(seed);
  PaperInputs inputs{.train = std::vector<double>(n_train * dimension),
                     .test = std::vector<double>(n_test * dimension)};
  for (double& x : inputs.train) x = 2.0 * random.uniform() - 1.0;
  for (double& x : inputs.test) x = 2.0 * random.uniform() - 1.0;
  return inputs;
}

}  // namespace nomu
