#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <numeric>

#include "interchange/foreign/onnx_operators.hpp"
#include "interchange/foreign/onnx_places.hpp"

namespace nomu::onnx_operators {
namespace {

using Shape = OnnxArray::Shape;

std::size_t length(std::int64_t extent) { return static_cast<std::size_t>(extent); }

OnnxArray with_shape(const OnnxNode& node, OnnxArray array, Shape shape) {
  // Compares sizes without multiplying lengths from the file, which could overflow.
  std::size_t left = array.size();
  bool fits = true;
  bool nothing = false;
  for (const std::int64_t extent : shape) {
    fits = fits && extent >= 0;
    nothing = nothing || extent == 0;
    if (!fits || extent == 0) continue;
    fits = left % length(extent) == 0;
    left /= length(extent);
  }
  node.require(fits && (nothing ? array.size() == 0 : left == 1),
               fmt::format("{} numbers do not fill the shape {}", array.size(), shape_text(shape)));
  array.shape = std::move(shape);
  return array;
}

std::size_t product(const Shape& shape, std::size_t from, std::size_t to) {
  std::size_t total = 1;
  for (std::size_t i = from; i < to; ++i) total *= length(shape[i]);
  return total;
}

}  // namespace

OnnxArray constant(const OnnxNode& node) {
  if (const onnx::AttributeProto* value = node.find("value"); value != nullptr && value->has_t())
    return read_tensor(value->t(), node.proto().name());
  if (node.find("value_ints") != nullptr) return node.make_integers(node.list("value_ints", {}));
  if (node.find("value_int") != nullptr)
    return {.shape = {}, .integral = true, .integers = {node.integer("value_int", 0)}};
  if (node.find("value_float") != nullptr) return {.shape = {}, .floats = {node.number("value_float", 0.0F)}};
  const std::vector<float> numbers = node.numbers("value_floats");
  node.require(!numbers.empty(), "only constants of float32 or integers are supported");
  return {.shape = {static_cast<std::int64_t>(numbers.size())}, .floats = numbers};
}

OnnxArray constant_of_shape(const OnnxNode& node) {
  OnnxArray value{.shape = {}, .floats = {0.0F}};
  if (const onnx::AttributeProto* given = node.find("value"); given != nullptr && given->has_t())
    value = read_tensor(given->t(), node.proto().name());
  node.require(value.size() == 1, "its value must be a single number");
  OnnxArray out = node.make(node.integers(0).integers, value.integral);
  if (value.integral) {
    std::ranges::fill(out.integers, value.integers[0]);
  } else {
    std::ranges::fill(out.floats, value.floats[0]);
  }
  return out;
}

OnnxArray shape_of(const OnnxNode& node) {
  const Shape& shape = node.any(0).shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto place = [&](const char* name, std::int64_t otherwise) {
    const std::int64_t given = node.opset() >= 15 ? node.integer(name, otherwise) : otherwise;
    return std::clamp<std::int64_t>(given < 0 ? given + rank : given, 0, rank);
  };
  const std::int64_t first = place("start", 0);
  const std::int64_t last = std::max(first, place("end", rank));
  return node.make_integers({shape.begin() + first, shape.begin() + last});
}

OnnxArray reshape(const OnnxNode& node) {
  const OnnxArray& in = node.any(0);
  Shape shape = node.integers(1).integers;
  node.require(shape.size() <= 8, "at most 8 axes are supported");
  std::size_t known = 1;
  std::ptrdiff_t open = -1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) {
      node.require(i < in.rank() && node.integer("allowzero", 0) == 0,
                   "the new shape refers to an axis that does not exist");
      shape[i] = in.shape[i];
    }
    if (shape[i] == -1) {
      node.require(open < 0, "the new shape leaves the length of two axes open");
      open = static_cast<std::ptrdiff_t>(i);
      continue;
    }
    node.require(shape[i] >= 0 && (shape[i] == 0 || known <= in.size() / length(shape[i])),
                 fmt::format("{} cannot be reshaped to {}", shape_text(in.shape), shape_text(shape)));
    known *= length(shape[i]);
  }
  if (open >= 0) {
    node.require(known > 0, "the open axis of the new shape could have any length");
    shape[static_cast<std::size_t>(open)] = static_cast<std::int64_t>(in.size() / known);
  }
  return with_shape(node, in, std::move(shape));
}

OnnxArray flatten(const OnnxNode& node) {
  const OnnxArray& in = node.any(0);
  const std::int64_t given = node.integer("axis", 1);
  const std::size_t axis = given == static_cast<std::int64_t>(in.rank()) ? in.rank() : node.axis(given, in.rank());
  const std::size_t rows = product(in.shape, 0, axis);
  return with_shape(node, in,
                    {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(product(in.shape, axis, in.rank()))});
}

OnnxArray squeeze(const OnnxNode& node) {
  const OnnxArray& in = node.any(0);
  const std::vector<std::int64_t> axes = node.list_or_input("axes", 1);
  node.require(!axes.empty(), "the axes to remove must be given; otherwise a single row would lose its row axis");
  std::vector<bool> gone(in.rank(), false);
  for (const std::int64_t axis : axes) gone[node.axis(axis, in.rank())] = true;
  Shape shape;
  for (std::size_t i = 0; i < in.rank(); ++i) {
    if (!gone[i]) shape.push_back(in.shape[i]);
    node.require(!gone[i] || in.shape[i] == 1,
                 fmt::format("axis {} of {} does not have length 1", i, shape_text(in.shape)));
  }
  return with_shape(node, in, std::move(shape));
}

OnnxArray unsqueeze(const OnnxNode& node) {
  const OnnxArray& in = node.any(0);
  const std::vector<std::int64_t> axes = node.list_or_input("axes", 1);
  const std::size_t rank = in.rank() + axes.size();
  node.require(rank <= 8, "at most 8 axes are supported");
  std::vector<bool> fresh(rank, false);
  for (const std::int64_t axis : axes) fresh[node.axis(axis, rank)] = true;
  node.require(std::ranges::count(fresh, true) == static_cast<std::ptrdiff_t>(axes.size()), "an axis is listed twice");
  Shape shape;
  std::size_t next = 0;
  for (std::size_t i = 0; i < rank; ++i) shape.push_back(fresh[i] ? 1 : in.shape[next++]);
  return with_shape(node, in, std::move(shape));
}

OnnxArray transpose(const OnnxNode& node) {
  const OnnxArray& in = node.any(0);
  std::vector<std::int64_t> order(in.rank());
  std::iota(order.rbegin(), order.rend(), 0);
  order = node.list("perm", order);
  std::vector<std::int64_t> sorted = order;
  std::ranges::sort(sorted);
  std::vector<std::int64_t> expected(in.rank());
  std::iota(expected.begin(), expected.end(), 0);
  node.require(sorted == expected, "perm is not a permutation of the axes");
  Shape shape;
  for (const std::int64_t axis : order) shape.push_back(in.shape[length(axis)]);
  const std::vector<std::int64_t> strides = strides_of(in.shape);
  std::vector<std::int64_t> steps;
  steps.reserve(order.size());
  for (const std::int64_t axis : order) steps.push_back(strides[length(axis)]);
  return taken(node, in, shape, {std::move(steps), shape});
}

OnnxArray concat(const OnnxNode& node) {
  const OnnxArray& first = node.any(0);
  const std::size_t axis = node.axis(node.integer("axis", 0), first.rank());
  OnnxArray out{.shape = first.shape, .integral = first.integral};
  out.shape[axis] = 0;
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    const OnnxArray& part = node.any(i);
    Shape shape = part.shape;
    node.require(part.integral == first.integral && part.rank() == first.rank(),
                 "its inputs differ in type or number of axes");
    out.shape[axis] += shape[axis];
    shape[axis] = first.shape[axis];
    node.require(shape == first.shape,
                 fmt::format("{} and {} do not match", shape_text(first.shape), shape_text(part.shape)));
  }
  // Throws if the size exceeds the limit. Of nothing there may be very many rows.
  if (node.elements(out.shape, out.integral) == 0) return out;
  const std::size_t outer = product(out.shape, 0, axis);
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::size_t i = 0; i < node.inputs(); ++i) {
      const OnnxArray& part = node.any(i);
      const std::size_t size = product(part.shape, axis, part.rank());
      const auto from = static_cast<std::ptrdiff_t>(o * size);
      const auto to = static_cast<std::ptrdiff_t>((o + 1) * size);
      if (out.integral) {
        out.integers.insert(out.integers.end(), part.integers.begin() + from, part.integers.begin() + to);
      } else {
        out.floats.insert(out.floats.end(), part.floats.begin() + from, part.floats.begin() + to);
      }
    }
  }
  return out;
}

OnnxArray expand(const OnnxNode& node) {
  const OnnxArray& in = node.any(0);
  const Shape shape = joined(node, in.shape, node.integers(1).integers);
  return taken(node, in, shape, OnnxPlaces::repeated(in.shape, shape));
}

}  // namespace nomu::onnx_operators
