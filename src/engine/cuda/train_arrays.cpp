#include "engine/cuda/train_arrays.hpp"

#include <algorithm>
#include <limits>

#include "engine/cuda/cohort_data.hpp"
#include "engine/cuda/session.hpp"

namespace nomu::engine::cuda {
namespace {

std::size_t buffers_of(const TrainPlan& plan) { return plan.train.snapshot == Snapshot::none ? 1 : 2; }

bool clips(const TrainPlan& plan) {
  return std::any_of(plan.clip_norm.values().begin(), plan.clip_norm.values().end(),
                     [](float limit) { return limit > 0.0F; });
}

}  // namespace

TrainArrays::TrainArrays(const TrainPlan& plan, const Layout& layout, const Program& program, const StepSize& size,
                         bool resident)
    : weights(buffers_of(plan) * plan.members() * layout.parameters),
      first(plan.members() * layout.parameters),
      second(plan.members() * layout.parameters),
      largest(plan.train.amsgrad ? plan.members() * layout.parameters : 0),
      values(resident ? 0 : plan.members() * program.workspace),
      history(plan.members() * history_length),
      clip(clips(plan) ? plan.members() * layout.layers.size() * 2 : 0),
      row_loss(plan.members() * size.rows),
      squares(plan.members() * program.update_tiles.size()),
      norms(clips(plan) ? plan.members() * layout.layers.size() * norm_parts * 2 : 0),
      clipped(clips(plan) ? plan.members() * program.update_tiles.size() * 2 : 0),
      order(size.data_rows < plan.x.rows() ? plan.members() * plan.x.rows() : 0),
      row_index(plan.members() * size.rows),
      clip_needed(clips(plan) ? plan.members() * layout.layers.size() : 0),
      control(plan.members()),
      state(plan.members()) {}

void TrainArrays::describe(View& view) const {
  view.weights = weights.data();
  view.first = first.data();
  view.second = second.data();
  view.largest = largest.data();
  view.values = values.data();
  view.history = history.data();
  view.clip = clip.data();
  view.row_loss = row_loss.data();
  view.squares = squares.data();
  view.norms = norms.data();
  view.clipped = clipped.data();
  view.order = order.data();
  view.row_index = row_index.data();
  view.clip_needed = clip_needed.data();
  view.control = control.data();
  view.state = state.data();
}

Tensor<float> collected(const View& view, Buffer buffer, const Stream& stream) {
  Tensor<float> out(view.members, 1, view.parameters);
  const std::size_t one = view.parameters * sizeof(float);
  const auto at_once =
      static_cast<std::uint32_t>(std::clamp<std::size_t>(staging_bytes / one, 1, std::size_t{view.members}));
  const DeviceArray<float> staging(at_once * view.parameters);
  for (std::uint32_t first = 0; first < view.members; first += at_once) {
    const std::uint32_t count = std::min(at_once, view.members - first);
    start_collect(view, buffer, first, count, staging.data(), stream.get());
    stream.wait();
    staging.download(out.flat().subspan(first * view.parameters, count * view.parameters));
  }
  return out;
}

std::size_t session_bytes(const TrainPlan& plan, const Layout& layout, Precision precision, std::size_t members) {
  const StepSize size = step_size(plan, precision);
  const double copies = static_cast<double>(buffers_of(plan)) + 2.0 + (plan.train.amsgrad ? 1.0 : 0.0);
  const double tiles = static_cast<double>(layout.parameters) / (update_tile.units * update_tile.rows) +
                       static_cast<double>(layout.layers.size() * 32);
  const double rows = static_cast<double>(plan.x.rows()) * static_cast<double>(plan.x.cols() + 4);
  const double floats = static_cast<double>(layout.parameters) * copies + workspace_floats(layout, size) + rows +
                        tiles * 6.0 + history_length + static_cast<double>(size.rows) * 3.0 + 1024.0;
  const double bytes = floats * sizeof(float) * static_cast<double>(members) + staging_bytes +
                       static_cast<double>(layout.parameters) * sizeof(float);
  constexpr auto most = static_cast<double>(std::numeric_limits<std::size_t>::max()) / 2.0;
  return static_cast<std::size_t>(std::min(bytes, most));
}

}  // namespace nomu::engine::cuda
