#pragma once
// The course of a member's epoch on the device: what it does in a round, and what its loss decides. The rules are
// those of engine/epoch.hpp; the host reads the outcome only at the end of each part of the run.

#include <cmath>

#include "engine/cuda/kernels/reduce.cuh"
#include "engine/cuda/kernels/tables.hpp"
#include "engine/epoch.hpp"
#include "engine/sampling.hpp"

namespace nomu::engine::cuda {

/// Rows [first, first + count) of the member's order, or of its rows as they are.
struct Range {
  unsigned first, count;
};

__device__ inline Range piece_of(const MemberInfo& info, unsigned piece) {
  const unsigned first = piece * info.batch;
  const unsigned left = info.rows - first;
  return {first, left < info.batch ? left : info.batch};
}

/// `powers`: of Adam's betas.
__device__ inline float step_rate(const View& view, const MemberInfo& info, std::uint32_t step,
                                  const double (&powers)[2]) {
  const TrainSpec& spec = view.train;
  const std::uint64_t total = static_cast<std::uint64_t>(spec.epochs) * info.batches;
  const double rate = scheduled_rate(spec, info.rate, step, total);
  return static_cast<float>(adam_rate(rate, powers[0], powers[1]));
}

/// What the member does now; `range` says with which of its rows.
__device__ inline Control plan_of(const View& view, unsigned member, const MemberState& state,
                                  const double (&powers)[2], Range& range) {
  const MemberInfo& info = view.info[member];
  Control control{};
  control.source = control.target = state.current;
  control.step = state.step;
  if (!state.course.active() || state.course.epochs >= state.target) return control;
  const bool training = info.full_batch() || state.piece < info.batches;
  const unsigned piece = training ? state.piece : state.piece - info.batches;
  range = piece_of(info, piece);
  // A pass over all rows uses the artificial points once, with its first rows.
  const unsigned augmented = training || piece == 0 ? view.augment_count : 0;
  control.data_rows = range.count;
  control.rows = range.count + augmented;
  control.masks = training ? Masks::training : Masks::none;
  if (training) control.rate = step_rate(view, info, state.step, powers);
  control.share = view.reduction == Reduction::sum ? 1.0 : 1.0 / info.row_weights;
  return control;
}

/// The order in which an epoch visits the member's rows. Picks are drawn in parallel, swaps are done one by one.
__device__ inline void shuffle(const View& view, unsigned member, std::int64_t epoch, std::uint32_t* order) {
  constexpr unsigned pick_count = 1024;
  __shared__ std::uint32_t picks[pick_count];
  const MemberInfo& info = view.info[member];
  for (unsigned i = threadIdx.x; i < info.rows; i += blockDim.x) order[i] = i;
  const PhiloxStream stream = shuffle_stream(info.seed, static_cast<std::uint32_t>(epoch));
  for (unsigned top = info.rows; top > 1; top = top > pick_count ? top - pick_count : 0) {
    __syncthreads();
    for (unsigned j = threadIdx.x; j < pick_count && top - j > 1 && j < top; j += blockDim.x) {
      picks[j] = static_cast<std::uint32_t>(shuffle_pick(stream, top - j));
    }
    __syncthreads();
    for (unsigned j = 0; threadIdx.x == 0 && j < pick_count && j + 1 < top; ++j) {
      const std::uint32_t kept = order[top - j - 1];
      order[top - j - 1] = order[picks[j]];
      order[picks[j]] = kept;
    }
  }
  __syncthreads();
}

/// Coordinate `j` of artificial point `i`.
__device__ inline float artificial(const View& view, unsigned member, std::uint32_t step, unsigned i, unsigned j) {
  const unsigned d = view.inputs;
  const PhiloxStream stream = augment_stream(view.augment, view.info[member].seed, step);
  const bool drawn = view.augment == AugmentKind::uniform || view.augment == AugmentKind::low_discrepancy;
  const std::size_t size = std::size_t{drawn ? 2U : view.pool_rows} * d;
  const float* given = view.points + (view.point_owners == 1 ? 0 : member * size);
  switch (view.augment) {
    case AugmentKind::none: return 0.0F;
    case AugmentKind::fixed: return given[std::size_t{i} * d + j];
    case AugmentKind::pool: return given[pool_row(stream, i, view.pool_rows) * d + j];
    case AugmentKind::uniform: return between(given[j], given[d + j], stream.uniform(std::uint64_t{i} * d + j));
    case AugmentKind::low_discrepancy:
      return between(given[j], given[d + j], recurrence_share(stream.uniform(j), view.recurrence[j], i));
  }
  return 0.0F;
}

/// Gathers the inputs of a round's rows to x, and to `index` the data rows they are; `order` may be null.
__device__ inline void gather(const View& view, unsigned member, const Control& control, const Range& range,
                              const std::uint32_t* order, float* x, std::uint32_t* index) {
  const unsigned d = view.inputs;
  const std::size_t data = std::size_t{member} * view.most_data_rows;
  for (unsigned r = threadIdx.x; r < control.data_rows; r += blockDim.x) {
    index[r] = order != nullptr ? order[range.first + r] : range.first + r;
  }
  __syncthreads();
  for (unsigned e = threadIdx.x; e < control.rows * d; e += blockDim.x) {
    const unsigned row = e / d;
    const unsigned j = e % d;
    const float value = row < control.data_rows ? view.data_x[(data + index[row]) * d + j]
                                                : artificial(view, member, control.step, row - control.data_rows, j);
    x[std::size_t{row} * view.input_ld + j] = view.rounded ? to_tf32(value) : value;
  }
}

/// Starts a round in shared or global memory: decides, shuffles at the start of an epoch, gathers. All threads of the
/// block take part; `control` is theirs together.
__device__ inline void begin_round(const View& view, unsigned member, const MemberState& state, Control& control,
                                   std::uint32_t* order, float* x, std::uint32_t* index) {
  __shared__ Range range;
  __shared__ double powers[2];
  __syncthreads();
  // This takes longest, so two threads share it.
  if (threadIdx.x < 2) {
    powers[threadIdx.x] = std::pow(threadIdx.x == 0 ? view.train.beta1 : view.train.beta2, state.step + 1.0);
  }
  __syncthreads();
  if (threadIdx.x == 0) control = plan_of(view, member, state, powers, range);
  __syncthreads();
  if (control.rows == 0) return;
  const bool ordered = !view.info[member].full_batch() && control.masks == Masks::training;
  if (ordered && state.piece == 0) shuffle(view, member, state.course.epochs, order);
  gather(view, member, control, range, ordered ? order : nullptr, x, index);
  if (!ordered || view.reduction == Reduction::sum) return;
  double weights = 0.0;
  for (unsigned r = threadIdx.x; r < control.data_rows; r += blockDim.x) {
    weights += static_cast<double>(view.data_weight[std::size_t{member} * view.most_data_rows + index[r]]);
  }
  weights = block_sum(weights);
  if (threadIdx.x == 0) control.share = 1.0 / weights;
}

/// Records the monitored loss of an epoch; true if it is the best so far.
__device__ inline bool observe(const View& view, unsigned member, MemberState& state, double loss) {
  const auto place = static_cast<std::uint64_t>(state.course.epochs - state.reported);
  view.history[std::uint64_t{member} * view.history_length + place] = static_cast<float>(loss);
  state.piece = 0;
  state.sum = 0.0;
  return state.course.observe(loss, view.train.patience);
}

/// One step of several in an epoch.
__device__ inline void after_batch(const View& view, unsigned member, MemberState& state, Control& control,
                                   double loss) {
  const MemberInfo& info = view.info[member];
  control.update = std::isfinite(loss) ? 1 : 0;
  ++state.step;
  ++state.piece;
  state.sum += loss;
  if (!std::isfinite(state.sum)) {
    (void)observe(view, member, state, state.sum);
  } else if (state.piece == info.batches && view.train.snapshot == Snapshot::exact) {
    state.sum = 0.0;  // from here on of the passes over all rows
  } else if (state.piece == info.batches) {
    const bool improved = observe(view, member, state, state.sum / static_cast<double>(info.batches));
    if (improved && view.train.snapshot != Snapshot::none) control.keep = Keep::after_update;
  }
}

/// One of the passes over all rows that end an epoch with an exact snapshot.
__device__ inline void after_pass(const View& view, unsigned member, MemberState& state, Control& control, double rows,
                                  double squares) {
  const MemberInfo& info = view.info[member];
  state.sum += rows;
  if (++state.piece < info.batches + info.pieces(view.train.snapshot)) return;
  if (observe(view, member, state, squares + state.sum)) control.keep = Keep::before_update;
}

/// Whether the member is updated and which parameters it keeps, from the losses of the round's rows and the penalty.
__device__ inline void decide(const View& view, unsigned member, MemberState& state, Control& control, double rows,
                              double squares) {
  const MemberInfo& info = view.info[member];
  if (info.full_batch()) {
    const bool improved = observe(view, member, state, rows + squares);
    control.update = state.course.diverged ? 0 : 1;
    if (control.update != 0) control.keep = kept(improved, view.train.snapshot);
    ++state.step;
  } else if (state.piece < info.batches) {
    after_batch(view, member, state, control, rows + squares);
  } else {
    after_pass(view, member, state, control, rows, squares);
  }
}

}  // namespace nomu::engine::cuda
