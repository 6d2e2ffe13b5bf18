#include <algorithm>
#include <cmath>

#include "interchange/foreign/onnx_operators.hpp"

namespace nomu::onnx_operators {
namespace {

std::size_t columns_of(const OnnxNode& node, const OnnxArray& in) {
  node.require(in.rank() == 2, "its input must be [rows][columns]");
  return static_cast<std::size_t>(in.shape[1]);
}

bool fits(const std::vector<float>& list, std::size_t cols) { return list.size() == 1 || list.size() == cols; }

float at(const std::vector<float>& list, std::size_t column) { return list[list.size() == 1 ? 0 : column]; }

}  // namespace

OnnxArray scaler(const OnnxNode& node) {
  OnnxArray out = node.floats(0);
  const std::vector<float> offset = node.numbers("offset");
  const std::vector<float> scale = node.numbers("scale");
  const std::size_t cols = columns_of(node, out);
  node.require(fits(offset, cols) && fits(scale, cols), "offset and scale need one number per column");
  for (std::size_t e = 0; e < out.floats.size(); ++e)
    out.floats[e] = (out.floats[e] - at(offset, e % cols)) * at(scale, e % cols);
  return out;
}

OnnxArray imputer(const OnnxNode& node) {
  OnnxArray out = node.floats(0);
  const std::vector<float> values = node.numbers("imputed_value_floats");
  const float missing = node.number("replaced_value_float", 0.0F);
  const std::size_t cols = columns_of(node, out);
  node.require(fits(values, cols), "imputed_value_floats needs one number per column");
  for (std::size_t e = 0; e < out.floats.size(); ++e) {
    const float value = out.floats[e];
    if (std::isnan(missing) ? std::isnan(value) : value == missing) out.floats[e] = at(values, e % cols);
  }
  return out;
}

OnnxArray one_hot(const OnnxNode& node) {
  const OnnxArray& in = node.any(0);
  const std::vector<std::int64_t> known = node.list("cats_int64s", {});
  node.require(
      !known.empty(),
      "its categories are texts, but nomu reads numbers; train the encoder on whole numbers that stand for them");
  OnnxArray::Shape shape = in.shape;
  shape.push_back(static_cast<std::int64_t>(known.size()));
  OnnxArray out = node.make(shape);
  node.check_work(static_cast<double>(out.size()));
  for (std::size_t e = 0; e < in.size(); ++e) {
    node.require(in.integral || std::abs(in.floats[e]) < 1e9F, "a category is not a whole number");
    const std::int64_t value = in.integral ? in.integers[e] : static_cast<std::int64_t>(in.floats[e]);
    // A category that training did not have is none of them, whatever `zeros` says: runtimes may refuse such a row, but
    // the rows that the bounds are trained on lie between and beyond the categories too.
    const auto found = std::ranges::find(known, value);
    if (found != known.end()) out.floats[e * known.size() + static_cast<std::size_t>(found - known.begin())] = 1.0F;
  }
  return out;
}

}  // namespace nomu::onnx_operators
