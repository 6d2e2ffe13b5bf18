#include "nomu/engine/engine.hpp"

#include <fmt/format.h>

#include "engine/cpu/cpu.hpp"
#include "engine/cuda/cuda.hpp"
#include "engine/reference/reference.hpp"
#include "nomu/core/error.hpp"

namespace nomu {

std::unique_ptr<Engine> make_engine(const EngineOptions& options) {
  if (options.device == "cpu") return engine::cpu::make(options);
  if (options.device == "reference") return engine::reference::make();
  if (options.device == "cuda") return engine::cuda::make(options);
  if (options.device == "auto") {
    return engine::cuda::info().available ? engine::cuda::make(options) : engine::cpu::make(options);
  }
  throw ConfigError("engine", fmt::format("unknown device '{}'; there are auto, cpu, cuda, reference", options.device));
}

std::vector<EngineInfo> list_engines() {
  return {engine::cpu::info({}), engine::cuda::info(), engine::reference::info()};
}

}  // namespace nomu
