#include "nomu/engine/engine.hpp"

#include <fmt/format.h>

#include "engine/cpu/cpu.hpp"
#include "engine/cuda/cuda.hpp"
#include "engine/plan.hpp"
#include "engine/reference/reference.hpp"
#include "nomu/core/error.hpp"

namespace nomu {

std::size_t Engine::members_at_once(const engine::TrainPlan& plan) const { return plan.members(); }

std::unique_ptr<Engine> make_engine(const EngineOptions& options) {
  const bool gpu = options.device == "cuda" || (options.device == "auto" && engine::cuda::info(options).available);
  if (options.precision != "fp32" && options.precision != "tf32") {
    throw ConfigError("engine", fmt::format("unknown precision '{}'; there are fp32, tf32", options.precision));
  }
  if (options.precision == "tf32" && !gpu) {
    throw ConfigError("engine", "tf32 is a precision of GPUs; use --precision fp32, or --device cuda");
  }
  if (options.device == "cpu") return engine::cpu::make(options);
  if (options.device == "reference") return engine::reference::make();
  if (options.device == "cuda") return engine::cuda::make(options);
  if (options.device == "auto") {
    return gpu ? engine::cuda::make(options) : engine::cpu::make(options);
  }
  throw ConfigError("engine", fmt::format("unknown device '{}'; there are auto, cpu, cuda, reference", options.device));
}

std::vector<EngineInfo> list_engines() {
  return {engine::cpu::info({}), engine::cuda::info({}), engine::reference::info()};
}

}  // namespace nomu
