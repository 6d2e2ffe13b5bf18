#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "interchange/foreign/onnx_operators.hpp"

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

/// Shapes aligned at their last axes; an axis of length 1 is repeated.
OnnxArray::Shape joined(const OnnxNode& node, const OnnxArray::Shape& a, const OnnxArray::Shape& b) {
  OnnxArray::Shape shape(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t left = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t right = i < b.size() ? b[b.size() - 1 - i] : 1;
    node.require(left == right || left == 1 || right == 1,
                 fmt::format("shapes {} and {} do not match", shape_text(a), shape_text(b)));
    shape[shape.size() - 1 - i] = left == 1 ? right : left;
  }
  return shape;
}

/// Steps through an array of `shape` while another of shape `whole` is written in order.
class Places {
 public:
  Places(const OnnxArray::Shape& shape, const OnnxArray::Shape& whole)
      : whole_(whole), step_(whole.size()), index_(whole.size()) {
    std::size_t stride = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const std::int64_t extent = shape[shape.size() - 1 - i];
      step_[whole.size() - 1 - i] = extent == 1 ? 0 : stride;
      stride *= static_cast<std::size_t>(extent);
    }
  }
  std::size_t next() {
    const std::size_t here = place_;
    for (std::size_t i = whole_.size(); i-- > 0;) {
      place_ += step_[i];
      if (++index_[i] < whole_[i]) break;
      place_ -= step_[i] * static_cast<std::size_t>(index_[i]);
      index_[i] = 0;
    }
    return here;
  }

 private:
  const OnnxArray::Shape& whole_;
  std::vector<std::size_t> step_;
  OnnxArray::Shape index_;
  std::size_t place_ = 0;
};

template <class F>
OnnxArray join(const OnnxNode& node, const OnnxArray& a, const OnnxArray& b, const F& function) {
  OnnxArray out = node.make(joined(node, a.shape, b.shape));
  Places left(a.shape, out.shape);
  Places right(b.shape, out.shape);
  for (float& value : out.floats) value = function(a.floats[left.next()], b.floats[right.next()]);
  return out;
}

/// The same for integers, which are shapes and therefore small.
template <class F>
OnnxArray join_integers(const OnnxNode& node, const OnnxArray& a, const OnnxArray& b, const F& function) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  OnnxArray out = node.make(joined(node, a.shape, b.shape), true);
  Places left(a.shape, out.shape);
  Places right(b.shape, out.shape);
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
  for (std::size_t i = 1; i < node.inputs(); ++i) out = join(node, out, node.floats(i), function);
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

OnnxArray scaler(const OnnxNode& node) {
  OnnxArray out = node.floats(0);
  const std::vector<float> offset = node.numbers("offset");
  const std::vector<float> scale = node.numbers("scale");
  node.require(out.rank() == 2, "its input must be [rows][columns]");
  const auto cols = static_cast<std::size_t>(out.shape[1]);
  const auto fits = [&](const std::vector<float>& list) { return list.size() == 1 || list.size() == cols; };
  node.require(fits(offset) && fits(scale), "offset and scale need one number per column");
  for (std::size_t e = 0; e < out.floats.size(); ++e) {
    const float shift = offset[offset.size() == 1 ? 0 : e % cols];
    out.floats[e] = (out.floats[e] - shift) * scale[scale.size() == 1 ? 0 : e % cols];
  }
  return out;
}

OnnxArray cast(const OnnxNode& node) {
  const OnnxArray& in = node.any(0);
  const std::int64_t to = node.integer("to", 0);
  const bool integral = to == onnx::TensorProto::INT64 || to == onnx::TensorProto::INT32;
  node.require(integral || to == onnx::TensorProto::FLOAT, "only float32, int32 and int64 are supported");
  if (integral == in.integral) return in;
  OnnxArray out{.shape = in.shape, .integral = integral};
  if (!integral) {
    out.floats.assign(in.integers.begin(), in.integers.end());
    return out;
  }
  for (const float value : in.floats) {
    node.require(std::abs(value) < 1e9F, "a number is too large to convert to an integer");
    out.integers.push_back(static_cast<std::int64_t>(value));
  }
  return out;
}

}  // namespace nomu::onnx_operators
