#include "paper/problems/bnn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "nomu/core/error.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "paper/bnn";

/// Rows that share one pass over the weights: 16 rows of 2048 activations fit in the second-level cache.
constexpr std::size_t block_rows = 16;

void check_spec(const BnnSpec& spec, double sigma) {
  if (spec.dimension == 0) throw ConfigError(where, "the dimension must be positive, got 0");
  if (std::ranges::find(spec.widths, std::size_t{0}) != spec.widths.end()) {
    throw ConfigError(where, "every hidden layer needs at least one unit, got a width of 0");
  }
  if (!(sigma > 0.0) || !std::isfinite(sigma)) {
    throw ConfigError(where, fmt::format("sigma_prior must be positive and finite, got {}", sigma));
  }
}

void fill_normal(std::vector<float>& values, double sigma, Random& random) {
  for (float& value : values) value = static_cast<float>(sigma * random.normal());
}

}  // namespace

double bnn_prior_sigma(std::size_t dimension) {
  switch (dimension) {
    case 1: return 0.114;
    case 2: return 0.102;
    case 5: return 0.092;
    case 10: return 0.084;
    case 20: return 0.078;
    default:
      throw ConfigError(
          where, fmt::format("no prior is known for {} inputs (known: 1, 2, 5, 10, 20); set sigma_prior", dimension));
  }
}

BnnFunction::BnnFunction(const BnnSpec& spec) {
  const double sigma =
      spec.sigma_prior == 0.0 && spec.dimension > 0 ? bnn_prior_sigma(spec.dimension) : spec.sigma_prior;
  check_spec(spec, sigma);
  std::vector<std::size_t> sizes = {spec.dimension};
  sizes.insert(sizes.end(), spec.widths.begin(), spec.widths.end());
  sizes.push_back(1);
  for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
    Layer layer{.inputs = sizes[l], .outputs = sizes[l + 1], .weight = {}, .bias = {}};
    layer.weight.resize(layer.inputs * layer.outputs);
    layer.bias.resize(layer.outputs);
    Random random(spec.seed, static_cast<std::uint32_t>(l));
    fill_normal(layer.weight, sigma, random);
    fill_normal(layer.bias, sigma, random);
    layers_.push_back(std::move(layer));
  }
}

std::size_t BnnFunction::parameters() const {
  std::size_t count = 0;
  for (const Layer& layer : layers_) count += layer.weight.size() + layer.bias.size();
  return count;
}

/// Every row sums its inputs in the same order whatever the batch, so its value does not depend on other rows.
void BnnFunction::forward(const Layer& layer, std::size_t rows, std::span<const float> in, std::span<float> out) {
  for (std::size_t r = 0; r < rows; ++r)
    std::ranges::copy(layer.bias, out.begin() + static_cast<std::ptrdiff_t>(r * layer.outputs));
  for (std::size_t k = 0; k < layer.inputs; ++k) {
    const float* const weight = layer.weight.data() + k * layer.outputs;
    for (std::size_t r = 0; r < rows; ++r) {
      const float activation = in[r * layer.inputs + k];
      // About half of the units are off.
      if (activation == 0.0F) continue;
      float* const sum = out.data() + r * layer.outputs;
      for (std::size_t j = 0; j < layer.outputs; ++j) sum[j] += activation * weight[j];
    }
  }
}

std::vector<double> BnnFunction::evaluate(std::span<const double> x) const {
  const std::size_t d = dimension();
  if (x.size() % d != 0) throw DataError(where, fmt::format("{} values do not fill rows of {} inputs", x.size(), d));
  const std::size_t count = x.size() / d;
  std::vector<double> values(count);
  std::vector<float> in;
  std::vector<float> out;
  for (std::size_t first = 0; first < count; first += block_rows) {
    const std::size_t rows = std::min(block_rows, count - first);
    in.resize(rows * d);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(x[first * d + i]);
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      out.resize(rows * layers_[l].outputs);
      forward(layers_[l], rows, in, out);
      if (l + 1 < layers_.size()) {
        for (float& value : out) value = std::max(value, 0.0F);
      }
      std::swap(in, out);
    }
    for (std::size_t r = 0; r < rows; ++r) values[first + r] = static_cast<double>(in[r]);
  }
  return values;
}

TestFunction as_test_function(BnnFunction function) {
  const std::size_t dimension = function.dimension();
  // Shared, because copies of a test function would otherwise copy millions of weights.
  auto shared = std::make_shared<const BnnFunction>(std::move(function));
  return {.name = "bnn",
          .dimension = dimension,
          .evaluate =
              [shared](std::span<const double> x) {
                if (x.size() != shared->dimension()) {
                  throw DataError(where, fmt::format("'bnn' takes {} inputs, got {}", shared->dimension(), x.size()));
                }
                return shared->evaluate(x)[0];
              },
          .minimum = {},
          .maximum = {}};
}

}  // namespace nomu
