#include <fmt/format.h>

#include "models/targets/same_rows.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/targets.hpp"

namespace nomu {
namespace {

/// The share of rows that lie inside the bounds of all targets.
double share_inside(std::span<const Bounds> bounds, std::span<const DataSet> rows) {
  std::size_t inside = 0;
  for (std::size_t i = 0; i < rows.front().rows(); ++i) {
    bool all = true;
    for (std::size_t t = 0; t < rows.size(); ++t) {
      const double y = rows[t].targets[i];
      all = all && bounds[t].lower[i] <= y && y <= bounds[t].upper[i];
    }
    inside += all ? 1 : 0;
  }
  return static_cast<double>(inside) / static_cast<double>(rows.front().rows());
}

}  // namespace

Table predict_table(const TargetModels& models, const Table& rows, std::optional<double> level,
                    std::span<const double> probabilities, bool joint) {
  if (joint && !level) throw ConfigError("models/targets", "joint bounds need a level");
  const std::vector<Bounds> boxes = joint ? models.joint_bounds(rows, *level) : std::vector<Bounds>{};
  Table table = rows;
  std::vector<std::string> outside;
  for (std::size_t t = 0; t < models.models().size(); ++t) {
    const Model& model = models.models()[t];
    const Table own = predict_table(model, rows, joint ? std::nullopt : level, probabilities);
    const std::vector<Column>& columns = own.columns();
    for (std::size_t j = rows.columns().size(); j < columns.size(); ++j) {
      const std::string& what = columns[j].name();
      std::vector<std::string> cells;
      for (std::size_t i = 0; i < columns[j].size(); ++i) cells.emplace_back(columns[j][i]);
      const std::string name = what + "_" + model.data().target_name;
      const bool last = j + 1 == columns.size();
      if (last) {
        outside = std::move(cells);  // the same for every target
      } else if (joint && what == "lower") {
        table.add_column(name, boxes[t].lower);
      } else if (joint && what == "upper") {
        table.add_column(name, boxes[t].upper);
      } else {
        table.add_column(name, cells);
      }
    }
  }
  table.add_column("outside", outside);
  return table;
}

TargetsEvaluation evaluate(const TargetModels& models, std::span<const DataSet> rows, std::optional<double> level) {
  check_same_rows(models, rows);
  TargetsEvaluation result;
  std::vector<Bounds> own;
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const Model& model = models.models()[t];
    result.targets.push_back(evaluate(model, rows[t], level));
    if (level) own.push_back(model.bounds(rows[t].inputs, *level, rows[t].noise, rows[t].strata));
  }
  if (!level) return result;
  result.all_inside = share_inside(own, rows);
  if (models.joint().kind != CalibrationKind::none) {
    const std::vector<Bounds> boxes = models.joint_bounds(rows.front().inputs, *level, rows.front().strata);
    result.joint_coverage = share_inside(boxes, rows);
  }
  return result;
}

}  // namespace nomu
