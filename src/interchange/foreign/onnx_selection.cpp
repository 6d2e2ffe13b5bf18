#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <limits>

#include "interchange/foreign/onnx_operators.hpp"
#include "interchange/foreign/onnx_places.hpp"

namespace nomu::onnx_operators {
namespace {

using Shape = OnnxArray::Shape;

std::size_t length(std::int64_t extent) { return static_cast<std::size_t>(extent); }

/// Which entries of one axis a slice takes.
struct Range {
  std::int64_t first = 0, step = 1, count = 0;
};

/// As ONNX counts: negative positions from the end, and positions beyond an end mean that end.
Range range_of(std::int64_t extent, std::int64_t start, std::int64_t end, std::int64_t step) {
  constexpr std::int64_t longest = std::numeric_limits<std::int32_t>::max();
  step = std::clamp(step, -longest, longest);
  const auto place = [&](std::int64_t given) {
    const std::int64_t counted = given < 0 ? given + extent : given;
    return step > 0 ? std::clamp<std::int64_t>(counted, 0, extent) : std::clamp<std::int64_t>(counted, -1, extent - 1);
  };
  const std::int64_t first = place(start);
  const std::int64_t distance = step > 0 ? place(end) - first : first - place(end);
  const std::int64_t stride = step > 0 ? step : -step;
  return {.first = first, .step = step, .count = distance <= 0 ? 0 : (distance + stride - 1) / stride};
}

/// The given ranges of some axes, and all of the others.
OnnxArray cut(const OnnxNode& node, const OnnxArray& in, const std::vector<std::pair<std::size_t, Range>>& ranges) {
  Shape shape = in.shape;
  for (const auto& [axis, range] : ranges) shape[axis] = range.count;
  if (node.elements(shape, in.integral) == 0) return node.make(shape, in.integral);
  const std::vector<std::int64_t> strides = strides_of(in.shape);
  std::vector<std::int64_t> steps = strides;
  std::int64_t first = 0;
  for (const auto& [axis, range] : ranges) {
    steps[axis] = strides[axis] * range.step;
    first += strides[axis] * range.first;
  }
  return taken(node, in, shape, {std::move(steps), shape, first});
}

/// Whole numbers that some attribute held in old versions and an input holds in newer ones.
std::vector<std::int64_t> numbers_of(const OnnxNode& node, const char* name, std::size_t input, bool required) {
  std::vector<std::int64_t> numbers = node.list_or_input(name, input);
  node.require(!required || !numbers.empty(), fmt::format("its {} are missing", name));
  return numbers;
}

/// Entries of an axis by their indices, which replace the axis with their own axes.
OnnxArray entries(const OnnxNode& node, std::size_t axis, const Shape& replacing) {
  const OnnxArray& in = node.any(0);
  const OnnxArray& indices = node.integers(1);
  const std::int64_t extent = in.shape[axis];
  std::vector<std::size_t> places;
  places.reserve(indices.size());
  for (const std::int64_t index : indices.integers) {
    const bool known = index >= -extent && index < extent;
    // Runtimes refuse rows with an unknown entry of an embedding, but the rows that the bounds are trained on lie
    // beyond the known ones too: they get the nearest.
    node.require(known || (extent > 0 && !node.fixed(1)),
                 fmt::format("there is no entry {}, only {} entries", index, extent));
    places.push_back(length(known ? (index < 0 ? index + extent : index) : (index < 0 ? 0 : extent - 1)));
  }
  Shape shape(in.shape.begin(), in.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(shape.end(), replacing.begin(), replacing.end());
  shape.insert(shape.end(), in.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, in.shape.end());
  node.require(shape.size() <= 8, "at most 8 axes are supported");
  std::size_t inner = 1;
  for (std::size_t i = axis + 1; i < in.rank(); ++i) inner *= length(in.shape[i]);
  OnnxArray out = node.make(shape, in.integral);
  for (std::size_t e = 0; e < out.size(); ++e) {
    const std::size_t outer = e / (inner * places.size());
    const std::size_t from = (outer * length(extent) + places[e / inner % places.size()]) * inner + e % inner;
    if (in.integral) {
      out.integers[e] = in.integers[from];
    } else {
      out.floats[e] = in.floats[from];
    }
  }
  return out;
}

}  // namespace

OnnxArray gather(const OnnxNode& node) {
  return entries(node, node.axis(node.integer("axis", 0), node.any(0).rank()), node.integers(1).shape);
}

OnnxArray extract_columns(const OnnxNode& node) {
  node.require(node.any(0).rank() >= 2, "its input must be [rows][columns]");
  return entries(node, node.any(0).rank() - 1, {static_cast<std::int64_t>(node.integers(1).size())});
}

OnnxArray slice(const OnnxNode& node) {
  const OnnxArray& in = node.any(0);
  const std::vector<std::int64_t> starts = numbers_of(node, "starts", 1, true);
  const std::vector<std::int64_t> ends = numbers_of(node, "ends", 2, true);
  const std::vector<std::int64_t> axes = numbers_of(node, "axes", 3, false);
  const std::vector<std::int64_t> steps = numbers_of(node, "steps", 4, false);
  node.require(ends.size() == starts.size() && starts.size() <= in.rank() &&
                   (axes.empty() || axes.size() == starts.size()) && (steps.empty() || steps.size() == starts.size()),
               "starts, ends, axes and steps do not match its input");
  std::vector<std::pair<std::size_t, Range>> ranges;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t axis = axes.empty() ? i : node.axis(axes[i], in.rank());
    const std::int64_t step = steps.empty() ? 1 : steps[i];
    node.require(step != 0, "a step is 0");
    node.require(std::ranges::none_of(ranges, [&](const auto& range) { return range.first == axis; }),
                 "an axis is listed twice");
    ranges.emplace_back(axis, range_of(in.shape[axis], starts[i], ends[i], step));
  }
  return cut(node, in, ranges);
}

OnnxArray split(const OnnxNode& node) {
  const OnnxArray& in = node.any(0);
  const std::size_t axis = node.axis(node.integer("axis", 0), in.rank());
  const auto parts = static_cast<std::int64_t>(node.proto().output_size());
  const std::int64_t extent = in.shape[axis];
  std::vector<std::int64_t> sizes = numbers_of(node, "split", 1, false);
  if (sizes.empty()) {
    // Equal parts; what is left makes the last one smaller.
    const std::int64_t each = (extent + parts - 1) / parts;
    for (std::int64_t i = 0; i < parts; ++i) sizes.push_back(std::clamp<std::int64_t>(extent - i * each, 0, each));
  }
  node.require(sizes.size() == length(parts), fmt::format("{} sizes for {} outputs", sizes.size(), parts));
  std::int64_t first = 0;
  Range own;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    node.require(sizes[i] >= 0 && sizes[i] <= extent - first, fmt::format("its parts are longer than {}", extent));
    if (i == node.which()) own = {.first = first, .step = 1, .count = sizes[i]};
    first += sizes[i];
  }
  node.require(first == extent, fmt::format("its parts do not fill {}", extent));
  return cut(node, in, {{axis, own}});
}

}  // namespace nomu::onnx_operators
