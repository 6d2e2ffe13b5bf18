#include "engine/cuda/predict.hpp"

#include <algorithm>
#include <vector>

#include "engine/cuda/device.hpp"
#include "engine/cuda/program.hpp"

namespace nomu::engine::cuda {
namespace {

constexpr double workspace_bytes = 1e9;
constexpr std::size_t most_block_rows = 1024;

/// Rows that are predicted at a time.
std::uint32_t block_rows(const Layout& layout, std::size_t members, std::size_t rows) {
  const double one = workspace_floats(layout, {.rows = 1, .data_rows = 1, .training = false}) * sizeof(float);
  const double fitting = workspace_bytes / (one * static_cast<double>(members));
  const std::size_t most = std::min(rows, most_block_rows);
  return static_cast<std::uint32_t>(std::clamp(fitting, 1.0, static_cast<double>(most)));
}

std::vector<float> dropout_rates(const PredictRequest& request) {
  std::vector<float> rates;
  for (const Net& net : request.networks.nets) {
    for (std::size_t m = 0; m < request.buffers.size(); ++m) rates.push_back(net.dropout[request.first_member + m]);
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

}  // namespace

void predict(const PredictRequest& request, const Tensor<float>& x, Tensor<float>& out) {
  const auto members = static_cast<std::uint32_t>(request.buffers.size());
  const auto all = static_cast<std::uint32_t>(x.rows());
  if (members == 0 || all == 0) return;
  const StepSize size{.rows = block_rows(request.layout, members, all), .data_rows = 0, .training = false};
  const DeviceProgram program(make_program(request.networks, request.layout, size), size, members,
                              request.hardware.processors, request.precision);
  const std::uint32_t owners = x.members() == 1 ? 1 : members;
  const std::size_t first_owner = owners == 1 ? 0 : request.first_member;
  const DeviceArray<float> inputs(x.flat().subspan(first_owner * all * x.cols(), std::size_t{owners} * all * x.cols()));
  const DeviceArray<float> rates(dropout_rates(request));
  std::vector<MemberInfo> infos(members);
  for (std::size_t m = 0; m < request.seeds.size(); ++m) infos[m].seed = request.seeds[m];
  const DeviceArray<MemberInfo> info(infos);
  DeviceArray<Control> control(members);
  View view{};
  program.describe(view);
  const DeviceArray<float> workspace(view.workspace * members);
  const DeviceArray<float> outputs(std::size_t{members} * size.rows * request.layout.outputs);
  view.parameters = request.layout.parameters;
  view.members = members;
  view.inputs = static_cast<std::uint32_t>(request.layout.inputs);
  view.outputs = static_cast<std::uint32_t>(request.layout.outputs);
  view.rounded = request.precision != Precision::fp32;
  view.info = info.data();
  view.control = control.data();
  view.weights = const_cast<float*>(request.weights);  // NOLINT(cppcoreguidelines-pro-type-const-cast): only read
  view.values = workspace.data();
  view.dropout = rates.data();
  const Stream stream;
  for (std::uint32_t first = 0; first < all; first += size.rows) {
    const std::uint32_t rows = std::min(size.rows, all - first);
    control.upload(controls(request, first, rows));
    start_inputs(view, inputs.data(), owners, all, first, rows, stream.get());
    for (const TileList& tiles : program.forward()) start_forward(view, tiles, request.precision, stream.get());
    start_outputs(view, outputs.data(), size.rows, stream.get());
    stream.wait();
    const std::size_t width = request.layout.outputs * sizeof(float);
    NOMU_CUDA_CHECK(cudaMemcpy2D(&out(request.first_member, first, 0), all * width, outputs.data(), size.rows * width,
                                 rows * width, members, cudaMemcpyDeviceToHost));
  }
}

}  // namespace nomu::engine::cuda
