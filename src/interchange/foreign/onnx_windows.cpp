#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "interchange/foreign/onnx_operators.hpp"

namespace nomu::onnx_operators {
namespace {

constexpr std::int64_t largest_setting = 1 << 20;

std::size_t length(std::int64_t extent) { return static_cast<std::size_t>(extent); }

/// How a window moves over one axis.
struct Axis {
  std::int64_t in, kernel, stride, dilation, before, after, out;

  /// The position that tap k of window w reads; may lie outside.
  [[nodiscard]] std::int64_t place(std::int64_t w, std::int64_t k) const { return w * stride - before + k * dilation; }
  [[nodiscard]] bool inside(std::int64_t place) const { return place >= 0 && place < in; }
};

/// Images [rows][channels][height][width]; signals [rows][channels][width] count as images of height 1.
struct Windows {
  std::int64_t rows, channels;
  Axis y, x;
  bool flat;  ///< signals

  [[nodiscard]] OnnxArray::Shape shape(std::int64_t out_channels) const {
    return flat ? OnnxArray::Shape{rows, out_channels, x.out} : OnnxArray::Shape{rows, out_channels, y.out, x.out};
  }
};

void set_same(Axis& axis, bool upper) {
  const std::int64_t out = (axis.in + axis.stride - 1) / axis.stride;
  const std::int64_t total =
      std::max<std::int64_t>(0, (out - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1 - axis.in);
  axis.before = upper ? total / 2 : total - total / 2;
  axis.after = total - axis.before;
}

Windows windows(const OnnxNode& node, const OnnxArray& in, const std::vector<std::int64_t>& kernel) {
  node.require(in.rank() == 3 || in.rank() == 4,
               "its input must be [rows][channels][height][width] or [rows][channels][width]");
  const bool flat = in.rank() == 3;
  const std::size_t axes = flat ? 1 : 2;
  const std::vector<std::int64_t> strides = node.list("strides", std::vector<std::int64_t>(axes, 1));
  const std::vector<std::int64_t> dilations = node.list("dilations", std::vector<std::int64_t>(axes, 1));
  const std::vector<std::int64_t> pads = node.list("pads", std::vector<std::int64_t>(2 * axes, 0));
  node.require(kernel.size() == axes && strides.size() == axes && dilations.size() == axes && pads.size() == 2 * axes,
               "kernel_shape, strides, dilations and pads do not match its input");
  const std::string automatic = node.text("auto_pad", "NOTSET");
  const auto make = [&](std::size_t i) {
    Axis axis{.in = in.shape[2 + i],
              .kernel = kernel[i],
              .stride = strides[i],
              .dilation = dilations[i],
              .before = pads[i],
              .after = pads[axes + i],
              .out = 0};
    const auto fine = [](std::int64_t v, std::int64_t least) { return v >= least && v <= largest_setting; };
    node.require(fine(axis.in, 1) && fine(axis.kernel, 1) && fine(axis.stride, 1) && fine(axis.dilation, 1) &&
                     fine(axis.before, 0) && fine(axis.after, 0),
                 "a window, stride, dilation or padding is out of range");
    if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") set_same(axis, automatic == "SAME_UPPER");
    const std::int64_t room = axis.in + axis.before + axis.after - ((axis.kernel - 1) * axis.dilation + 1);
    node.require(room >= 0, fmt::format("a window of {} does not fit into {}", axis.kernel, axis.in));
    const bool up = node.integer("ceil_mode", 0) != 0;
    axis.out = (room + (up ? axis.stride - 1 : 0)) / axis.stride + 1;
    // A window must start inside the image or its leading padding.
    if (up && (axis.out - 1) * axis.stride >= axis.in + axis.before) --axis.out;
    return axis;
  };
  const Axis one{.in = 1, .kernel = 1, .stride = 1, .dilation = 1, .before = 0, .after = 0, .out = 1};
  return {.rows = in.shape[0], .channels = in.shape[1], .y = flat ? one : make(0), .x = make(axes - 1), .flat = flat};
}

/// Calls function(image, window of y, window of x, index in out) for every window of every channel of every row.
template <class F>
void each_window(const Windows& w, std::int64_t images, const F& function) {
  std::size_t e = 0;
  for (std::int64_t image = 0; image < images; ++image) {
    for (std::int64_t i = 0; i < w.y.out; ++i) {
      for (std::int64_t j = 0; j < w.x.out; ++j) function(image, i, j, e++);
    }
  }
}

/// Calls function(index in the image, tap) for the taps of a window that lie inside.
template <class F>
void each_tap(const Windows& w, std::int64_t i, std::int64_t j, const F& function) {
  for (std::int64_t a = 0; a < w.y.kernel; ++a) {
    const std::int64_t row = w.y.place(i, a);
    if (!w.y.inside(row)) continue;
    for (std::int64_t b = 0; b < w.x.kernel; ++b) {
      const std::int64_t col = w.x.place(j, b);
      if (w.x.inside(col)) function(length(row * w.x.in + col), length(a * w.x.kernel + b));
    }
  }
}

double taps(const Windows& w) { return static_cast<double>(w.y.kernel) * static_cast<double>(w.x.kernel); }

OnnxArray pooled_whole(const OnnxNode& node, bool average) {
  const OnnxArray& in = node.floats(0);
  node.require(in.rank() >= 3, "its input must be [rows][channels][height][width]");
  OnnxArray::Shape shape(in.rank(), 1);
  shape[0] = in.shape[0];
  shape[1] = in.shape[1];
  OnnxArray out = node.make(shape);
  const std::size_t inner = out.floats.empty() ? 0 : in.floats.size() / out.floats.size();
  node.require(inner > 0 || out.floats.empty(), "there is nothing to pool");
  for (std::size_t e = 0; e < out.floats.size(); ++e) {
    const std::span<const float> values(in.floats.data() + e * inner, inner);
    double total = 0.0;
    for (const float v : values) total += static_cast<double>(v);
    out.floats[e] =
        average ? static_cast<float>(total / static_cast<double>(inner)) : *std::ranges::max_element(values);
  }
  return out;
}

}  // namespace

OnnxArray convolve(const OnnxNode& node) {
  const OnnxArray& in = node.floats(0);
  const OnnxArray& weights = node.floats(1);
  node.require(weights.rank() == in.rank() && in.rank() >= 3, "weights and input need the same axes");
  const Windows w = windows(node, in, {weights.shape.begin() + 2, weights.shape.end()});
  const std::int64_t groups = node.integer("group", 1);
  const std::int64_t filters = weights.shape[0];
  const std::int64_t depth = weights.shape[1];
  node.require(
      groups >= 1 && filters >= 1 && depth >= 1 && groups <= filters && filters % groups == 0 &&
          w.channels == depth * groups,
      fmt::format("weights {} in {} groups do not match {} channels", shape_text(weights.shape), groups, w.channels));
  if (node.has(2)) node.require(node.floats(2).size() == length(filters), "the bias needs one number per filter");
  OnnxArray out = node.make(w.shape(filters));
  node.check_work(static_cast<double>(out.floats.size()) * taps(w) * static_cast<double>(depth));
  const std::size_t image = length(w.y.in * w.x.in);
  const std::size_t patch = length(w.y.kernel * w.x.kernel);
  each_window(w, w.rows * filters, [&](std::int64_t which, std::int64_t i, std::int64_t j, std::size_t e) {
    const std::int64_t filter = which % filters;
    const std::int64_t first = which / filters * w.channels + filter / (filters / groups) * depth;
    double total = node.has(2) ? static_cast<double>(node.floats(2).floats[length(filter)]) : 0.0;
    for (std::int64_t c = 0; c < depth; ++c) {
      const float* from = in.floats.data() + length(first + c) * image;
      const float* by = weights.floats.data() + length(filter * depth + c) * patch;
      each_tap(w, i, j, [&](std::size_t place, std::size_t tap) {
        total += static_cast<double>(from[place]) * static_cast<double>(by[tap]);
      });
    }
    out.floats[e] = static_cast<float>(total);
  });
  return out;
}

OnnxArray max_pool(const OnnxNode& node) {
  const OnnxArray& in = node.floats(0);
  const Windows w = windows(node, in, node.list("kernel_shape", {}));
  OnnxArray out = node.make(w.shape(w.channels));
  node.check_work(static_cast<double>(out.floats.size()) * taps(w));
  each_window(w, w.rows * w.channels, [&](std::int64_t which, std::int64_t i, std::int64_t j, std::size_t e) {
    const float* from = in.floats.data() + length(which * w.y.in * w.x.in);
    float most = std::numeric_limits<float>::lowest();
    each_tap(w, i, j, [&](std::size_t place, std::size_t /*tap*/) { most = std::max(most, from[place]); });
    out.floats[e] = most;
  });
  return out;
}

OnnxArray average_pool(const OnnxNode& node) {
  const OnnxArray& in = node.floats(0);
  const Windows w = windows(node, in, node.list("kernel_shape", {}));
  OnnxArray out = node.make(w.shape(w.channels));
  node.check_work(static_cast<double>(out.floats.size()) * taps(w));
  const bool padded = node.integer("count_include_pad", 0) != 0;
  node.require(!padded || node.integer("ceil_mode", 0) == 0, "count_include_pad with ceil_mode is not supported");
  each_window(w, w.rows * w.channels, [&](std::int64_t which, std::int64_t i, std::int64_t j, std::size_t e) {
    const float* from = in.floats.data() + length(which * w.y.in * w.x.in);
    double total = 0.0;
    double count = 0.0;
    each_tap(w, i, j, [&](std::size_t place, std::size_t /*tap*/) {
      total += static_cast<double>(from[place]);
      count += 1.0;
    });
    out.floats[e] = static_cast<float>(total / std::max(1.0, padded ? taps(w) : count));
  });
  return out;
}

OnnxArray global_average_pool(const OnnxNode& node) { return pooled_whole(node, true); }

OnnxArray global_max_pool(const OnnxNode& node) { return pooled_whole(node, false); }

}  // namespace nomu::onnx_operators
