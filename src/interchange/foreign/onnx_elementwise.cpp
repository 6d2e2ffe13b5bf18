#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "interchange/foreign/onnx_operators.hpp"
#include "interchange/foreign/onnx_places.hpp"

namespace nomu::onnx_operators {
namespace {

constexpr float root_half = 0.70710678118654752F;

float sigmoid(float v) { return 1.0F / (1.0F + std::exp(-v)); }
float softplus(float v) { return std::max(v, 0.0F) + std::log1p(std::exp(-std::abs(v))); }

template <class F>
OnnxArray map(const OnnxNode& node, const F& function) {
  OnnxArray out = node.floats(0);
  for (float& value : out.floats) value = function(value);
  return out;
}

template <class F>
OnnxArray join(const OnnxNode& node, const OnnxArray& a, const OnnxArray& b, const F& function) {
  OnnxArray out = node.make(joined(node, a.shape, b.shape));
  OnnxPlaces left = OnnxPlaces::repeated(a.shape, out.shape);
  OnnxPlaces right = OnnxPlaces::repeated(b.shape, out.shape);
  for (float& value : out.floats) value = function(a.floats[left.next()], b.floats[right.next()]);
  return out;
}

/// The same for integers, which are shapes and therefore small.
template <class F>
OnnxArray join_integers(const OnnxNode& node, const OnnxArray& a, const OnnxArray& b, const F& function) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  OnnxArray out = node.make(joined(node, a.shape, b.shape), true);
  OnnxPlaces left = OnnxPlaces::repeated(a.shape, out.shape);
  OnnxPlaces right = OnnxPlaces::repeated(b.shape, out.shape);
  for (std::int64_t& value : out.integers) {
    const std::int64_t l = a.integers[left.next()];
    const std::int64_t r = b.integers[right.next()];
    node.require(std::max(l, r) <= most && std::min(l, r) >= -most, "an integer is too large to be part of a shape");
    value = function(l, r);
  }
  return out;
}

template <class F, class G>
OnnxArray binary(const OnnxNode& node, const F& of_floats, const G& of_integers) {
  if (node.any(0).integral && node.any(1).integral) {
    return join_integers(node, node.integers(0), node.integers(1), of_integers);
  }
  return join(node, node.floats(0), node.floats(1), of_floats);
}

template <class F>
OnnxArray fold(const OnnxNode& node, const F& function) {
  OnnxArray out = node.floats(0);
  for (std::size_t i = 1; i < node.inputs(); ++i) {
    out = join(node, out, node.floats(i), function);
    node.check_written(out.size());
  }
  return out;
}

}  // namespace

OnnxArray identity(const OnnxNode& node) { return node.any(0); }
OnnxArray relu(const OnnxNode& node) {
  return map(node, [](float v) { return v > 0.0F ? v : 0.0F; });
}
OnnxArray tanh(const OnnxNode& node) {
  return map(node, [](float v) { return std::tanh(v); });
}
OnnxArray sigmoid(const OnnxNode& node) {
  return map(node, [](float v) { return sigmoid(v); });
}
OnnxArray softplus(const OnnxNode& node) {
  return map(node, [](float v) { return softplus(v); });
}
OnnxArray softsign(const OnnxNode& node) {
  return map(node, [](float v) { return v / (1.0F + std::abs(v)); });
}
OnnxArray exp(const OnnxNode& node) {
  return map(node, [](float v) { return std::exp(v); });
}
OnnxArray log(const OnnxNode& node) {
  return map(node, [](float v) { return std::log(v); });
}
OnnxArray sqrt(const OnnxNode& node) {
  return map(node, [](float v) { return std::sqrt(v); });
}
OnnxArray abs(const OnnxNode& node) {
  return map(node, [](float v) { return std::abs(v); });
}
OnnxArray neg(const OnnxNode& node) {
  return map(node, [](float v) { return -v; });
}
OnnxArray sign(const OnnxNode& node) {
  return map(node, [](float v) { return v > 0.0F ? 1.0F : v < 0.0F ? -1.0F : 0.0F; });
}
OnnxArray reciprocal(const OnnxNode& node) {
  return map(node, [](float v) { return 1.0F / v; });
}
OnnxArray erf(const OnnxNode& node) {
  return map(node, [](float v) { return std::erf(v); });
}
OnnxArray sine(const OnnxNode& node) {
  return map(node, [](float v) { return std::sin(v); });
}
OnnxArray cosine(const OnnxNode& node) {
  return map(node, [](float v) { return std::cos(v); });
}

OnnxArray gelu(const OnnxNode& node) {
  if (node.text("approximate", "none") == "tanh") {
    constexpr float factor = 0.79788456080286536F;  // sqrt(2 / pi)
    return map(node, [](float v) { return 0.5F * v * (1.0F + std::tanh(factor * (v + 0.044715F * v * v * v))); });
  }
  return map(node, [](float v) { return 0.5F * v * (1.0F + std::erf(v * root_half)); });
}

OnnxArray leaky_relu(const OnnxNode& node) {
  const float slope = node.number("alpha", 0.01F);
  return map(node, [=](float v) { return v < 0.0F ? slope * v : v; });
}

OnnxArray elu(const OnnxNode& node) {
  const float alpha = node.number("alpha", 1.0F);
  return map(node, [=](float v) { return v < 0.0F ? alpha * std::expm1(v) : v; });
}

OnnxArray celu(const OnnxNode& node) {
  const float alpha = node.number("alpha", 1.0F);
  node.require(alpha != 0.0F, "alpha must not be 0");
  return map(node, [=](float v) { return v < 0.0F ? alpha * std::expm1(v / alpha) : v; });
}

OnnxArray selu(const OnnxNode& node) {
  const float alpha = node.number("alpha", 1.67326319217681884765625F);
  const float gamma = node.number("gamma", 1.05070102214813232421875F);
  return map(node, [=](float v) { return gamma * (v > 0.0F ? v : alpha * std::expm1(v)); });
}

OnnxArray hard_sigmoid(const OnnxNode& node) {
  const float alpha = node.number("alpha", 0.2F);
  const float beta = node.number("beta", 0.5F);
  return map(node, [=](float v) { return std::clamp(alpha * v + beta, 0.0F, 1.0F); });
}

OnnxArray hard_swish(const OnnxNode& node) {
  return map(node, [](float v) { return v * std::clamp(v / 6.0F + 0.5F, 0.0F, 1.0F); });
}

OnnxArray mish(const OnnxNode& node) {
  return map(node, [](float v) { return v * std::tanh(softplus(v)); });
}

OnnxArray clip(const OnnxNode& node) {
  const auto bound = [&](std::size_t i, const char* name, float otherwise) {
    if (!node.has(i)) return node.number(name, otherwise);
    node.require(node.floats(i).size() == 1, "its limits must be single numbers");
    return node.floats(i).floats[0];
  };
  const float low = bound(1, "min", std::numeric_limits<float>::lowest());
  const float high = bound(2, "max", std::numeric_limits<float>::max());
  return map(node, [=](float v) { return std::min(std::max(v, low), high); });
}

OnnxArray prelu(const OnnxNode& node) {
  return join(node, node.floats(0), node.floats(1), [](float v, float slope) { return v < 0.0F ? slope * v : v; });
}

OnnxArray add(const OnnxNode& node) {
  return binary(
      node, [](float a, float b) { return a + b; }, [](std::int64_t a, std::int64_t b) { return a + b; });
}
OnnxArray subtract(const OnnxNode& node) {
  return binary(
      node, [](float a, float b) { return a - b; }, [](std::int64_t a, std::int64_t b) { return a - b; });
}
OnnxArray multiply(const OnnxNode& node) {
  return binary(
      node, [](float a, float b) { return a * b; }, [](std::int64_t a, std::int64_t b) { return a * b; });
}
OnnxArray divide(const OnnxNode& node) {
  return binary(
      node, [](float a, float b) { return a / b; },
      [&](std::int64_t a, std::int64_t b) {
        node.require(b != 0, "integer division by 0");
        return a / b;
      });
}
OnnxArray power(const OnnxNode& node) {
  const auto raise = [](float a, float b) { return std::pow(a, b); };
  if (!node.any(1).integral) return join(node, node.floats(0), node.floats(1), raise);
  const OnnxArray& whole = node.integers(1);
  return join(node, node.floats(0), {.shape = whole.shape, .floats = {whole.integers.begin(), whole.integers.end()}},
              raise);
}
OnnxArray largest(const OnnxNode& node) {
  return fold(node, [](float a, float b) { return std::max(a, b); });
}
OnnxArray smallest(const OnnxNode& node) {
  return fold(node, [](float a, float b) { return std::min(a, b); });
}
OnnxArray sum(const OnnxNode& node) {
  return fold(node, [](float a, float b) { return a + b; });
}

OnnxArray cast(const OnnxNode& node) {
  const OnnxArray& in = node.any(0);
  const std::int64_t to = node.integer("to", 0);
  const bool truth = to == onnx::TensorProto::BOOL;
  const bool integral = truth || to == onnx::TensorProto::INT64 || to == onnx::TensorProto::INT32;
  node.require(integral || to == onnx::TensorProto::FLOAT, "only float32, int32, int64 and bool are supported");
  if (integral == in.integral && !truth) return in;
  OnnxArray out = node.make(in.shape, integral);
  if (!integral) {
    std::ranges::transform(in.integers, out.floats.begin(), [](std::int64_t v) { return static_cast<float>(v); });
  } else if (in.integral) {
    std::ranges::transform(in.integers, out.integers.begin(), [](std::int64_t v) { return v != 0 ? 1 : 0; });
  } else {
    std::ranges::transform(in.floats, out.integers.begin(), [&](float v) -> std::int64_t {
      if (truth) return v != 0.0F ? 1 : 0;
      node.require(std::abs(v) < 1e9F, "a number is too large to convert to an integer");
      return static_cast<std::int64_t>(v);
    });
  }
  return out;
}

}  // namespace nomu::onnx_operators
