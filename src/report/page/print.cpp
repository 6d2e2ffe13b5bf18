#include "nomu/report/print.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ostream>

#include "nomu/core/counted.hpp"

namespace nomu {
namespace {

std::string trial_text(const Trial& trial) {
  std::string text =
      fmt::format("trial {} at [{}]: {}", trial.id, fmt::join(trial.point, ", "), state_name(trial.state));
  if (trial.value) text += fmt::format(", {}", *trial.value);
  if (!trial.reason.empty()) text += fmt::format(" ({})", trial.reason);
  return text;
}

std::string variable_text(const Variable& variable) {
  if (variable.kind == Variable::Kind::categorical)
    return fmt::format("{} of {}", variable.name, fmt::join(variable.choices, ", "));
  return fmt::format("{} from {} to {}{}{}{}{}", variable.name, variable.low, variable.high,
                     variable.unit.empty() ? "" : " ", variable.unit,
                     variable.kind == Variable::Kind::integer ? ", whole" : "", variable.log ? ", logarithmic" : "");
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const EngineInfo& engine) {
  return out << fmt::format("{} ({}, {}, {}, {}){}", engine.name, engine.provider, engine.isa,
                            counted(engine.threads, "thread"), engine.precision,
                            engine.available ? "" : ", not available: " + engine.note);
}

std::ostream& operator<<(std::ostream& out, const LinearConstraint& constraint) {
  if (constraint.at_least) out << fmt::format("{} <= ", *constraint.at_least);
  std::string separator;
  for (const LinearConstraint::Term& term : constraint.terms) {
    out << separator << fmt::format("{} {}", term.coefficient, term.variable);
    separator = " + ";
  }
  return constraint.at_most ? out << fmt::format(" <= {}", *constraint.at_most) : out;
}

std::ostream& operator<<(std::ostream& out, const MetricsReport& metrics) {
  return out << fmt::format("{}: RMSE {:.4g}, NLL {:.4g}, CRPS {:.4g}, sharpness {:.4g}", counted(metrics.rows, "row"),
                            metrics.rmse, metrics.nll, metrics.crps, metrics.sharpness);
}

std::ostream& operator<<(std::ostream& out, const Model& model) { return out << model.describe(); }

std::ostream& operator<<(std::ostream& out, const Optimum& optimum) {
  return out << fmt::format("{} at [{}] after {}", optimum.value, fmt::join(optimum.point, ", "),
                            counted(optimum.trials.size(), "trial"));
}

std::ostream& operator<<(std::ostream& out, const PredictedRows& rows) {
  out << fmt::format("{}", counted(rows.rows(), "predicted row"));
  if (rows.rows() == 0) return out;
  return out << fmt::format(", the first {:.4g} +- {:.4g}{}", rows.mean[0], rows.sigma_model[0],
                            rows.sigma_noise.empty() ? "" : fmt::format(", noise {:.4g}", rows.sigma_noise[0]));
}

std::ostream& operator<<(std::ostream& out, const Prediction& prediction) {
  out << fmt::format("prediction of {} by {}", counted(prediction.mean.rows(), "row"),
                     counted(prediction.mean.members(), "member"));
  if (prediction.mean.members() == 0 || prediction.mean.rows() == 0) return out;
  return out << fmt::format(", the first {:.4g} +- {:.4g}{}", prediction.mean(0, 0, 0), prediction.sigma_model(0, 0, 0),
                            prediction.sigma_noise.size() == 0 ? "" : ", noise modelled");
}

std::ostream& operator<<(std::ostream& out, const Space& space) {
  std::string separator;
  for (const Variable& variable : space.variables()) {
    out << separator << variable_text(variable);
    separator = "; ";
  }
  return out;
}

std::ostream& operator<<(std::ostream& out, const StudyStatus& status) {
  out << fmt::format("{}: {} finished, {} failed, {} pending", counted(status.trials, "trial"), status.finished,
                     status.failed, status.pending);
  return status.best_result ? out << "; best result " << trial_text(*status.best_result) : out;
}

std::ostream& operator<<(std::ostream& out, const Trial& trial) { return out << trial_text(trial); }

std::ostream& operator<<(std::ostream& out, const Variable& variable) { return out << variable_text(variable); }

}  // namespace nomu
