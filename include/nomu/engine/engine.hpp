#pragma once
/// Choosing the hardware that trains and predicts, and saying what is really in use.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nomu/core/tensor.hpp"

namespace nomu {

namespace engine {
struct TrainPlan;
struct Networks;
struct DropoutPass;
class Session;
}  // namespace engine

/// What an engine runs on. Recorded with every result.
struct EngineInfo {
  std::string name;      ///< "cpu", "reference", "cuda"
  std::string provider;  ///< who multiplies matrices: "onednn", "eigen", "plain loops", "tiles, resident"
  std::string isa;       ///< instruction set really used: "avx512", "avx2", "baseline", "sm_90"
  std::int64_t threads = 1;
  std::string device;  ///< the processor's own name
  bool available = true;
  std::string note;                ///< why it is not available, or what to know
  std::string precision = "fp32";  ///< of the matrix products: "fp32", "tf32", "fp64"
};

struct EngineOptions {
  std::string device = "auto";     ///< auto, cpu, reference or cuda
  std::int64_t threads = 0;        ///< 0: all cores this process may use
  std::string provider = "auto";   ///< auto; cpu: onednn or eigen; cuda: tiles (nothing stays in shared memory)
  std::string isa = "auto";        ///< auto, baseline, avx2 or avx512
  std::string precision = "fp32";  ///< of the matrix products: fp32, or tf32 on GPUs
};

/// The least time a step of one network (pair) could take here, measured; zeros where an engine does not measure it.
struct Roofline {
  double products_seconds = 0.0;  ///< its matrix products alone, in the fastest of several cuts
  double state_seconds = 0.0;     ///< one pass over parameters and moments
};

/// Trains and predicts. Results do not depend on the number of threads nor on what else is in the cohort.
class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  Engine(Engine&&) = delete;
  Engine& operator=(Engine&&) = delete;
  virtual ~Engine() = default;

  [[nodiscard]] virtual EngineInfo info() const = 0;

  /// Bytes that training the plan takes at its peak, before anything is allocated.
  [[nodiscard]] virtual std::size_t memory_needed(const engine::TrainPlan& plan) const = 0;

  /// How many of the plan's members can be trained at the same time; at least one.
  [[nodiscard]] virtual std::size_t members_at_once(const engine::TrainPlan& plan) const;

  /// Starts training a plan; throws ConfigError or DataError for an impossible one and DeviceError, naming the figure,
  /// for one that needs more memory than there is.
  [[nodiscard]] virtual std::unique_ptr<engine::Session> open(const engine::TrainPlan& plan) = 0;

  /// Network outputs [M][q][K] for x [1 or M][q][d] and parameters [M][1][P]; `seeds` [M] matter for dropout passes
  /// only.
  [[nodiscard]] virtual Tensor<float> predict(const engine::Networks& networks, const Tensor<float>& parameters,
                                              const Tensor<float>& x, const engine::DropoutPass& dropout,
                                              const std::vector<std::uint64_t>& seeds) = 0;

  /// Measures the floor under this plan's step on this machine, now.
  [[nodiscard]] virtual Roofline roofline(const engine::TrainPlan& plan) = 0;
};

/// The engine the options ask for; throws ConfigError for unknown names, DeviceError where it is not available.
[[nodiscard]] std::unique_ptr<Engine> make_engine(const EngineOptions& options = {});

/// Every engine of this build with the provider and instruction set it would use here.
[[nodiscard]] std::vector<EngineInfo> list_engines();

}  // namespace nomu
