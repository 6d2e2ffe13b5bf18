#include "engine/cpu/cpu.hpp"

#include <fmt/format.h>

#include "engine/cpu/cpu_session.hpp"
#include "engine/cpu/kernels/isa.hpp"
#include "engine/cpu/predict.hpp"
#include "engine/cpu/roofline.hpp"
#include "engine/passes.hpp"
#include "engine/preflight.hpp"
#include "nomu/core/error.hpp"

namespace nomu::engine::cpu {
namespace {

constexpr const char* where = "engine/cpu";

const GemmProvider& provider_for(const EngineOptions& options, const Kernels& kernels) {
  const GemmProvider* onednn = onednn_provider();
  if (options.provider == "eigen") return *kernels.eigen;
  if (options.provider != "auto" && options.provider != "onednn") {
    throw ConfigError(where, fmt::format("unknown provider '{}'; there are auto, onednn, eigen", options.provider));
  }
  if (onednn != nullptr) return *onednn;
  if (options.provider == "onednn") throw DeviceError(where, "built without oneDNN; use --provider eigen");
  return *kernels.eigen;
}

class CpuEngine final : public Backend {
 public:
  CpuEngine(const EngineOptions& options, std::size_t threads)
      : options_(options),
        kernels_(kernels_for(options.isa)),
        provider_(provider_for(options, kernels_)),
        team_(threads, keep_single_threaded) {}

  [[nodiscard]] EngineInfo info() const override {
    EngineInfo info = cpu::info(options_);
    info.threads = static_cast<std::int64_t>(team_.size());
    return info;
  }

  [[nodiscard]] std::size_t memory_needed(const TrainPlan& plan) const override {
    check(plan, static_cast<std::int64_t>(team_.size()));
    return session_bytes(plan, make_program(plan), team_.size());
  }

  [[nodiscard]] std::unique_ptr<Session> open(const TrainPlan& plan) override {
    require_memory(memory_needed(plan), plan.members(), "cpu");
    return std::make_unique<CpuSession>(plan, team_, kernels_, provider_.multiply);
  }

  [[nodiscard]] Tensor<float> predict(const Networks& networks, const Tensor<float>& parameters, const Tensor<float>& x,
                                      const DropoutPass& dropout, const std::vector<std::uint64_t>& seeds) override {
    const SingleThreaded scope;
    const Layout layout = checked_layout(networks, parameters, x, shares_rows());
    return each_pass(dropout, [&](const DropoutPass& pass) {
      PredictContext context{networks, layout, kernels_, provider_.multiply, pass, seeds, {}};
      for (std::size_t m = 0; m < parameters.members(); ++m) context.parameters.emplace_back(parameters.member(m));
      return cpu::predict(context, x, team_);
    });
  }

  [[nodiscard]] bool shares_rows() const override { return true; }

  [[nodiscard]] std::unique_ptr<Backend> beside(std::size_t threads) const override { return make(options_, threads); }

  [[nodiscard]] Roofline roofline(const TrainPlan& plan) override {
    const SingleThreaded scope;
    return measure_roofline(plan, make_program(plan), provider_.multiply, team_);
  }

 private:
  EngineOptions options_;
  const Kernels& kernels_;
  const GemmProvider& provider_;
  Team team_;
};

}  // namespace

EngineInfo info(const EngineOptions& options) {
  const Kernels& kernels = kernels_for(options.isa);
  return {.name = "cpu",
          .provider = provider_for(options, kernels).name,
          .isa = kernels.isa,
          .threads = static_cast<std::int64_t>(thread_count(options, where)),
          .device = processor_name(),
          .available = true,
          .note = ""};
}

std::unique_ptr<Backend> make(const EngineOptions& options) { return make(options, thread_count(options, where)); }

std::unique_ptr<Backend> make(const EngineOptions& options, std::size_t threads) {
  return std::make_unique<CpuEngine>(options, threads);
}

}  // namespace nomu::engine::cpu
