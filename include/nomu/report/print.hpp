#pragma once
/// Writes the library's main objects to a stream, as in `std::cout << model`: one line each, except for a model, of
/// which it writes `Model::describe`.

#include <iosfwd>

#include "nomu/bo/study.hpp"
#include "nomu/core/prediction.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/eval/calibration.hpp"
#include "nomu/eval/metrics.hpp"
#include "nomu/models/model.hpp"

namespace nomu {

std::ostream& operator<<(std::ostream& out, const EngineInfo& engine);
std::ostream& operator<<(std::ostream& out, const LinearConstraint& constraint);
std::ostream& operator<<(std::ostream& out, const MetricsReport& metrics);
/// What `Model::describe` says.
std::ostream& operator<<(std::ostream& out, const Model& model);
std::ostream& operator<<(std::ostream& out, const Optimum& optimum);
/// Their number and the first: there may be millions.
std::ostream& operator<<(std::ostream& out, const PredictedRows& rows);
/// Its shape and its first row.
std::ostream& operator<<(std::ostream& out, const Prediction& prediction);
std::ostream& operator<<(std::ostream& out, const Space& space);
std::ostream& operator<<(std::ostream& out, const StudyStatus& status);
std::ostream& operator<<(std::ostream& out, const Trial& trial);
std::ostream& operator<<(std::ostream& out, const Variable& variable);

}  // namespace nomu
