#pragma once
// Where each tensor of a member lies in its parameter vector, and which layer feeds which.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/plan.hpp"

namespace nomu::engine {

inline constexpr std::size_t input_layer = static_cast<std::size_t>(-1);  ///< the source that means the rows of x

/// A block of weight rows of a layer: one row for each unit of its source.
struct Feed {
  std::size_t source;   ///< layer index, or input_layer
  std::size_t units;    ///< of the source
  std::size_t weights;  ///< offset of [units][layer.units]; [patch][filters] of a convolution
  bool carries;         ///< whether gradients flow back through it
};

/// One layer: a convolution with its pooling, a dense hidden layer or a head.
struct Layer {
  std::size_t net;
  std::size_t depth;  ///< position within its net
  std::size_t units;  ///< values per row
  bool head;
  Activation activation;     ///< identity for heads
  std::vector<Feed> feeds;   ///< in the order of the weight rows
  std::size_t weights;       ///< offset of the whole weight tensor [fan_in][columns]
  std::size_t bias;          ///< offset of [columns]
  std::size_t first_output;  ///< heads: column of the first output among all outputs
  bool needs_delta;          ///< its own or an earlier layer's parameters depend on the loss through it
  bool on_augmented;         ///< it gets a gradient from artificial rows
  std::optional<Convolution> convolution = {};  ///< empty: dense

  /// Values in one weighted sum: everything that feeds a dense layer, or the patch under a filter.
  [[nodiscard]] std::size_t fan_in() const;
  /// Number of weighted sums that have weights of their own: the units, or the filters.
  [[nodiscard]] std::size_t columns() const { return convolution ? convolution->map.channels : units; }
};

/// A feed from the point of view of its source.
struct Consumer {
  std::size_t layer;
  std::size_t feed;
};

struct Layout {
  std::size_t inputs;
  std::size_t outputs;
  std::size_t parameters;     ///< floats per member; tensors start at multiples of 16, gaps are zero
  std::vector<Layer> layers;  ///< net by net, first hidden layer to head: a topological order

  /// The layers that read `source` (a layer or input_layer), in the order of `layers`.
  [[nodiscard]] std::vector<Consumer> consumers(std::size_t source) const;
};

/// The layout of checked networks; `loss` decides which layers see gradients of artificial rows.
[[nodiscard]] Layout make_layout(const Networks& networks, LossKind loss);

/// Share of a layer's units that dropout leaves out; 0 for heads.
[[nodiscard]] float dropout_of(const Networks& networks, const Layer& layer, std::size_t member);

/// Half the width of the uniform distribution that a layer's parameters are drawn from.
[[nodiscard]] float init_range(const Net& net, const Layer& layer);

/// Draws a member's initial parameters; `values` has layout.parameters floats.
void initialise(const Networks& networks, const Layout& layout, std::uint64_t seed, float* values);

/// Floating-point operations of one training step of one member, matrix products only.
[[nodiscard]] double flops_per_step(const Layout& layout, std::size_t rows, std::size_t augmented,
                                    const Networks& networks);

}  // namespace nomu::engine
