#pragma once
// The evaluation of one trial, which runs while the worker does other things.

#include <functional>
#include <memory>
#include <string>

#include "nomu/bo/trial.hpp"

namespace nomu {

struct EvaluationResult {
  double value = 0.0;
  std::string reason = {};  ///< why it failed; empty: `value` is the result
  bool cannot_run = false;  ///< no trial could be evaluated this way
  bool cancelled = false;   ///< the evaluation asked the worker to stop
};

class TrialEvaluation {
 public:
  TrialEvaluation() = default;
  TrialEvaluation(const TrialEvaluation&) = delete;
  TrialEvaluation& operator=(const TrialEvaluation&) = delete;
  TrialEvaluation(TrialEvaluation&&) = delete;
  TrialEvaluation& operator=(TrialEvaluation&&) = delete;
  virtual ~TrialEvaluation() = default;

  /// Whether it has ended; does not wait.
  [[nodiscard]] virtual bool ended() = 0;
  /// Only after it has ended.
  [[nodiscard]] virtual EvaluationResult result() const = 0;
  /// Asks it to end, and does not wait. A command that ends after that has no result that counts.
  virtual void interrupt() {}
  /// Ends it as soon as possible; returns whether it has a result that counts.
  virtual bool stop() = 0;
  /// Seconds since it began.
  [[nodiscard]] virtual double seconds() const = 0;
};

using StartEvaluation = std::function<std::unique_ptr<TrialEvaluation>(const Trial& trial)>;

}  // namespace nomu
