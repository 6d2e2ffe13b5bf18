#pragma once
// The operators of foreign graphs, one function each; `find_operator` lists them by their ONNX names.

#include "interchange/foreign/onnx_node.hpp"

namespace nomu::onnx_operators {

// Elementwise.
[[nodiscard]] OnnxArray identity(const OnnxNode& node);
[[nodiscard]] OnnxArray relu(const OnnxNode& node);
[[nodiscard]] OnnxArray tanh(const OnnxNode& node);
[[nodiscard]] OnnxArray sigmoid(const OnnxNode& node);
[[nodiscard]] OnnxArray softplus(const OnnxNode& node);
[[nodiscard]] OnnxArray softsign(const OnnxNode& node);
[[nodiscard]] OnnxArray exp(const OnnxNode& node);
[[nodiscard]] OnnxArray log(const OnnxNode& node);
[[nodiscard]] OnnxArray sqrt(const OnnxNode& node);
[[nodiscard]] OnnxArray abs(const OnnxNode& node);
[[nodiscard]] OnnxArray neg(const OnnxNode& node);
[[nodiscard]] OnnxArray sign(const OnnxNode& node);
[[nodiscard]] OnnxArray reciprocal(const OnnxNode& node);
[[nodiscard]] OnnxArray erf(const OnnxNode& node);
[[nodiscard]] OnnxArray sine(const OnnxNode& node);
[[nodiscard]] OnnxArray cosine(const OnnxNode& node);
[[nodiscard]] OnnxArray gelu(const OnnxNode& node);
[[nodiscard]] OnnxArray leaky_relu(const OnnxNode& node);
[[nodiscard]] OnnxArray elu(const OnnxNode& node);
[[nodiscard]] OnnxArray celu(const OnnxNode& node);
[[nodiscard]] OnnxArray selu(const OnnxNode& node);
[[nodiscard]] OnnxArray hard_sigmoid(const OnnxNode& node);
[[nodiscard]] OnnxArray hard_swish(const OnnxNode& node);
[[nodiscard]] OnnxArray mish(const OnnxNode& node);
[[nodiscard]] OnnxArray clip(const OnnxNode& node);
[[nodiscard]] OnnxArray prelu(const OnnxNode& node);
[[nodiscard]] OnnxArray add(const OnnxNode& node);
[[nodiscard]] OnnxArray subtract(const OnnxNode& node);
[[nodiscard]] OnnxArray multiply(const OnnxNode& node);
[[nodiscard]] OnnxArray divide(const OnnxNode& node);
[[nodiscard]] OnnxArray power(const OnnxNode& node);
[[nodiscard]] OnnxArray largest(const OnnxNode& node);
[[nodiscard]] OnnxArray smallest(const OnnxNode& node);
[[nodiscard]] OnnxArray sum(const OnnxNode& node);
[[nodiscard]] OnnxArray cast(const OnnxNode& node);

// Layers.
[[nodiscard]] OnnxArray matmul(const OnnxNode& node);
[[nodiscard]] OnnxArray gemm(const OnnxNode& node);
[[nodiscard]] OnnxArray convolve(const OnnxNode& node);
[[nodiscard]] OnnxArray max_pool(const OnnxNode& node);
[[nodiscard]] OnnxArray average_pool(const OnnxNode& node);
[[nodiscard]] OnnxArray global_average_pool(const OnnxNode& node);
[[nodiscard]] OnnxArray global_max_pool(const OnnxNode& node);
[[nodiscard]] OnnxArray batch_normalise(const OnnxNode& node);
[[nodiscard]] OnnxArray layer_normalise(const OnnxNode& node);
[[nodiscard]] OnnxArray softmax(const OnnxNode& node);

// Shapes.
[[nodiscard]] OnnxArray constant(const OnnxNode& node);
[[nodiscard]] OnnxArray constant_of_shape(const OnnxNode& node);
[[nodiscard]] OnnxArray shape_of(const OnnxNode& node);
[[nodiscard]] OnnxArray reshape(const OnnxNode& node);
[[nodiscard]] OnnxArray flatten(const OnnxNode& node);
[[nodiscard]] OnnxArray squeeze(const OnnxNode& node);
[[nodiscard]] OnnxArray unsqueeze(const OnnxNode& node);
[[nodiscard]] OnnxArray transpose(const OnnxNode& node);
[[nodiscard]] OnnxArray concat(const OnnxNode& node);
[[nodiscard]] OnnxArray expand(const OnnxNode& node);

// Selection of entries.
[[nodiscard]] OnnxArray gather(const OnnxNode& node);
[[nodiscard]] OnnxArray extract_columns(const OnnxNode& node);
[[nodiscard]] OnnxArray slice(const OnnxNode& node);
[[nodiscard]] OnnxArray split(const OnnxNode& node);

// Reductions of axes.
[[nodiscard]] OnnxArray reduce_mean(const OnnxNode& node);
[[nodiscard]] OnnxArray reduce_sum(const OnnxNode& node);
[[nodiscard]] OnnxArray reduce_product(const OnnxNode& node);
[[nodiscard]] OnnxArray reduce_length(const OnnxNode& node);

// Comparisons, whose answers are 0 or 1, and choices by them.
[[nodiscard]] OnnxArray greater(const OnnxNode& node);
[[nodiscard]] OnnxArray greater_or_equal(const OnnxNode& node);
[[nodiscard]] OnnxArray less(const OnnxNode& node);
[[nodiscard]] OnnxArray less_or_equal(const OnnxNode& node);
[[nodiscard]] OnnxArray equal(const OnnxNode& node);
[[nodiscard]] OnnxArray both(const OnnxNode& node);
[[nodiscard]] OnnxArray either(const OnnxNode& node);
[[nodiscard]] OnnxArray negation(const OnnxNode& node);
[[nodiscard]] OnnxArray where(const OnnxNode& node);

// Preprocessing by scikit-learn.
[[nodiscard]] OnnxArray scaler(const OnnxNode& node);
[[nodiscard]] OnnxArray imputer(const OnnxNode& node);
[[nodiscard]] OnnxArray one_hot(const OnnxNode& node);

}  // namespace nomu::onnx_operators
