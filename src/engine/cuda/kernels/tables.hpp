#pragma once
// The plain data that host and kernels share: what a step consists of, and where everything is stored. Offsets count
// floats from the start of a member's parameters or of its workspace.

#include <cstdint>

#include "engine/epoch.hpp"
#include "engine/math.hpp"
#include "engine/monitor.hpp"
#include "engine/plan.hpp"

namespace nomu::engine::cuda {

/// One matrix product that adds to a layer's values: rows of the workspace times a block of weights.
struct Segment {
  std::uint64_t weights;
  std::uint64_t values;  ///< [rows][values_ld]
  std::uint32_t weight_ld;
  std::uint32_t values_ld;
  std::uint32_t depth;  ///< terms of the sum
  bool data_rows_only;  ///< artificial rows add nothing
  bool wide;            ///< rows of weights start at multiples of 16 bytes
};

/// The derivatives that a head's one or two outputs pass to the units that feed it.
struct HeadTerm {
  std::uint64_t delta;    ///< [rows][head_ld]
  std::uint64_t weights;  ///< [units][outputs]
  std::uint32_t outputs;
  bool data_rows_only;
};

/// Floats from one row of a head's deltas to the next.
inline constexpr std::uint32_t head_ld = 4;

/// Rows of a member's step from which on the gradients of whole tiles are computed from transposed values, where the
/// machine has products that need them so.
inline constexpr std::uint32_t transposed_from = 256;
/// Units of a layer whose values are kept transposed come in groups of this size.
inline constexpr std::uint32_t transposed_units = 128;

/// Values of one hidden layer.
struct ForwardJob {
  std::uint64_t bias;
  std::uint64_t out;         ///< [rows][out_ld]
  std::uint64_t transposed;  ///< the same once more as [units][transposed_ld], for members with many rows
  std::uint32_t first_segment, segments;
  std::uint32_t units, out_ld;
  std::uint32_t transposed_ld;  ///< 0: the values are not kept transposed
  std::uint32_t layer;
  Activation activation;
};

/// Deltas of one hidden layer, gathered from everything that reads it.
struct BackwardJob {
  std::uint64_t values;  ///< its activated values, [rows][ld]
  std::uint64_t out;     ///< [rows][ld]
  std::uint32_t first_segment, segments;
  std::uint32_t first_term, terms;
  std::uint32_t units, ld;
  std::uint32_t layer;
  Activation activation;
  bool data_rows_only;
};

/// One feed of a layer: its weights get their gradient and are updated.
struct UpdateJob {
  std::uint64_t weights, bias;
  std::uint64_t values, delta;  ///< [rows][values_ld], [rows][delta_ld]
  std::uint64_t transposed;     ///< the values once more as [inputs][transposed_ld]
  std::uint32_t inputs, units;
  std::uint32_t values_ld, delta_ld;
  std::uint32_t transposed_ld;  ///< 0: the values are not kept transposed
  std::uint32_t layer;
  std::uint32_t l2;  ///< row of View::l2
  bool first;        ///< of its layer's feeds
  bool data_rows_only;
  bool wide;  ///< rows of weights start at multiples of 16 bytes and end there
};

/// Inputs and deltas of a layer, for the bound on its gradient.
struct LayerNorm {
  std::uint32_t first_job, jobs;    ///< its feeds
  std::uint32_t first_tile, tiles;  ///< of the update
};

/// One output of the networks: a dot product over the feeds of its head.
struct Output {
  std::uint64_t bias;
  std::uint64_t delta;  ///< where its slope goes, [rows][head_ld]
  std::uint32_t first_segment, segments;
  bool has_delta;
};

/// A part of a job that one block works on.
struct Tile {
  std::uint32_t job, m, n;
  bool with_bias;  ///< updates: takes the bias of its columns along
};

/// What never changes about a member.
struct MemberInfo {
  std::uint64_t seed;
  double rate;         ///< learning rate before any schedule
  double row_weights;  ///< sum over all rows
  LossSettings<float> loss;
  float clip;
  std::uint32_t rows;
  std::uint32_t batch;    ///< rows per step; `rows`: all
  std::uint32_t batches;  ///< steps per epoch

  [[nodiscard]] NOMU_HD bool full_batch() const { return batch == rows; }
  /// Passes over all rows that an exact snapshot needs after the steps of an epoch.
  [[nodiscard]] NOMU_HD std::uint32_t pieces(Snapshot snapshot) const {
    return full_batch() || snapshot != Snapshot::exact ? 0 : (rows + batch - 1) / batch;
  }
};

/// The progress of a member. Like all of these tables it has no initialisers, so that it can be __shared__.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
struct MemberState {
  LossCourse course;
  std::int64_t target;    ///< epochs to train to
  std::int64_t reported;  ///< epochs whose losses the host has read
  double sum;             ///< of the losses of this epoch so far
  std::uint32_t step;
  std::uint32_t piece;    ///< of the epoch: first its steps, then its passes over all rows
  std::uint32_t current;  ///< which of the two buffers holds the parameters
  std::uint32_t best;     ///< and which the snapshot
};

enum class Masks : std::uint32_t { none, training, prediction };

/// What a member does in the current round. No rows: nothing.
struct Control {
  double share;             ///< factor on the rows' losses
  std::uint32_t data_rows;  ///< they come first
  std::uint32_t rows;       ///< with the artificial ones
  std::uint32_t first_row;  ///< of these rows within the whole request; predictions only
  std::uint32_t step;       ///< of training, or pass of a prediction
  std::uint32_t source;     ///< buffer the parameters are read from
  std::uint32_t target;     ///< and the updated ones written to
  std::uint32_t update;     ///< 0: parameters stay as they are
  float rate;               ///< Adam's, bias correction included
  Masks masks;
  Keep keep;
};

/// Everything that a kernel may read. Arrays over members have the member as their first axis.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
struct View {
  std::uint64_t parameters;  ///< floats per member
  std::uint64_t workspace;   ///< floats per member
  std::uint32_t members;
  std::uint32_t inputs, input_ld;
  std::uint32_t outputs;
  std::uint32_t layers;
  std::uint32_t most_rows;       ///< of a step
  std::uint32_t most_data_rows;  ///< of a member
  std::uint32_t forward_jobs, backward_jobs;
  std::uint32_t update_jobs, update_tiles;  ///< of all layers, frozen ones included
  std::uint32_t history_length;
  bool rounded;  ///< inputs, values and deltas are stored with the bits of TF32
  bool batched;  ///< whether any member's epoch has more than one round

  TrainSpec train;
  Reduction reduction;
  AugmentKind augment;
  std::uint32_t augment_count, pool_rows, point_owners;

  const MemberInfo* info;
  MemberState* state;
  Control* control;
  float* history;  ///< [M][history_length]

  float* weights;  ///< [2][M][parameters]; one buffer if no snapshot is taken
  float *first, *second, *largest;
  float* values;    ///< the workspaces
  std::uint64_t x;  ///< offset of the rows of a step within a workspace, [rows][input_ld]

  const float *data_x, *data_y, *data_weight, *data_noise;  ///< [M][most_data_rows][..]; noise may be null
  const float* points;                                      ///< box or given points, [1 or M][..][d]
  const double* recurrence;                                 ///< [d]
  std::uint32_t* order;                                     ///< [M][most_data_rows]
  std::uint32_t* row_index;                                 ///< [M][most_rows]: data row behind a row of the step

  const float* dropout;  ///< [layers][M]
  const float* l2;       ///< [2 * nets][M]: hidden layers, then head of each net

  const Segment* segments;
  const HeadTerm* terms;
  const ForwardJob* forward;
  const BackwardJob* backward;
  const std::uint32_t* top;  ///< numbers of those that have no products
  std::uint32_t tops;
  const UpdateJob* update;
  const LayerNorm* layer_norms;
  const Tile* tiles;                  ///< of the update
  const std::uint32_t* update_order;  ///< of the trainable ones among them
  const Output* output;

  double* row_loss;  ///< [M][most_rows]
  double* squares;   ///< [M][update_tiles]: of the weights
  double* norms;     ///< [M][layers][norm_parts][2]: squares of inputs and deltas
  double* clipped;   ///< [M][update_tiles][2]: squares of the gradient, weights and bias
  float* clip;       ///< [M][layers][2]: factor on the gradient, weights and bias; null: nothing is ever clipped
  std::uint32_t* clip_needed;  ///< [M][layers]

  [[nodiscard]] NOMU_HD float* weights_of(std::uint32_t buffer, std::uint32_t member) const {
    return weights + (std::uint64_t{buffer} * members + member) * parameters;
  }
  [[nodiscard]] NOMU_HD float* values_of(std::uint32_t member) const { return values + member * workspace; }
};

/// Parts into which the sums over a layer's rows are cut.
inline constexpr std::uint32_t norm_parts = 8;

}  // namespace nomu::engine::cuda
