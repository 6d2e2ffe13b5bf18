#pragma once
/// Chooses the hardware that trains and predicts, and says what is in use.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace nomu {

class Engine;

namespace engine {
class Backend;
[[nodiscard]] Backend& backend(Engine& engine);
}  // namespace engine

/// What an engine runs on. Recorded with every result.
struct EngineInfo {
  std::string name;      ///< "cpu", "reference", "cuda"
  std::string provider;  ///< what multiplies matrices: "onednn", "eigen", "plain loops", "tiles, resident"
  std::string isa;       ///< the instruction set in use: "avx512", "avx2", "baseline", "sm_90"
  std::int64_t threads = 1;
  std::string device;  ///< the processor's own name
  bool available = true;
  std::string note;                ///< why it is not available, or what else to know
  std::string precision = "fp32";  ///< of the matrix products: "fp32", "tf32", "fp64"
};

/// Whether it is an accelerator apart from the host.
[[nodiscard]] bool is_accelerator(const EngineInfo& info);

struct EngineOptions {
  std::string device = "auto";     ///< auto, cpu, reference or cuda
  std::int64_t threads = 0;        ///< most to use; 0: as many as there are processors for this process
  std::string provider = "auto";   ///< auto; cpu: onednn or eigen; cuda: tiles (nothing stays in shared memory)
  std::string isa = "auto";        ///< auto, baseline, avx2 or avx512
  std::string precision = "fp32";  ///< of the matrix products: fp32, or tf32 on GPUs
};

/// Trains and predicts: models are fitted on an engine and keep using it. Results depend neither on the number of
/// threads nor on what else is in the cohort. `make_engine` makes one.
class Engine {
 public:
  /// For the library's own use.
  explicit Engine(std::unique_ptr<engine::Backend> backend);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  Engine(Engine&&) = delete;
  Engine& operator=(Engine&&) = delete;
  ~Engine();

  [[nodiscard]] EngineInfo info() const;

 private:
  friend engine::Backend& engine::backend(Engine& engine);

  std::unique_ptr<engine::Backend> backend_;
};

/// The engine the options ask for; throws ConfigError for unknown names, DeviceError if it is not available.
[[nodiscard]] std::unique_ptr<Engine> make_engine(const EngineOptions& options = {});

/// Every engine of this build with the provider and instruction set it would use here.
[[nodiscard]] std::vector<EngineInfo> list_engines();

}  // namespace nomu
