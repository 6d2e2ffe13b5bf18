#include "models/network/beside.hpp"

#include <algorithm>
#include <future>
#include <memory>

#include "engine/backend.hpp"

namespace nomu {
namespace {

/// Null if too few threads are idle, or if the engine cannot be used by two.
std::unique_ptr<Engine> engine_for_idle_threads(Engine& engine, std::size_t networks) {
  constexpr std::size_t worthwhile = 2;
  const auto threads = static_cast<std::size_t>(engine.info().threads);
  const std::size_t idle = threads - std::min(threads, networks);
  if (idle < worthwhile) return nullptr;
  std::unique_ptr<engine::Backend> second = engine::backend(engine).beside(idle);
  return second ? std::make_unique<Engine>(std::move(second)) : nullptr;
}

}  // namespace

void train_beside_each_other(Engine& engine, std::size_t networks, const Progress& progress,
                             const std::function<void()>& most,
                             const std::function<void(Engine& engine, const Progress& progress)>& rest) {
  const std::unique_ptr<Engine> second = engine_for_idle_threads(engine, networks);
  if (!second) {
    most();
    rest(engine, progress);
    return;
  }
  // Should `most` throw, the future waits for the other, which hears the same request to stop.
  std::future<void> beside =
      std::async(std::launch::async, [&] { rest(*second, Progress{.report = {}, .stop = progress.stop}); });
  most();
  beside.get();
}

}  // namespace nomu
