#include <cmath>
#include <set>

#include "interchange/foreign/onnx_operators.hpp"

namespace nomu::onnx_operators {
namespace {

std::size_t length(std::int64_t extent) { return static_cast<std::size_t>(extent); }

/// Folds one axis into a number in double; the axis is kept with length 1. `finish` turns the result into the answer;
/// it is given how many numbers went into it.
template <class F, class G>
OnnxArray folded(const OnnxNode& node, const OnnxArray& in, std::size_t axis, double start, const F& function,
                 const G& finish) {
  OnnxArray::Shape shape = in.shape;
  shape[axis] = 1;
  OnnxArray out = node.make(shape);
  std::size_t inner = 1;
  for (std::size_t i = axis + 1; i < in.rank(); ++i) inner *= length(in.shape[i]);
  const std::size_t count = length(in.shape[axis]);
  node.require(count > 0, "there is nothing to sum");
  for (std::size_t e = 0; e < out.floats.size(); ++e) {
    double total = start;
    for (std::size_t k = 0; k < count; ++k)
      total = function(total, static_cast<double>(in.floats[(e / inner * count + k) * inner + e % inner]));
    out.floats[e] = static_cast<float>(finish(total, static_cast<double>(count)));
  }
  return out;
}

/// Folds the axes of the node, one after the other.
template <class F, class G>
OnnxArray reduced(const OnnxNode& node, double start, const F& function, const G& finish) {
  OnnxArray out = node.floats(0);
  const std::vector<std::int64_t> given = node.list_or_input("axes", 1);
  node.require(!given.empty(), "the axes must be given, because rows must not be mixed");
  std::set<std::size_t> axes;
  for (const std::int64_t axis : given) axes.insert(node.axis(axis, out.rank()));
  node.require(axes.size() == given.size(), "an axis is listed twice");
  node.require(!axes.contains(0), "rows must not be mixed");
  for (const std::size_t axis : axes) out = folded(node, out, axis, start, function, finish);
  if (node.integer("keepdims", 1) != 0) return out;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis)
    out.shape.erase(out.shape.begin() + static_cast<std::ptrdiff_t>(*axis));
  return out;
}

double as_it_is(double value, double /*count*/) { return value; }

}  // namespace

OnnxArray reduce_mean(const OnnxNode& node) {
  return reduced(
      node, 0.0, [](double a, double b) { return a + b; }, [](double total, double count) { return total / count; });
}

OnnxArray reduce_sum(const OnnxNode& node) {
  return reduced(
      node, 0.0, [](double a, double b) { return a + b; }, as_it_is);
}

OnnxArray reduce_product(const OnnxNode& node) {
  return reduced(
      node, 1.0, [](double a, double b) { return a * b; }, as_it_is);
}

// The length of a vector of lengths is the length of the whole, so here too one axis may follow the other.
OnnxArray reduce_length(const OnnxNode& node) {
  return reduced(
      node, 0.0, [](double a, double b) { return a + b * b; },
      [](double total, double /*count*/) { return std::sqrt(total); });
}

}  // namespace nomu::onnx_operators
