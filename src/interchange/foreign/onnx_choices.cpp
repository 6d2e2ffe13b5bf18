#include "interchange/foreign/onnx_operators.hpp"
#include "interchange/foreign/onnx_places.hpp"

namespace nomu::onnx_operators {
namespace {

/// Compares two arrays of the same kind number by number; the answers are 0 or 1.
template <class F>
OnnxArray compared(const OnnxNode& node, const F& holds) {
  const OnnxArray& a = node.any(0);
  const OnnxArray& b = node.any(1);
  node.require(a.integral == b.integral, "its inputs differ in type");
  OnnxArray out = node.make(joined(node, a.shape, b.shape), true);
  OnnxPlaces left = OnnxPlaces::repeated(a.shape, out.shape);
  OnnxPlaces right = OnnxPlaces::repeated(b.shape, out.shape);
  for (std::int64_t& answer : out.integers) {
    const std::size_t l = left.next();
    const std::size_t r = right.next();
    answer = (a.integral ? holds(a.integers[l], b.integers[r]) : holds(a.floats[l], b.floats[r])) ? 1 : 0;
  }
  return out;
}

}  // namespace

OnnxArray greater(const OnnxNode& node) {
  return compared(node, [](auto a, auto b) { return a > b; });
}
OnnxArray greater_or_equal(const OnnxNode& node) {
  return compared(node, [](auto a, auto b) { return a >= b; });
}
OnnxArray less(const OnnxNode& node) {
  return compared(node, [](auto a, auto b) { return a < b; });
}
OnnxArray less_or_equal(const OnnxNode& node) {
  return compared(node, [](auto a, auto b) { return a <= b; });
}
OnnxArray equal(const OnnxNode& node) {
  return compared(node, [](auto a, auto b) { return a == b; });
}
OnnxArray both(const OnnxNode& node) {
  return compared(node, [](auto a, auto b) { return a != 0 && b != 0; });
}
OnnxArray either(const OnnxNode& node) {
  return compared(node, [](auto a, auto b) { return a != 0 || b != 0; });
}

OnnxArray negation(const OnnxNode& node) {
  OnnxArray out = node.integers(0);
  for (std::int64_t& value : out.integers) value = value == 0 ? 1 : 0;
  return out;
}

OnnxArray where(const OnnxNode& node) {
  const OnnxArray& condition = node.integers(0);
  const OnnxArray& a = node.any(1);
  const OnnxArray& b = node.any(2);
  node.require(a.integral == b.integral, "its inputs differ in type");
  OnnxArray out = node.make(joined(node, condition.shape, joined(node, a.shape, b.shape)), a.integral);
  OnnxPlaces chosen = OnnxPlaces::repeated(condition.shape, out.shape);
  OnnxPlaces left = OnnxPlaces::repeated(a.shape, out.shape);
  OnnxPlaces right = OnnxPlaces::repeated(b.shape, out.shape);
  for (std::size_t e = 0; e < out.size(); ++e) {
    const bool first = condition.integers[chosen.next()] != 0;
    const std::size_t l = left.next();
    const std::size_t r = right.next();
    if (a.integral) {
      out.integers[e] = first ? a.integers[l] : b.integers[r];
    } else {
      out.floats[e] = first ? a.floats[l] : b.floats[r];
    }
  }
  return out;
}

}  // namespace nomu::onnx_operators
