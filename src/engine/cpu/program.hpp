#pragma once
// A training step as phases of independent pieces, worked out once per plan. How pieces are cut depends only on the
// shapes of the layers, so that any number of threads computes the same numbers.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "engine/layout.hpp"
#include "engine/plan.hpp"

namespace nomu::engine::cpu {

/// Columns [first, first + width) of a hidden layer's activations.
struct ColumnTile {
  std::size_t layer, first, width;
};

/// Units [first, first + width) of a source (a hidden layer or the input) with everything that reads them: their deltas
/// are gathered, then the weight rows they feed are updated while those are still in the cache.
struct UnitTile {
  std::size_t source, first, width;
  std::vector<std::size_t> slots;  ///< of the sums of squares, one per consumer
};

struct BackwardPhase {
  std::vector<std::size_t> ready;  ///< dense layers whose deltas are complete: their biases are updated in this phase
  std::vector<std::size_t> tiles;  ///< of the program
  std::vector<std::size_t> convolutions;  ///< layers whose deltas are complete: all of their parameters are updated
};

struct Program {
  Layout layout;
  std::vector<std::vector<Consumer>> consumers;        ///< dense ones of each layer; those of the input come last
  std::vector<std::vector<ColumnTile>> forward;        ///< dense hidden layers, phase by phase
  std::vector<std::vector<std::size_t>> convolutions;  ///< layers, phase by phase
  std::vector<std::size_t> heads;
  std::vector<UnitTile> tiles;
  std::vector<BackwardPhase> backward;
  std::vector<std::vector<std::size_t>> squares;  ///< per layer: the slots that add up to sum(w^2), biases included;
                                                  ///< the last of a convolution is that of all its weights
  std::vector<std::size_t> bias_slot;             ///< per layer
  std::size_t slots = 0;

  [[nodiscard]] const std::vector<Consumer>& consumers_of(std::size_t source) const {
    return source == input_layer ? consumers.back() : consumers[source];
  }
};

[[nodiscard]] Program make_program(const TrainPlan& plan);

/// Floats from one row of a layer's activations or deltas to the next: hidden rows start at a cache line.
[[nodiscard]] inline std::size_t stride_of(const Layer& layer) {
  return layer.head ? layer.units : (layer.units + 15) / 16 * 16;
}

/// Number of rows in a piece of a convolution, and number of pieces.
inline constexpr std::size_t convolution_rows = 8;
[[nodiscard]] inline std::size_t convolution_blocks(std::size_t rows) {
  return (rows + convolution_rows - 1) / convolution_rows;
}

/// Floats of a convolution's gradient: its weights, then its biases.
[[nodiscard]] inline std::size_t filter_floats(const Layer& layer) { return (layer.fan_in() + 1) * layer.columns(); }

/// Rows of a forward piece (all rows up to a limit, equal parts beyond it), and number of parts.
[[nodiscard]] std::size_t row_tile(std::size_t rows);
[[nodiscard]] std::size_t row_parts(std::size_t rows);

/// Columns of a forward piece and units of a backward piece: layers up to the first are not cut, because products of
/// fewer columns are slower; wider ones are, so that there are pieces for many processors. Of two nets one may be most
/// of the work going backward, so those pieces are smaller.
inline constexpr std::size_t widest_tile = 128;
inline constexpr std::size_t narrow_tile = 64;
[[nodiscard]] constexpr std::size_t column_tile(std::size_t units) { return std::min(units, widest_tile); }
[[nodiscard]] constexpr std::size_t unit_tile(std::size_t units) { return units > widest_tile ? narrow_tile : units; }

/// Weight rows whose gradient is held at a time: about a quarter of a megabyte, half of a small second-level cache.
[[nodiscard]] std::size_t gradient_rows(std::size_t width);

}  // namespace nomu::engine::cpu
