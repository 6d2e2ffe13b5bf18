#include "nomu/engine/engine.hpp"

#include <fmt/format.h>

#include <utility>

#include "engine/backend.hpp"
#include "engine/cpu/cpu.hpp"
#include "engine/cuda/cuda.hpp"
#include "engine/reference/reference.hpp"
#include "nomu/core/error.hpp"

namespace nomu {

namespace engine {

Backend& backend(Engine& engine) { return *engine.backend_; }

}  // namespace engine

namespace {

std::unique_ptr<engine::Backend> make_backend(const EngineOptions& options) {
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
  if (options.device == "auto") return gpu ? engine::cuda::make(options) : engine::cpu::make(options);
  throw ConfigError("engine", fmt::format("unknown device '{}'; there are auto, cpu, cuda, reference", options.device));
}

}  // namespace

Engine::Engine(std::unique_ptr<engine::Backend> backend) : backend_(std::move(backend)) {}
Engine::~Engine() = default;
bool is_accelerator(const EngineInfo& info) { return info.name == "cuda"; }

EngineInfo Engine::info() const { return backend_->info(); }

std::unique_ptr<Engine> make_engine(const EngineOptions& options) {
  return std::make_unique<Engine>(make_backend(options));
}

std::vector<EngineInfo> list_engines() {
  return {engine::cpu::info({}), engine::cuda::info({}), engine::reference::info()};
}

}  // namespace nomu
