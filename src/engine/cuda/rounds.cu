// The course of a member's epoch on the device: what it does in a round, and what its loss decides. The rules are
// those of engine/epoch.hpp; the host looks at the outcome only when a part of the run is over.

#include "engine/cuda/kernels.hpp"
#include "engine/cuda/launch.cuh"
#include "engine/cuda/reduce.cuh"
#include "engine/epoch.hpp"
#include "engine/sampling.hpp"

namespace nomu::engine::cuda {
namespace {

constexpr unsigned round_threads = 256;
constexpr unsigned pick_count = 1024;

/// Rows [first, first + count) of the member's order, or of its rows as they are.
struct Range {
  unsigned first, count;
};

__device__ Range piece_of(const MemberInfo& info, unsigned piece) {
  const unsigned first = piece * info.batch;
  const unsigned left = info.rows - first;
  return {first, left < info.batch ? left : info.batch};
}

__device__ float step_rate(const View& view, const MemberInfo& info, std::uint32_t step) {
  const TrainSpec& spec = view.train;
  const std::uint64_t total = static_cast<std::uint64_t>(spec.epochs) * info.batches;
  const double rate = scheduled_rate(spec, info.rate, step, total);
  return static_cast<float>(adam_rate(rate, spec.beta1, spec.beta2, static_cast<long>(step) + 1));
}

/// What the member does now; `range` says with which of its rows.
__device__ Control plan_of(const View& view, unsigned member, Range& range) {
  const MemberInfo& info = view.info[member];
  const MemberState& state = view.state[member];
  Control control{};
  control.source = control.target = state.current;
  control.step = state.step;
  if (!state.course.active() || state.course.epochs >= state.target) return control;
  const bool training = info.full_batch() || state.piece < info.batches;
  const unsigned piece = training ? state.piece : state.piece - info.batches;
  range = piece_of(info, piece);
  // A pass over all rows sees the artificial points once, with its first rows.
  const unsigned augmented = training || piece == 0 ? view.augment_count : 0;
  control.data_rows = range.count;
  control.rows = range.count + augmented;
  control.masks = training ? Masks::training : Masks::none;
  if (training) control.rate = step_rate(view, info, state.step);
  control.share = view.reduction == Reduction::sum ? 1.0 : 1.0 / info.row_weights;
  return control;
}

/// The order in which an epoch visits the member's rows. Picks are drawn side by side, swaps have to be one by one.
__device__ void shuffle(const View& view, unsigned member) {
  __shared__ std::uint32_t picks[pick_count];
  const MemberInfo& info = view.info[member];
  std::uint32_t* order = view.order + std::size_t{member} * view.most_data_rows;
  for (unsigned i = threadIdx.x; i < info.rows; i += blockDim.x) order[i] = i;
  const auto epoch = static_cast<std::uint32_t>(view.state[member].course.epochs);
  const PhiloxStream stream = shuffle_stream(info.seed, epoch);
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
__device__ float artificial(const View& view, unsigned member, std::uint32_t step, unsigned i, unsigned j) {
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

/// Gathers the inputs of a round's rows.
__device__ void gather(const View& view, unsigned member, const Control& control, const Range& range, bool ordered) {
  const unsigned d = view.inputs;
  const std::size_t data = std::size_t{member} * view.most_data_rows;
  std::uint32_t* index = view.row_index + std::size_t{member} * view.most_rows;
  float* x = view.values_of(member) + view.x;
  for (unsigned r = threadIdx.x; r < control.data_rows; r += blockDim.x) {
    index[r] = ordered ? view.order[data + range.first + r] : range.first + r;
  }
  __syncthreads();
  for (unsigned e = threadIdx.x; e < control.rows * d; e += blockDim.x) {
    const unsigned row = e / d;
    const unsigned j = e % d;
    x[std::size_t{row} * view.input_ld + j] =
        row < control.data_rows ? view.data_x[(data + index[row]) * d + j]
                                : artificial(view, member, control.step, row - control.data_rows, j);
  }
}

__global__ void __launch_bounds__(round_threads) round_kernel(const View view) {
  __shared__ Control control;
  __shared__ Range range;
  const unsigned member = blockIdx.x;
  if (threadIdx.x == 0) control = plan_of(view, member, range);
  __syncthreads();
  const MemberInfo& info = view.info[member];
  if (control.rows > 0) {
    const bool ordered = !info.full_batch() && control.masks == Masks::training;
    if (ordered && view.state[member].piece == 0) shuffle(view, member);
    gather(view, member, control, range, ordered);
    if (ordered && view.reduction == Reduction::mean) {
      double weights = 0.0;
      for (unsigned r = threadIdx.x; r < control.data_rows; r += blockDim.x) {
        const std::size_t row = view.row_index[std::size_t{member} * view.most_rows + r];
        weights += static_cast<double>(view.data_weight[std::size_t{member} * view.most_data_rows + row]);
      }
      weights = block_sum(weights);
      if (threadIdx.x == 0) control.share = 1.0 / weights;
    }
  }
  if (threadIdx.x == 0) view.control[member] = control;
}

/// L2 penalty of the member's weights.
__device__ double penalty(const View& view, unsigned member) {
  double sum = 0.0;
  for (unsigned t = threadIdx.x; t < view.update_tiles; t += blockDim.x) {
    const auto l2 = static_cast<double>(view.l2[view.update[view.tiles[t].job].l2 * view.members + member]);
    if (l2 != 0.0) sum += l2 * view.squares[std::size_t{member} * view.update_tiles + t];
  }
  return block_sum(sum);
}

/// Takes the monitored loss of an epoch; true where it is the best so far.
__device__ bool observe(const View& view, unsigned member, MemberState& state, double loss) {
  const auto place = static_cast<std::uint64_t>(state.course.epochs - state.reported);
  view.history[std::uint64_t{member} * view.history_length + place] = static_cast<float>(loss);
  state.piece = 0;
  state.sum = 0.0;
  return state.course.observe(loss, view.train.patience);
}

/// Lets the parameters be updated. The two buffers take turns, so that a snapshot never has to be copied: it stays
/// where it is and the next parameters are written to the other one.
__device__ void allow_update(const View& view, MemberState& state, Control& control, Keep keep) {
  control.update = 1;
  ++state.step;
  if (view.train.snapshot == Snapshot::none) return;
  if (keep == Keep::before_update) state.best = control.source;
  const bool pinned = state.best == control.source && keep != Keep::after_update;
  control.target = pinned ? 1 - control.source : control.source;
  if (keep == Keep::after_update) state.best = control.target;
  state.current = control.target;
}

/// One step of several in an epoch.
__device__ void after_batch(const View& view, unsigned member, MemberState& state, Control& control, double loss) {
  const MemberInfo& info = view.info[member];
  state.sum += loss;
  if (!std::isfinite(state.sum)) {
    if (std::isfinite(loss)) {
      allow_update(view, state, control, Keep::nothing);
    } else {
      ++state.step;
    }
    (void)observe(view, member, state, state.sum);
    return;
  }
  if (++state.piece < info.batches) {
    allow_update(view, state, control, Keep::nothing);
    return;
  }
  if (view.train.snapshot == Snapshot::exact) {
    allow_update(view, state, control, Keep::nothing);
    state.sum = 0.0;  // from here on of the passes over all rows
    return;
  }
  const bool improved = observe(view, member, state, state.sum / static_cast<double>(info.batches));
  allow_update(view, state, control, improved && view.train.snapshot != Snapshot::none ? Keep::after_update : Keep::nothing);
}

/// One of the passes over all rows that end an epoch with an exact snapshot.
__device__ void after_pass(const View& view, unsigned member, MemberState& state, double rows, double squares) {
  const MemberInfo& info = view.info[member];
  state.sum += rows;
  if (++state.piece < info.batches + info.pieces(view.train.snapshot)) return;
  if (observe(view, member, state, squares + state.sum)) state.best = state.current;
}

__global__ void __launch_bounds__(round_threads) decision_kernel(const View view) {
  const unsigned member = blockIdx.x;
  Control control = view.control[member];
  if (control.rows == 0) return;
  double rows = 0.0;
  for (unsigned r = threadIdx.x; r < control.rows; r += blockDim.x) {
    rows += view.row_loss[std::size_t{member} * view.most_rows + r];
  }
  rows = block_sum(rows);
  const double squares = penalty(view, member);
  if (threadIdx.x != 0) return;
  const MemberInfo& info = view.info[member];
  MemberState state = view.state[member];
  if (info.full_batch()) {
    const bool improved = observe(view, member, state, rows + squares);
    if (state.course.diverged) {
      ++state.step;
    } else {
      allow_update(view, state, control, kept(improved, view.train.snapshot));
    }
  } else if (state.piece < info.batches) {
    after_batch(view, member, state, control, rows + squares);
  } else {
    after_pass(view, member, state, rows, squares);
  }
  view.state[member] = state;
  view.control[member] = control;
}

}  // namespace

void start_round(const View& view, cudaStream_t stream) {
  launch(round_kernel, view.members, round_threads, 0, stream, view);
}

void start_decision(const View& view, cudaStream_t stream) {
  launch(decision_kernel, view.members, round_threads, 0, stream, view);
}

}  // namespace nomu::engine::cuda
