#include "engine/predictor.hpp"

namespace nomu::engine {

Tensor<float> RepeatedPredictions::operator()(Engine& engine, const Networks& networks, const Tensor<float>& parameters,
                                              const Tensor<float>& x, const DropoutPass& dropout,
                                              const std::vector<std::uint64_t>& seeds) {
  Backend& backend = engine::backend(engine);
  if (!backend.has_own_memory()) return backend.predict(networks, parameters, x, dropout, seeds);
  const std::scoped_lock lock(mutex_);
  if (asked_ && kept_ == nullptr) kept_ = backend.keep(networks, parameters);
  asked_ = true;
  return kept_ != nullptr ? kept_->predict(x, dropout, seeds)
                          : backend.predict(networks, parameters, x, dropout, seeds);
}

}  // namespace nomu::engine
