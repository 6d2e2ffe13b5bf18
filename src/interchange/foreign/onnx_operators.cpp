#include "interchange/foreign/onnx_operators.hpp"

#include <array>

namespace nomu {
namespace {

struct Entry {
  std::string_view domain;
  std::string_view op;
  OnnxArray (*function)(const OnnxNode& node);
};

constexpr std::array<Entry, 76> entries{{
    {"", "Abs", onnx_operators::abs},
    {"", "Add", onnx_operators::add},
    {"", "And", onnx_operators::both},
    {"", "AveragePool", onnx_operators::average_pool},
    {"", "BatchNormalization", onnx_operators::batch_normalise},
    {"", "Cast", onnx_operators::cast},
    {"", "Celu", onnx_operators::celu},
    {"", "Clip", onnx_operators::clip},
    {"", "Concat", onnx_operators::concat},
    {"", "Constant", onnx_operators::constant},
    {"", "ConstantOfShape", onnx_operators::constant_of_shape},
    {"", "Conv", onnx_operators::convolve},
    {"", "Cos", onnx_operators::cosine},
    {"", "Div", onnx_operators::divide},
    {"", "Dropout", onnx_operators::identity},  // keeps everything during inference
    {"", "Elu", onnx_operators::elu},
    {"", "Equal", onnx_operators::equal},
    {"", "Erf", onnx_operators::erf},
    {"", "Exp", onnx_operators::exp},
    {"", "Expand", onnx_operators::expand},
    {"", "Flatten", onnx_operators::flatten},
    {"", "Gather", onnx_operators::gather},
    {"", "Gelu", onnx_operators::gelu},
    {"", "Gemm", onnx_operators::gemm},
    {"", "GlobalAveragePool", onnx_operators::global_average_pool},
    {"", "GlobalMaxPool", onnx_operators::global_max_pool},
    {"", "Greater", onnx_operators::greater},
    {"", "GreaterOrEqual", onnx_operators::greater_or_equal},
    {"", "HardSigmoid", onnx_operators::hard_sigmoid},
    {"", "HardSwish", onnx_operators::hard_swish},
    {"", "Identity", onnx_operators::identity},
    {"", "LayerNormalization", onnx_operators::layer_normalise},
    {"", "LeakyRelu", onnx_operators::leaky_relu},
    {"", "Less", onnx_operators::less},
    {"", "LessOrEqual", onnx_operators::less_or_equal},
    {"", "Log", onnx_operators::log},
    {"", "MatMul", onnx_operators::matmul},
    {"", "Max", onnx_operators::largest},
    {"", "MaxPool", onnx_operators::max_pool},
    {"", "Min", onnx_operators::smallest},
    {"", "Mish", onnx_operators::mish},
    {"", "Mul", onnx_operators::multiply},
    {"", "Neg", onnx_operators::neg},
    {"", "Not", onnx_operators::negation},
    {"", "Or", onnx_operators::either},
    {"", "PRelu", onnx_operators::prelu},
    {"", "Pow", onnx_operators::power},
    {"", "Reciprocal", onnx_operators::reciprocal},
    {"", "ReduceL2", onnx_operators::reduce_length},
    {"", "ReduceMean", onnx_operators::reduce_mean},
    {"", "ReduceProd", onnx_operators::reduce_product},
    {"", "ReduceSum", onnx_operators::reduce_sum},
    {"", "Relu", onnx_operators::relu},
    {"", "Reshape", onnx_operators::reshape},
    {"", "Selu", onnx_operators::selu},
    {"", "Shape", onnx_operators::shape_of},
    {"", "Sigmoid", onnx_operators::sigmoid},
    {"", "Sign", onnx_operators::sign},
    {"", "Sin", onnx_operators::sine},
    {"", "Slice", onnx_operators::slice},
    {"", "Softmax", onnx_operators::softmax},
    {"", "Softplus", onnx_operators::softplus},
    {"", "Softsign", onnx_operators::softsign},
    {"", "Split", onnx_operators::split},
    {"", "Sqrt", onnx_operators::sqrt},
    {"", "Squeeze", onnx_operators::squeeze},
    {"", "Sub", onnx_operators::subtract},
    {"", "Sum", onnx_operators::sum},
    {"", "Tanh", onnx_operators::tanh},
    {"", "Transpose", onnx_operators::transpose},
    {"", "Unsqueeze", onnx_operators::unsqueeze},
    {"", "Where", onnx_operators::where},
    {"ai.onnx.ml", "ArrayFeatureExtractor", onnx_operators::extract_columns},
    {"ai.onnx.ml", "Imputer", onnx_operators::imputer},
    {"ai.onnx.ml", "OneHotEncoder", onnx_operators::one_hot},
    {"ai.onnx.ml", "Scaler", onnx_operators::scaler},
}};

}  // namespace

OnnxOperator find_operator(std::string_view domain, std::string_view op) {
  if (domain == "ai.onnx") domain = "";
  for (const Entry& entry : entries) {
    if (entry.domain == domain && entry.op == op)
      return {.function = entry.function, .several = entry.function == onnx_operators::split};
  }
  return {};
}

}  // namespace nomu
