#pragma once
// Measures the training step of an engine, and the least time that its matrix products and memory traffic allow.

#include <cstdint>
#include <string>
#include <vector>

#include "nomu/core/fields.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/engine/engine.hpp"

namespace nomu {

/// One case: a network, its rows, and how often the step is repeated. Read from benchmarks/cases/*.toml.
struct BenchmarkSpec {
  enum class Method { nomu, mlp };
  enum class Link { coupled, stopped };
  enum class Kept { last, after_update, exact };

  std::string name = "case";
  std::string title;
  Method method = Method::nomu;
  Link gradient = Link::stopped;
  std::int64_t inputs = 1;
  std::vector<std::int64_t> hidden{1024, 1024, 1024};
  std::int64_t rows = 8;
  std::int64_t augment = 0;
  std::int64_t batch_size = 0;  ///< rows per step; 0: all. Otherwise a step is a batch and an epoch has several
  double dropout = 0.0;
  double clip_norm = 0.0;
  Kept snapshot = Kept::last;
  std::int64_t members = 1;
  std::int64_t steps = 16;
  std::int64_t repeats = 5;
};

[[nodiscard]] Fields fields_of(BenchmarkSpec& spec);

/// Times are medians over the repeats, in microseconds per step of one network (pair).
struct BenchmarkReport {
  EngineInfo engine;
  double us_per_network_step = 0.0;
  double gflops = 0.0;           ///< matrix products only
  double roofline_us = 0.0;      ///< products_us + state_us; 0: not measured
  double products_us = 0.0;      ///< the same matrix products with nothing between them
  double state_us = 0.0;         ///< one pass over parameters and moments
  std::size_t memory_bytes = 0;  ///< what the engine says the plan takes
  double last_loss = 0.0;
};

/// Trains the case on `engine`; the roofline is measured in the same call, alternating with the training.
[[nodiscard]] BenchmarkReport run_benchmark(const BenchmarkSpec& spec, Engine& engine, const Progress& progress = {});

}  // namespace nomu
