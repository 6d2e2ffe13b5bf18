#include "bo/worker/command_evaluation.hpp"

#include <fmt/format.h>

#include "bo/worker/child_process.hpp"
#include "bo/worker/command_text.hpp"
#include "core/text/utf8.hpp"
#include "nomu/bo/trial_io.hpp"
#include "nomu/data/table_io.hpp"

namespace nomu {
namespace {

constexpr std::size_t longest_message = 2000;  // bytes of what a command said last

class CommandEvaluation : public TrialEvaluation {
 public:
  CommandEvaluation(const std::string& command, const std::string& input, const ChildEnvironment& environment)
      : process_(command, input, environment) {}

  [[nodiscard]] bool ended() override { return process_.poll(); }

  [[nodiscard]] EvaluationResult result() const override {
    const std::string message = shortened(last_line(process_.err()), longest_message);
    if (process_.not_found()) return {.reason = message, .cannot_run = true};
    if (const std::string failure = process_.failure(); !failure.empty()) {
      return {.reason = process_.err().empty() ? failure : failure + ": " + message};
    }
    const std::string line = last_line(process_.out());
    if (line.empty()) return {.reason = "printed nothing"};
    const CellValue value = read_cell(line);
    if (value.kind == CellKind::number) return {.value = value.number};
    return {.reason = fmt::format("its last line is not a finite number: '{}'", shortened(line, 200))};
  }

  void interrupt() override { process_.terminate(); }
  bool stop() override {
    process_.kill();
    return false;
  }

  [[nodiscard]] double seconds() const override { return process_.seconds(); }

 private:
  ChildProcess process_;
};

}  // namespace

StartEvaluation command_evaluations(const std::string& command, const Space& space) {
  // Substituting into some point finds unknown names before a trial is asked for.
  const Point middle = space.from_unit(std::vector<double>(space.size(), 0.5));
  (void)command_for(command, space, Trial{.id = 1, .point = middle});
  return [command, &space](const Trial& trial) -> std::unique_ptr<TrialEvaluation> {
    const std::string input = fmt::format("{{\"id\":{},\"point\":{}}}\n", trial.id, point_to_json(space, trial.point));
    const ChildEnvironment environment{.added = environment_for(space, trial), .removed = environment_names(space)};
    return std::make_unique<CommandEvaluation>(command_for(command, space, trial), input, environment);
  };
}

}  // namespace nomu
