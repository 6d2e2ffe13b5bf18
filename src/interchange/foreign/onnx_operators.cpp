#include "interchange/foreign/onnx_operators.hpp"

#include <array>

namespace nomu {
namespace {

struct Entry {
  std::string_view domain;
  std::string_view op;
  OnnxOperator function;
};

constexpr std::array<Entry, 56> entries{{
    {"", "Abs", onnx_operators::abs},
    {"", "Add", onnx_operators::add},
    {"", "AveragePool", onnx_operators::average_pool},
    {"", "BatchNormalization", onnx_operators::batch_normalise},
    {"", "Cast", onnx_operators::cast},
    {"", "Clip", onnx_operators::clip},
    {"", "Concat", onnx_operators::concat},
    {"", "Constant", onnx_operators::constant},
    {"", "Conv", onnx_operators::convolve},
    {"", "Cos", onnx_operators::cosine},
    {"", "Div", onnx_operators::divide},
    {"", "Dropout", onnx_operators::identity},  // keeps everything during inference
    {"", "Elu", onnx_operators::elu},
    {"", "Erf", onnx_operators::erf},
    {"", "Exp", onnx_operators::exp},
    {"", "Flatten", onnx_operators::flatten},
    {"", "Gather", onnx_operators::gather},
    {"", "Gelu", onnx_operators::gelu},
    {"", "Gemm", onnx_operators::gemm},
    {"", "GlobalAveragePool", onnx_operators::global_average_pool},
    {"", "GlobalMaxPool", onnx_operators::global_max_pool},
    {"", "HardSigmoid", onnx_operators::hard_sigmoid},
    {"", "HardSwish", onnx_operators::hard_swish},
    {"", "Identity", onnx_operators::identity},
    {"", "LayerNormalization", onnx_operators::layer_normalise},
    {"", "LeakyRelu", onnx_operators::leaky_relu},
    {"", "Log", onnx_operators::log},
    {"", "MatMul", onnx_operators::matmul},
    {"", "Max", onnx_operators::largest},
    {"", "MaxPool", onnx_operators::max_pool},
    {"", "Min", onnx_operators::smallest},
    {"", "Mish", onnx_operators::mish},
    {"", "Mul", onnx_operators::multiply},
    {"", "Neg", onnx_operators::neg},
    {"", "PRelu", onnx_operators::prelu},
    {"", "Pow", onnx_operators::power},
    {"", "Reciprocal", onnx_operators::reciprocal},
    {"", "ReduceMean", onnx_operators::reduce_mean},
    {"", "ReduceSum", onnx_operators::reduce_sum},
    {"", "Relu", onnx_operators::relu},
    {"", "Reshape", onnx_operators::reshape},
    {"", "Selu", onnx_operators::selu},
    {"", "Shape", onnx_operators::shape_of},
    {"", "Sigmoid", onnx_operators::sigmoid},
    {"", "Sin", onnx_operators::sine},
    {"", "Softmax", onnx_operators::softmax},
    {"", "Softplus", onnx_operators::softplus},
    {"", "Softsign", onnx_operators::softsign},
    {"", "Sqrt", onnx_operators::sqrt},
    {"", "Squeeze", onnx_operators::squeeze},
    {"", "Sub", onnx_operators::subtract},
    {"", "Sum", onnx_operators::sum},
    {"", "Tanh", onnx_operators::tanh},
    {"", "Transpose", onnx_operators::transpose},
    {"", "Unsqueeze", onnx_operators::unsqueeze},
    {"ai.onnx.ml", "Scaler", onnx_operators::scaler},
}};

}  // namespace

OnnxOperator find_operator(std::string_view domain, std::string_view op) {
  if (domain == "ai.onnx") domain = "";
  for (const Entry& entry : entries) {
    if (entry.domain == domain && entry.op == op) return entry.function;
  }
  return nullptr;
}

}  // namespace nomu
