#include "bo/worker/function_evaluation.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

EvaluationResult evaluated(const std::function<double(const Trial&)>& evaluate, const Trial& trial) {
  try {
    const double value = evaluate(trial);
    if (std::isfinite(value)) return {.value = value};
    return {.reason = fmt::format("the value is {}", value)};
  } catch (const Cancelled&) {
    return {.cancelled = true};
  } catch (const std::exception& error) {
    return {.reason = error.what()};
  } catch (...) {
    return {.reason = "an exception of an unknown type"};
  }
}

class FunctionEvaluation : public TrialEvaluation {
 public:
  FunctionEvaluation(const std::function<double(const Trial&)>& evaluate, const Trial& trial)
      : thread_([this, evaluate, trial] {
          result_ = evaluated(evaluate, trial);
          ended_ = true;
        }) {}

  [[nodiscard]] bool ended() override { return ended_; }
  [[nodiscard]] EvaluationResult result() const override { return result_; }
  bool stop() override {
    if (thread_.joinable()) thread_.join();
    return !result_.cancelled;
  }
  [[nodiscard]] double seconds() const override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  EvaluationResult result_;
  std::atomic<bool> ended_ = false;
  std::jthread thread_;  // last: it uses what is above, and is joined first
};

}  // namespace

StartEvaluation function_evaluations(const std::function<double(const Trial&)>& evaluate) {
  return [evaluate](const Trial& trial) -> std::unique_ptr<TrialEvaluation> {
    return std::make_unique<FunctionEvaluation>(evaluate, trial);
  };
}

}  // namespace nomu
