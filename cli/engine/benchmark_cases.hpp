#pragma once
// The files of benchmarks/cases, built into the tool.

#include <string>
#include <vector>

namespace nomu::cli {

struct BenchmarkCase {
  std::string file;  ///< without extension
  std::string toml;
};

[[nodiscard]] const std::vector<BenchmarkCase>& benchmark_cases();

}  // namespace nomu::cli
