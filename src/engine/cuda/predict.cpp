#include "engine/cuda/predict.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "engine/cuda/device.hpp"
#include "engine/cuda/program.hpp"
#include "engine/passes.hpp"
#include "engine/preflight.hpp"

namespace nomu::engine::cuda {
namespace {

constexpr double workspace_bytes = 1e9;
constexpr std::size_t most_block_rows = 1024;

/// Number of rows that are predicted at a time.
std::uint32_t block_rows(const Layout& layout, std::size_t members, std::size_t rows) {
  const double one = workspace_floats(layout, {.rows = 1, .data_rows = 1, .training = false}) * sizeof(float);
  const double fitting = workspace_bytes / (one * static_cast<double>(members));
  const std::size_t most = std::min(rows, most_block_rows);
  return static_cast<std::uint32_t>(std::clamp(fitting, 1.0, static_cast<double>(most)));
}

std::vector<float> dropout_rates(const PredictRequest& request) {
  std::vector<float> rates;
  for (const Layer& layer : request.layout.layers) {
    for (std::size_t m = 0; m < request.buffers.size(); ++m)
      rates.push_back(dropout_of(request.networks, layer, request.first_member + m));
  }
  return rates;
}

std::vector<Control> controls(const PredictRequest& request, std::uint32_t first, std::uint32_t rows) {
  std::vector<Control> all;
  for (const std::uint32_t buffer : request.buffers) {
    Control control{};
    control.data_rows = control.rows = rows;
    control.first_row = first;
    control.source = control.target = buffer;
    control.step = request.dropout.pass;
    control.masks = request.dropout.active ? Masks::prediction : Masks::none;
    all.push_back(control);
  }
  return all;
}

/// Number of rows that a workspace is made for: a power of two, so that a few workspaces fit the uneven batches of a
/// search.
std::uint32_t room_rows(const Layout& layout, std::size_t members, std::size_t rows) {
  constexpr std::size_t least = 64;
  return block_rows(layout, members, std::bit_ceil(std::max(rows, least)));
}

}  // namespace

class PredictRoom {
 public:
  PredictRoom(const PredictRequest& request, const StepSize& size)
      : size_(size),
        members_(static_cast<std::uint32_t>(request.buffers.size())),
        program_(make_program(request.networks, request.layout, size), size, members_, request.hardware.processors,
                 request.precision),
        rates_(dropout_rates(request)),
        control_(members_),
        info_(members_),
        outputs_(std::size_t{members_} * size.rows * request.layout.outputs) {
    program_.describe(view_);
    workspace_ = DeviceArray<float>(view_.workspace * members_);
    view_.parameters = request.layout.parameters;
    view_.members = members_;
    view_.inputs = static_cast<std::uint32_t>(request.layout.inputs);
    view_.outputs = static_cast<std::uint32_t>(request.layout.outputs);
    view_.rounded = request.precision != Precision::fp32;
    view_.info = info_.data();
    view_.control = control_.data();
    view_.weights = const_cast<float*>(request.weights);  // NOLINT(cppcoreguidelines-pro-type-const-cast): only read
    view_.values = workspace_.data();
    view_.dropout = rates_.data();
  }

  void predict(const PredictRequest& request, const Tensor<float>& x, Tensor<float>& out) {
    const auto all = static_cast<std::uint32_t>(x.rows());
    const std::uint32_t owners = x.members() == 1 ? 1 : members_;
    const std::size_t first_owner = owners == 1 ? 0 : request.first_member;
    const std::span<const float> rows =
        x.flat().subspan(first_owner * all * x.cols(), std::size_t{owners} * all * x.cols());
    if (inputs_.size() < rows.size()) inputs_ = DeviceArray<float>(rows.size());
    inputs_.upload(rows);
    std::vector<MemberInfo> infos(members_);
    for (std::size_t m = 0; m < request.seeds.size(); ++m) infos[m].seed = request.seeds[m];
    info_.upload(infos);
    for (std::uint32_t first = 0; first < all; first += size_.rows) {
      const std::uint32_t count = std::min(size_.rows, all - first);
      control_.upload(controls(request, first, count));
      start_inputs(view_, inputs_.data(), owners, all, first, count, stream_.get());
      for (const TileList& tiles : program_.forward()) start_forward(view_, tiles, request.precision, stream_.get());
      start_outputs(view_, outputs_.data(), size_.rows, stream_.get());
      stream_.wait();
      const std::size_t width = request.layout.outputs * sizeof(float);
      NOMU_CUDA_CHECK(cudaMemcpy2D(&out(request.first_member, first, 0), all * width, outputs_.data(),
                                   size_.rows * width, count * width, members_, cudaMemcpyDeviceToHost));
    }
  }

 private:
  StepSize size_;
  std::uint32_t members_;
  DeviceProgram program_;
  DeviceArray<float> rates_;
  DeviceArray<Control> control_;
  DeviceArray<MemberInfo> info_;
  DeviceArray<float> outputs_, workspace_, inputs_;
  View view_{};
  Stream stream_;
};

void predict(const PredictRequest& request, const Tensor<float>& x, Tensor<float>& out, PredictRooms& rooms) {
  const std::size_t members = request.buffers.size();
  if (members == 0 || x.rows() == 0) return;
  const StepSize size{.rows = room_rows(request.layout, members, x.rows()), .data_rows = 0, .training = false};
  std::shared_ptr<PredictRoom>& room = rooms[size.rows];
  if (room == nullptr) room = std::make_shared<PredictRoom>(request, size);
  room->predict(request, x, out);
}

void predict(const PredictRequest& request, const Tensor<float>& x, Tensor<float>& out) {
  PredictRooms rooms;
  predict(request, x, out, rooms);
}

namespace {

class KeptNetworks final : public Predictor {
 public:
  KeptNetworks(const Networks& networks, const Tensor<float>& parameters, Precision precision, const Hardware& hardware)
      : networks_(networks),
        layout_(make_layout(networks, LossKind::squared_error)),
        precision_(precision),
        hardware_(hardware),
        weights_(parameters.flat()),
        buffers_(parameters.members(), 0) {}

  [[nodiscard]] Tensor<float> predict(const Tensor<float>& x, const DropoutPass& dropout,
                                      const std::vector<std::uint64_t>& seeds) override {
    check_rows(networks_, buffers_.size(), x);
    return each_pass(dropout, [&](const DropoutPass& pass) {
      Tensor<float> out(buffers_.size(), x.rows(), layout_.outputs);
      cuda::predict({.networks = networks_,
                     .layout = layout_,
                     .precision = precision_,
                     .hardware = hardware_,
                     .weights = weights_.data(),
                     .buffers = buffers_,
                     .first_member = 0,
                     .dropout = pass,
                     .seeds = seeds},
                    x, out, rooms_);
      return out;
    });
  }

 private:
  Networks networks_;
  Layout layout_;
  Precision precision_;
  Hardware hardware_;
  DeviceArray<float> weights_;
  std::vector<std::uint32_t> buffers_;
  PredictRooms rooms_;
};

}  // namespace

std::unique_ptr<Predictor> keep_on_device(const Networks& networks, const Tensor<float>& parameters,
                                          Precision precision, const Hardware& hardware) {
  return std::make_unique<KeptNetworks>(networks, parameters, precision, hardware);
}

}  // namespace nomu::engine::cuda
