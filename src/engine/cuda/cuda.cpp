#include "engine/cuda/cuda.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/cuda/device.hpp"
#include "engine/cuda/hopper/layers.hpp"
#include "engine/cuda/session.hpp"
#include "engine/passes.hpp"
#include "engine/preflight.hpp"
#include "nomu/core/error.hpp"

namespace nomu::engine::cuda {
namespace {

constexpr const char* where = "engine/cuda";
constexpr int least_major = 8;                       // tensor cores with TF32, asynchronous copies
constexpr int hopper_major = 9;                      // products by groups of warps
constexpr std::size_t reserve_bytes = 1536U << 20U;  // kept free for predictions and the driver

constexpr std::size_t declared_bytes = 8192;  // shared memory that kernels declare themselves, rounded up

/// Why this machine's GPU cannot be used; empty if it can.
std::string obstacle(cudaDeviceProp& properties) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    (void)cudaGetLastError();
    return fmt::format("no usable GPU: {}", status == cudaSuccess ? "none found" : cudaGetErrorString(status));
  }
  int device = 0;
  NOMU_CUDA_CHECK(cudaGetDevice(&device));
  NOMU_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  if (properties.major >= least_major) return {};
  return fmt::format("{} has compute capability {}.{}; 8.0 or newer is needed", properties.name, properties.major,
                     properties.minor);
}

std::size_t room() {
  std::size_t free = 0;
  std::size_t all = 0;
  NOMU_CUDA_CHECK(cudaMemGetInfo(&free, &all));
  return free > reserve_bytes ? free - reserve_bytes : 0;
}

class CudaEngine final : public Backend {
 public:
  explicit CudaEngine(const EngineOptions& options) : info_(cuda::info(options)) {
    if (options.provider != "auto" && options.provider != "tiles") {
      throw ConfigError(where, fmt::format("unknown provider '{}'; there are auto, tiles", options.provider));
    }
    if (!info_.available) throw DeviceError(where, fmt::format("{}; use --device cpu", info_.note));
    cudaDeviceProp properties{};
    (void)obstacle(properties);
    hardware_.processors = static_cast<std::uint32_t>(properties.multiProcessorCount);
    hardware_.shared_bytes = properties.sharedMemPerBlockOptin - declared_bytes;
    prepare_resident(hardware_.shared_bytes);
    if (options.provider == "tiles") hardware_.shared_bytes = 0;
    const bool hopper = properties.major == hopper_major;
    if (options.precision == "tf32") precision_ = hopper ? Precision::tf32_hopper : Precision::tf32;
    if (hopper) {
      hopper::prepare_layers();
      hopper::prepare_update();
    }
    prepare_layers();
    prepare_update();
    prepare_clipping();
  }

  [[nodiscard]] EngineInfo info() const override { return info_; }

  [[nodiscard]] std::size_t memory_needed(const TrainPlan& plan) const override {
    check(plan);
    refuse_convolutions(plan.networks, info_.name);
    return session_bytes(plan, make_layout(plan.networks, plan.loss.kind), precision_, plan.members());
  }

  [[nodiscard]] std::size_t members_at_once(const TrainPlan& plan) const override {
    check(plan);
    refuse_convolutions(plan.networks, info_.name);
    const Layout layout = make_layout(plan.networks, plan.loss.kind);
    const auto fixed = static_cast<double>(session_bytes(plan, layout, precision_, 0));
    const double each = static_cast<double>(session_bytes(plan, layout, precision_, 1)) - fixed;
    const double fitting = (static_cast<double>(room()) - fixed) / each;
    return static_cast<std::size_t>(std::clamp(fitting, 1.0, static_cast<double>(plan.members())));
  }

  [[nodiscard]] std::unique_ptr<Session> open(const TrainPlan& plan) override {
    require_room(memory_needed(plan), room(), plan.members(), info_.name);
    return make_session(plan, precision_, hardware_);
  }

  [[nodiscard]] Tensor<float> predict(const Networks& networks, const Tensor<float>& parameters, const Tensor<float>& x,
                                      const DropoutPass& dropout, const std::vector<std::uint64_t>& seeds) override {
    refuse_convolutions(networks, info_.name);
    const Layout layout = checked_layout(networks, parameters, x);
    const std::size_t members = parameters.members();
    const std::size_t each = layout.parameters * sizeof(float);
    require_room(each, room(), 1, info_.name);
    const std::size_t at_once = std::clamp<std::size_t>(room() / 2 / each, 1, std::max<std::size_t>(members, 1));
    Tensor<float> out(members, x.rows() * dropout.passes, layout.outputs);
    for (std::size_t first = 0; first < members; first += at_once) {
      const std::size_t count = std::min(at_once, members - first);
      const DeviceArray<float> weights(parameters.flat().subspan(first * layout.parameters, count * layout.parameters));
      const std::vector<std::uint32_t> buffers(count, 0);
      const Tensor<float> some = each_pass(dropout, [&](const DropoutPass& pass) {
        Tensor<float> one(members, x.rows(), layout.outputs);
        cuda::predict(
            {.networks = networks,
             .layout = layout,
             .precision = precision_,
             .hardware = hardware_,
             .weights = weights.data(),
             .buffers = buffers,
             .first_member = static_cast<std::uint32_t>(first),
             .dropout = pass,
             .seeds = seeds.empty() ? std::span<const std::uint64_t>() : std::span(seeds).subspan(first, count)},
            x, one);
        return one;
      });
      for (std::size_t m = first; m < first + count; ++m) std::ranges::copy(some.member(m), out.member(m).begin());
    }
    return out;
  }

  [[nodiscard]] bool has_own_memory() const override { return true; }

  [[nodiscard]] std::unique_ptr<Predictor> keep(const Networks& networks, const Tensor<float>& parameters) override {
    refuse_convolutions(networks, info_.name);
    (void)checked_layout(networks, parameters, Tensor<float>(1, 0, networks.inputs));
    if (parameters.flat().size_bytes() > room() / 2) return nullptr;
    return keep_on_device(networks, parameters, precision_, hardware_);
  }

 private:
  EngineInfo info_;
  Precision precision_ = Precision::fp32;
  Hardware hardware_;
};

}  // namespace

std::unique_ptr<Backend> make(const EngineOptions& options) { return std::make_unique<CudaEngine>(options); }

EngineInfo info(const EngineOptions& options) {
  cudaDeviceProp properties{};
  const std::string reason = obstacle(properties);
  EngineInfo info{.name = "cuda",
                  .provider = "none",
                  .isa = "none",
                  .threads = 0,
                  .device = "none",
                  .available = reason.empty(),
                  .note = reason,
                  .precision = options.precision};
  if (!info.available) return info;
  info.provider = options.provider == "tiles" ? "tiles" : "tiles, resident";
  info.isa = fmt::format("sm_{}{}", properties.major, properties.minor);
  info.device = properties.name;
  info.threads =
      static_cast<std::int64_t>(thread_count(options, where));  // for the parts of methods that run on the host
  return info;
}

}  // namespace nomu::engine::cuda
