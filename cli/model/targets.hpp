#pragma once
// The commands about models, for files that hold several targets.

#include <optional>
#include <string>
#include <vector>

#include "model/model_output.hpp"
#include "model/report_output.hpp"
#include "nomu/models/targets.hpp"

namespace nomu::cli {

/// "a,b" as the names of columns; one name if the table has a column that is called so.
[[nodiscard]] std::vector<std::string> target_list(const std::string& text, const Table& table);

/// What `nomu fit` says about the models.
void print_targets_fit(const TargetModels& models, const std::string& out, double seconds, bool json);

/// The page of each target: m.html becomes m.a.html. A name is never more than a part of a file's name, whatever
/// characters it has, and no two targets get the same file.
[[nodiscard]] std::vector<ReportOutput> reports_of(const ReportOutput& all, const std::vector<std::string>& targets);

/// Scores by target, and how often all targets were inside. `rows`: those of each target.
void print_evaluation(const TargetModels& models, const TargetsEvaluation& result, const std::vector<DataSet>& rows,
                      bool json);

/// Calibration by target, and of all targets at once.
[[nodiscard]] nlohmann::json targets_json(const TargetModels& models);

}  // namespace nomu::cli
