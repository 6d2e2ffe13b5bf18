#pragma once
// The rows of runs, drawn in parallel and kept for the next method that uses them.

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "paper/kinds/kind.hpp"

namespace nomu {

class RunDataSource {
 public:
  using Drawn = std::vector<std::shared_ptr<const RunData>>;

  RunDataSource(const ExperimentSpec& spec, const ExperimentKind& kind) : spec_(spec), kind_(kind) {}

  /// The rows of each run. Not safe to call concurrently.
  [[nodiscard]] Drawn draw(std::span<const ExperimentRun> runs);

  [[nodiscard]] static std::vector<const RunData*> pointers(const Drawn& drawn);

 private:
  const ExperimentSpec& spec_;
  const ExperimentKind& kind_;
  std::map<std::string, std::shared_ptr<const RunData>> kept_;  // by the data part of the key
  std::size_t numbers_ = 0;                                     // in `kept_`
};

}  // namespace nomu
