#include "interchange/foreign/onnx_places.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nomu {

OnnxPlaces OnnxPlaces::repeated(const OnnxArray::Shape& shape, const OnnxArray::Shape& whole) {
  const std::vector<std::int64_t> strides = strides_of(shape);
  std::vector<std::int64_t> steps(whole.size());
  const std::size_t lead = whole.size() - shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) steps[lead + i] = shape[i] == 1 ? 0 : strides[i];
  return {std::move(steps), whole};
}

std::vector<std::int64_t> strides_of(const OnnxArray::Shape& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  // Next to an axis of length 0 the others may be so long that their product wraps.
  for (std::size_t i = shape.size(); i-- > 1;)
    strides[i - 1] =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(strides[i]) * static_cast<std::uint64_t>(shape[i]));
  return strides;
}

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

OnnxArray taken(const OnnxNode& node, const OnnxArray& in, OnnxArray::Shape shape, OnnxPlaces places) {
  OnnxArray out = node.make(std::move(shape), in.integral);
  for (std::int64_t& value : out.integers) value = in.integers[places.next()];
  for (float& value : out.floats) value = in.floats[places.next()];
  return out;
}

}  // namespace nomu
