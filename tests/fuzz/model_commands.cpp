#include "model_commands.hpp"

#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "many_changes.hpp"
#include "nomu/interchange/attach.hpp"
#include "nomu/interchange/onnx.hpp"
#include "nomu/models/adapt.hpp"
#include "nomu/models/archive.hpp"
#include "nomu/models/assess.hpp"
#include "nomu/models/targets.hpp"
#include "nomu/report/model_report.hpp"

namespace nomu {
namespace {

const std::shared_ptr<Engine>& one_thread() {
  static const std::shared_ptr<Engine> one = make_engine({.device = "cpu", .threads = 1});
  return one;
}

/// The network that the bounds among the seeds belong to.
const std::shared_ptr<const OnnxNetwork>& network() {
  static const std::shared_ptr<const OnnxNetwork> one = load_onnx(NOMU_GOLDEN_DIR "/onnx/torch_relu.onnx");
  return one;
}

void add_missing_column(Table& table, const std::string& name, const std::vector<std::string>& cells) {
  if (!table.has_column(name)) table.add_column(name, cells);
}

/// Adds the columns that the model reads: usual cells, extreme ones and missing ones.
void add_columns(const Model& model, Table& table) {
  for (const FeatureColumn& column : model.data().features) {
    std::vector<std::string> cells;
    switch (column.kind) {
      case ColumnKind::number: cells = {"0.5", "-1e30", ""}; break;
      case ColumnKind::names: cells = {column.levels.empty() ? "a" : column.levels.front(), "other", ""}; break;
      case ColumnKind::boolean: cells = {"yes", "no", ""}; break;
      case ColumnKind::date: cells = {"2021-05-06", "1921-05-06T10:00", ""}; break;
    }
    add_missing_column(table, column.name, cells);
  }
  add_missing_column(table, model.data().target_name, {"1", "2", ""});
  if (!model.data().noise_name.empty()) add_missing_column(table, model.data().noise_name, {"0.5", "0", "1"});
  if (!model.data().strata_name.empty()) add_missing_column(table, model.data().strata_name, {"red", "other", ""});
}

Table rows_for(std::span<const Model> models) {
  Table table("rows");
  for (const Model& model : models) add_columns(model, table);
  return table;
}

Table rows_for(const Model& model) { return rows_for({&model, 1}); }

/// Bounds of a network, which are read and written together with it.
bool is_attached(const Model& model) { return model.fitted().state().has("feature_scale"); }

int use(const Model& model) {
  const std::optional<double> level = model.default_level();
  int count = answered("show", [&] {
    (void)model.describe();
    (void)model_json(model);
  });
  const std::vector<double> probabilities = {0.1, 0.5, 0.95};
  count += answered("predict", [&] { (void)predict_table(model, rows_for(model), level, probabilities); });
  count += answered("predict rows", [&] {
    const std::size_t known = model.data().noise.empty() ? 0 : 2;
    (void)model.predict(std::vector<double>(2 * model.cols(), 0.5), std::vector<double>(known, 0.5));
    (void)model.raw_sigma(std::vector<double>(2 * model.cols(), 0.5));
  });
  count += answered("adapt", [&] { (void)predict_adapting(model, rows_for(model), level.value_or(0.5)); });
  count += answered("evaluate", [&] {
    const DataSet rows = labelled_rows(model, rows_for(model), true);
    (void)evaluate(model, rows, level);
    (void)seen_rows(model, rows);
  });
  count += answered("evaluate held out", [&] {
    (void)held_out_metrics(model);
    (void)judge_trust(model);
  });
  count += answered("calibrate", [&] {
    (void)calibrated(model, labelled_rows(model, rows_for(model), true), {.kind = CalibrationChoice::nll});
  });
  count += answered("export", [&] {
    (void)(is_attached(model) ? pack_attached(*network(), model, level) : pack_onnx(model, level));
  });
  count += answered("report", [&] {
    ModelReportSpec spec;
    spec.check = CheckSpec{.probes = 8, .refit = false};
    (void)render_report(report_subject(model, spec));
  });
  return count;
}

int use_all(const TargetModels& models) {
  const std::optional<double> level = models.default_level();
  const auto rows = [&] { return rows_for(models.models()); };
  int count = answered("show targets", [&] { (void)models.describe(); });
  count += answered("predict targets", [&] {
    (void)predict_table(models, rows(), level, std::vector<double>{0.1, 0.9});
  });
  count += answered("predict --joint", [&] { (void)predict_table(models, rows(), level, {}, true); });
  count += answered("evaluate targets", [&] { (void)evaluate(models, labelled_rows(models, rows(), true), level); });
  count += answered("calibrate targets",
                    [&] { (void)calibrated(models, labelled_rows(models, rows(), true), {.calibration = "nll"}); });
  return count;
}

int run_targets(std::string_view bytes) {
  std::optional<TargetModels> models;
  int count = answered("load targets", [&] { models.emplace(unpack_targets(bytes, "changed", one_thread())); });
  if (!models) return count;
  count += answered("save targets", [&] {
    const std::string packed = pack_targets(*models);
    if (pack_targets(unpack_targets(packed, "again", one_thread())) != packed)
      throw std::logic_error("a file that was read is written in another way");
  });
  return count + use_all(*models) + use(models->models().back());
}

}  // namespace

int run_commands(std::string_view bytes) {
  if (holds_targets(bytes)) return run_targets(bytes);
  std::optional<Model> model;
  int count = answered("load", [&] { model.emplace(unpack_model(bytes, "changed", one_thread())); });
  if (!model && onnx_available())
    count = answered("load with a network",
                     [&] { model.emplace(unpack_bounds(bytes, "changed", network(), one_thread())); });
  if (!model) return count;
  count += answered("save", [&] {
    const std::string packed = pack_model(*model);
    const Model again = is_attached(*model) ? unpack_bounds(packed, "again", network(), one_thread())
                                            : unpack_model(packed, "again", one_thread());
    if (pack_model(again) != packed) throw std::logic_error("a file that was read is written in another way");
  });
  return count + use(*model);
}

}  // namespace nomu
