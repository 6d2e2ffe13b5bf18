#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interchange/foreign/onnx_operators.hpp"

namespace nomu::onnx_operators {
namespace {

using Shape = OnnxArray::Shape;

std::size_t length(std::int64_t extent) { return static_cast<std::size_t>(extent); }

/// out [rows][cols] = a [rows][inner] b [inner][cols]. Row by row and summed in double, so that a row's value does not
/// depend on other rows and is as accurate as any other evaluation of the graph.
void multiply_rows(const float* a, const float* b, std::size_t rows, std::size_t inner, std::size_t cols, float* out) {
  std::vector<double> sums(cols);
  for (std::size_t i = 0; i < rows; ++i) {
    std::ranges::fill(sums, 0.0);
    for (std::size_t k = 0; k < inner; ++k) {
      const auto factor = static_cast<double>(a[i * inner + k]);
      const float* line = b + k * cols;
      for (std::size_t j = 0; j < cols; ++j) sums[j] += factor * static_cast<double>(line[j]);
    }
    for (std::size_t j = 0; j < cols; ++j) out[i * cols + j] = static_cast<float>(sums[j]);
  }
}

std::vector<float> turned(const OnnxArray& a) {
  const std::size_t rows = length(a.shape[0]);
  const std::size_t cols = length(a.shape[1]);
  std::vector<float> out(a.floats.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) out[j * rows + i] = a.floats[i * cols + j];
  }
  return out;
}

}  // namespace

OnnxArray matmul(const OnnxNode& node) {
  const OnnxArray& a = node.floats(0);
  const OnnxArray& b = node.floats(1);
  node.require(a.rank() >= 2 && b.rank() >= 2, "matrices need two axes");
  const std::size_t inner = length(a.shape.back());
  const std::size_t rows = length(a.shape[a.rank() - 2]);
  const std::size_t cols = length(b.shape.back());
  node.require(inner == length(b.shape[b.rank() - 2]),
               fmt::format("matrices {} and {} cannot be multiplied", shape_text(a.shape), shape_text(b.shape)));
  // Either one matrix for all, or the same number on both sides.
  const bool shared = b.rank() == 2;
  node.require(shared || Shape(a.shape.begin(), a.shape.end() - 2) == Shape(b.shape.begin(), b.shape.end() - 2),
               fmt::format("stacks of matrices {} and {} do not match", shape_text(a.shape), shape_text(b.shape)));
  Shape shape = a.shape;
  shape.back() = b.shape.back();
  OnnxArray out = node.make(shape);
  if (out.floats.empty() || inner == 0) return out;
  node.check_work(static_cast<double>(out.floats.size()) * static_cast<double>(inner));
  const std::size_t stack = out.floats.size() / (rows * cols);
  for (std::size_t s = 0; s < stack; ++s) {
    multiply_rows(a.floats.data() + s * rows * inner, b.floats.data() + (shared ? 0 : s * inner * cols), rows, inner,
                  cols, out.floats.data() + s * rows * cols);
  }
  return out;
}

OnnxArray gemm(const OnnxNode& node) {
  const OnnxArray& a = node.floats(0);
  const OnnxArray& b = node.floats(1);
  node.require(a.rank() == 2 && b.rank() == 2, "matrices need two axes");
  node.require(node.integer("transA", 0) == 0, "a transposed first matrix would mix rows");
  const bool turn = node.integer("transB", 0) != 0;
  const std::size_t rows = length(a.shape[0]);
  const std::size_t inner = length(a.shape[1]);
  const std::size_t cols = length(b.shape[turn ? 0 : 1]);
  node.require(length(b.shape[turn ? 1 : 0]) == inner,
               fmt::format("matrices {} and {}{} cannot be multiplied", shape_text(a.shape), shape_text(b.shape),
                           turn ? " transposed" : ""));
  OnnxArray out = node.make({a.shape[0], static_cast<std::int64_t>(cols)});
  node.check_work(static_cast<double>(out.floats.size()) * static_cast<double>(inner));
  if (turn) {
    const std::vector<float> other = turned(b);
    multiply_rows(a.floats.data(), other.data(), rows, inner, cols, out.floats.data());
  } else {
    multiply_rows(a.floats.data(), b.floats.data(), rows, inner, cols, out.floats.data());
  }
  const float alpha = node.number("alpha", 1.0F);
  const float beta = node.number("beta", 1.0F);
  const bool biased = node.has(2);
  if (biased) {
    const OnnxArray& c = node.floats(2);
    const bool fits = (c.size() == cols || c.size() == 1) && c.rank() <= 2 && (c.rank() < 2 || c.shape[0] == 1);
    node.require(fits, fmt::format("a bias {} does not match {} columns", shape_text(c.shape), cols));
  }
  for (std::size_t e = 0; e < out.floats.size(); ++e) {
    out.floats[e] *= alpha;
    if (biased) out.floats[e] += beta * node.floats(2).floats[node.floats(2).size() == 1 ? 0 : e % cols];
  }
  return out;
}

OnnxArray batch_normalise(const OnnxNode& node) {
  OnnxArray out = node.floats(0);
  node.require(node.integer("training_mode", 0) == 0, "it is in training mode; export the network for inference");
  node.require(out.rank() >= 2, "its input needs a batch axis and channels");
  const std::size_t channels = length(out.shape[1]);
  for (std::size_t i = 1; i < 5; ++i) {
    node.require(node.floats(i).size() == channels, fmt::format("input {} needs {} numbers", i + 1, channels));
  }
  std::size_t inner = 1;
  for (std::size_t i = 2; i < out.rank(); ++i) inner *= length(out.shape[i]);
  const float epsilon = node.number("epsilon", 1e-5F);
  for (std::size_t e = 0; e < out.floats.size(); ++e) {
    const std::size_t c = e / inner % channels;
    const float scale = node.floats(1).floats[c] / std::sqrt(node.floats(4).floats[c] + epsilon);
    out.floats[e] = (out.floats[e] - node.floats(3).floats[c]) * scale + node.floats(2).floats[c];
  }
  return out;
}

OnnxArray layer_normalise(const OnnxNode& node) {
  OnnxArray out = node.floats(0);
  const std::size_t axis = node.axis(node.integer("axis", -1), out.rank());
  node.require(axis > 0, "rows must not be mixed");
  std::size_t inner = 1;
  for (std::size_t i = axis; i < out.rank(); ++i) inner *= length(out.shape[i]);
  node.require(inner > 0, "there is nothing to normalise");
  const OnnxArray& scale = node.floats(1);
  node.require(scale.size() == inner && (!node.has(2) || node.floats(2).size() == inner),
               fmt::format("scale and bias need {} numbers", inner));
  const auto epsilon = static_cast<double>(node.number("epsilon", 1e-5F));
  for (std::size_t first = 0; first < out.floats.size(); first += inner) {
    const std::span<float> values(out.floats.data() + first, inner);
    double mean = 0.0;
    for (const float v : values) mean += static_cast<double>(v);
    mean /= static_cast<double>(inner);
    double variance = 0.0;
    for (const float v : values) variance += (static_cast<double>(v) - mean) * (static_cast<double>(v) - mean);
    const double width = std::sqrt(variance / static_cast<double>(inner) + epsilon);
    for (std::size_t j = 0; j < inner; ++j) {
      const auto normal = static_cast<float>((static_cast<double>(values[j]) - mean) / width);
      values[j] = normal * scale.floats[j] + (node.has(2) ? node.floats(2).floats[j] : 0.0F);
    }
  }
  return out;
}

OnnxArray softmax(const OnnxNode& node) {
  OnnxArray out = node.floats(0);
  node.require(out.rank() >= 2, "its input needs a batch axis");
  const std::size_t axis = node.axis(node.integer("axis", node.opset() >= 13 ? -1 : 1), out.rank());
  // Before version 13 all axes from this one on counted as one.
  node.require(axis + 1 == out.rank(), "only the last axis is supported");
  const std::size_t inner = length(out.shape.back());
  for (std::size_t first = 0; first < out.floats.size(); first += inner) {
    const std::span<float> values(out.floats.data() + first, inner);
    const float most = *std::ranges::max_element(values);
    double total = 0.0;
    for (float& v : values) total += static_cast<double>(v = std::exp(v - most));
    for (float& v : values) v = static_cast<float>(static_cast<double>(v) / total);
  }
  return out;
}

}  // namespace nomu::onnx_operators
