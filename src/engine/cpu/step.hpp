#pragma once
// One training step of one member on the CPU: forward, loss, and a backward pass that updates each weight as soon as
// its gradient is known, so that gradients are never stored beyond a tile.

#include <cstdint>
#include <span>
#include <vector>

#include "core/crew.hpp"
#include "engine/cpu/buffers.hpp"
#include "engine/cpu/kernels/kernels.hpp"
#include "engine/cpu/program.hpp"
#include "engine/epoch.hpp"
#include "engine/member_data.hpp"
#include "engine/plan.hpp"

namespace nomu::engine::cpu {

/// A member in training; the floats are [P] each.
struct MemberState {
  MemberData data;
  std::uint32_t step = 0;
  Floats weight, first, second, largest, best;
  std::vector<double> squares;  ///< sums of squares of the weights, by the program's slots
};

/// What all steps of a session share.
struct StepContext {
  const TrainPlan& plan;
  const Program& program;
  const Kernels& kernels;
  Multiply multiply;
};

/// Buffers of a step in progress; one for each member that is trained at the same time.
struct Workspace {
  Workspace(const StepContext& context, std::size_t rows, std::size_t workers);

  Floats x, y, weight, noise;
  std::vector<Floats> activation, delta;  ///< per layer: [rows][units]; heads keep only their deltas
  Floats outputs;                         ///< [rows][K]
  std::vector<Floats> scratch;            ///< per worker
  std::vector<float> clip;                ///< per layer: factor on the gradient of its weights
  std::vector<double> partial;            ///< partial sums of a reduction
  std::vector<Floats> map;              ///< per layer: what a convolution made before pooling, [rows][pixels][filters]
  std::vector<Floats> filter_gradient;  ///< per layer: of a convolution's parameters, [blocks][weights, then biases]
  std::vector<Floats> patches;          ///< per worker: scratch of the convolutions

  [[nodiscard]] static std::size_t bytes(const Program& program, std::size_t rows, std::size_t workers);
};

/// Runs steps of one member on a runner.
class Step {
 public:
  Step(const StepContext& context, Workspace& workspace, const Runner& runner, MemberState& member);

  /// One update on these rows; `decide(loss)` says what to keep before anything changes (see epoch.hpp).
  template <class Decide>
  void step(std::span<const std::uint32_t> rows, std::uint32_t step, double rate, const Decide& decide) {
    const Keep keep = decide(forward(rows, step));
    if (keep != Keep::abandon) backward(keep, rate);
  }

  [[nodiscard]] double loss_of_all_rows(std::uint32_t step);
  void keep_current() { member_.best = member_.weight; }

  /// Recomputes the sums of squares after the weights were replaced.
  void refresh_squares();

 private:
  double forward(std::span<const std::uint32_t> rows, std::uint32_t step);
  void load_rows(std::span<const std::uint32_t> rows, std::size_t augmented);
  void run_layers(bool dropout);
  void forward_tile(const ColumnTile& tile, std::size_t first_row, std::size_t rows);
  void forward_dense(const ColumnTile& tile, std::size_t first_row, std::size_t rows, bool dropout);
  void forward_convolution(std::size_t layer, std::size_t block, bool dropout, std::size_t worker);
  void drop(std::size_t layer, Floats& values, std::size_t first, std::size_t end);
  void forward_heads();
  [[nodiscard]] double row_losses(double share);
  [[nodiscard]] double share_of(std::span<const std::uint32_t> rows) const;
  [[nodiscard]] double penalty() const;

  void backward(Keep keep, double rate);
  void work_on(const UnitTile& tile, Floats& scratch);
  void gather(const UnitTile& tile, const Consumer& consumer, bool accumulate, bool last);
  [[nodiscard]] double update_weights(const UnitTile& tile, const Consumer& consumer, float* back, bool accumulate,
                                      Floats& scratch);
  void through_activation(const UnitTile& tile);
  void update_bias(std::size_t layer, Floats& scratch);
  void backward_convolutions(const BackwardPhase& phase);
  void backward_convolution(std::size_t layer, std::size_t block, std::size_t worker);
  void update_convolution(std::size_t layer);
  [[nodiscard]] double update_tensor(const Layer& layer, std::size_t offset, const float* gradient, std::size_t rows,
                                     std::size_t width);
  void set_clip(std::size_t layer);
  [[nodiscard]] double gradient_squares(std::size_t layer);
  void gradient_of(const Consumer& consumer, std::size_t first, std::size_t units, float* gradient) const;

  struct Source {
    const float* values;
    std::size_t units, stride;
  };
  [[nodiscard]] Source source_of(std::size_t source) const;
  [[nodiscard]] std::size_t delta_rows(std::size_t layer) const;
  [[nodiscard]] float l2_of(const Layer& layer) const;
  [[nodiscard]] float dropout_of(std::size_t layer) const;
  [[nodiscard]] bool trainable(const Layer& layer) const { return context_.plan.networks.nets[layer.net].trainable; }
  /// Whether there are so few rows that it is fastest never to store the gradient.
  [[nodiscard]] bool low_rank(std::size_t layer) const {
    return !layer_at(layer).head && delta_rows(layer) <= max_rank;
  }
  /// ReLU without dropout and without pooling after it: the slope is 0 or 1 by the sign of the activated value.
  [[nodiscard]] bool plain_relu(std::size_t layer) const {
    return layer_at(layer).activation == Activation::relu && dropout_of(layer) == 0.0F && !layer_at(layer).convolution;
  }
  [[nodiscard]] const Layer& layer_at(std::size_t layer) const { return context_.program.layout.layers[layer]; }
  [[nodiscard]] UpdateRows rows_at(std::size_t offset, const Layer& layer, float clip);

  const StepContext& context_;
  Workspace& ws_;
  const Runner& runner_;
  MemberState& member_;
  std::size_t data_rows_ = 0, rows_ = 0;
  std::uint32_t step_ = 0;
  Keep keep_ = Keep::nothing;
  AdamStep<float> adam_{};
};

}  // namespace nomu::engine::cpu
