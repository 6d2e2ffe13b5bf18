#pragma once
// The evidence of a Gaussian process as a function of its log settings, and the search for its maximum.

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "models/gp/gp_posterior.hpp"
#include "nomu/models/gaussian_process.hpp"

namespace nomu {

/// Log evidence and its gradient with respect to the log settings (variance, lengths and, if learned, noise). Memory is
/// allocated up front, so an evaluation allocates nothing.
class GpEvidence {
 public:
  GpEvidence(const GpData& data, std::size_t lengths, bool learn_noise);

  [[nodiscard]] std::size_t settings() const { return lengths_ + 1 + (learn_noise_ ? 1 : 0); }

  /// -infinity if the kernel matrix cannot be factorised. `gradient` may be empty.
  [[nodiscard]] double operator()(std::span<const double> log_settings, std::span<double> gradient);

  [[nodiscard]] GpKernel kernel(std::span<const double> log_settings) const;

 private:
  void slopes(const GpKernel& kernel, std::span<double> gradient);

  const GpData& data_;
  std::size_t lengths_;
  bool learn_noise_;
  GpKernel kernel_;
  Matrix shape_, matrix_, factor_, inverse_;
  Vector weights_;
};

struct GpSearch {
  GpKernel kernel;
  std::vector<double> found;  ///< final log evidence of each start
  double first = 0.0;         ///< log evidence at the given start
  double best = 0.0;
  std::int64_t evaluations = 0;
};

/// Maximises the evidence from the given start and from spec.restarts log-uniform ones drawn from `seed`, up to
/// `threads` of them at a time.
[[nodiscard]] GpSearch maximise_evidence(const GpSpec& spec, const GpData& data, std::uint64_t seed,
                                         std::int64_t threads, const std::stop_token& stop);

}  // namespace nomu
