#pragma once
// The engines under test: every provider and instruction set this machine can run, and CUDA where there is a GPU.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/backend.hpp"
#include "engine/cpu/kernels/gemm.hpp"
#include "engine/cpu/kernels/kernels.hpp"
#include "nomu/engine/engine.hpp"

namespace nomu {

/// How gtest names an engine in its messages.
// NOLINTNEXTLINE(readability-identifier-naming): the name is gtest's
inline void PrintTo(const EngineOptions& options, std::ostream* out) {
  *out << options.device << " " << options.provider << " " << options.isa;
}

}  // namespace nomu

namespace nomu::engine::testing {

inline std::vector<EngineOptions> engines_under_test() {
  std::vector<EngineOptions> engines;
  for (const std::string_view isa : cpu::usable_isas()) {
    if (cpu::onednn_provider() != nullptr && engines.empty()) {
      engines.push_back({.device = "cpu", .threads = 2, .provider = "onednn", .isa = std::string(isa)});
    }
    engines.push_back({.device = "cpu", .threads = 2, .provider = "eigen", .isa = std::string(isa)});
  }
  // Small networks stay in shared memory; "tiles" sends them the way of the large ones.
  engines.push_back({.device = "cuda", .threads = 1, .provider = "auto", .isa = "auto"});
  engines.push_back({.device = "cuda", .threads = 1, .provider = "tiles", .isa = "auto"});
  return engines;
}

/// With the products of TF32, whose tolerances are wider.
inline std::vector<EngineOptions> engines_and_precisions() {
  std::vector<EngineOptions> engines = engines_under_test();
  engines.push_back({.device = "cuda", .threads = 1, .provider = "tiles", .isa = "auto", .precision = "tf32"});
  return engines;
}

inline std::string engine_name(const EngineOptions& options) {
  if (options.precision == "tf32") return "cuda_tf32";
  if (options.device == "cuda") return options.provider == "auto" ? "cuda" : "cuda_" + options.provider;
  return options.device + "_" + options.provider + "_" + options.isa;
}

/// The engine, or nullptr with a skip on record where this machine has none.
inline std::unique_ptr<Engine> open_engine(const EngineOptions& options) {
  if (options.device == "cuda") {
    for (const EngineInfo& info : list_engines()) {
      if (info.name == "cuda" && !info.available) return nullptr;
    }
  }
  return make_engine(options);
}

class OnEveryEngine : public ::testing::TestWithParam<EngineOptions> {
 protected:
  void SetUp() override {
    engine_ = open_engine(GetParam());
    if (engine_ == nullptr) GTEST_SKIP() << "CUDA is not available here: this test did not run on a GPU";
    backend_ = &backend(*engine_);
  }
  // NOLINTBEGIN(misc-non-private-member-variables-in-classes): the tests' own
  std::unique_ptr<Engine> engine_;
  Backend* backend_ = nullptr;
  // NOLINTEND(misc-non-private-member-variables-in-classes)
};

#define NOMU_ON_THESE_ENGINES(suite, engines)                            \
  INSTANTIATE_TEST_SUITE_P(Engines, suite, ::testing::ValuesIn(engines), \
                           [](const auto& tested) { return ::nomu::engine::testing::engine_name(tested.param); })
#define NOMU_ON_EVERY_ENGINE(suite) NOMU_ON_THESE_ENGINES(suite, ::nomu::engine::testing::engines_under_test())
#define NOMU_ON_EVERY_PRECISION(suite) NOMU_ON_THESE_ENGINES(suite, ::nomu::engine::testing::engines_and_precisions())

}  // namespace nomu::engine::testing
