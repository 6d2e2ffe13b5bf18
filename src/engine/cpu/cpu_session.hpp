#pragma once
// A training session of the CPU engine: crews of threads train members side by side.

#include <memory>
#include <vector>

#include "core/team.hpp"
#include "engine/cpu/crews.hpp"
#include "engine/cpu/step.hpp"
#include "engine/session.hpp"

namespace nomu::engine::cpu {

/// Number of rows in the largest step of any member.
[[nodiscard]] std::size_t most_rows(const TrainPlan& plan);

/// Bytes of a session: what every member stores, and the buffers of the steps in progress.
[[nodiscard]] std::size_t session_bytes(const TrainPlan& plan, const Program& program, std::size_t threads);

class CpuSession final : public Session {
 public:
  CpuSession(const TrainPlan& plan, Team& team, const Kernels& kernels, Multiply multiply);

  void run(std::int64_t epochs, const std::stop_token& stop) override;
  [[nodiscard]] Tensor<float> forward(const Tensor<float>& x, DropoutPass dropout) const override;
  [[nodiscard]] Tensor<float> parameters() const override;
  [[nodiscard]] const std::vector<MemberReport>& reports() const override { return reports_; }
  [[nodiscard]] TrainState state() const override;
  void restore(const TrainState& state) override;

 private:
  [[nodiscard]] MemberState first_state(const TrainPlan& plan, std::size_t m) const;
  void train(std::size_t m, std::int64_t epochs, const std::stop_token& stop, Workspace& workspace,
             const Runner& runner);
  void refresh_squares(MemberState& member) const;
  [[nodiscard]] const Floats& final_parameters(const MemberState& member) const;

  template <class Part>
  [[nodiscard]] Tensor<float> collect(const Part& part) const;

  TrainPlan plan_;  ///< without its rows, which the members have
  std::size_t rows_;
  Program program_;
  Team& team_;
  StepContext context_;
  Crews crews_;
  std::vector<MemberState> members_;
  std::vector<MemberReport> reports_;
  std::vector<std::unique_ptr<Workspace>> workspaces_;  ///< per crew, made by the thread that uses it
};

}  // namespace nomu::engine::cpu
