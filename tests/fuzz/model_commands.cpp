#include "model_commands.hpp"

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "many_changes.hpp"
#include "nomu/interchange/attach.hpp"
#include "nomu/interchange/onnx.hpp"
#include "nomu/models/adapt.hpp"
#include "nomu/models/archive.hpp"
#include "nomu/models/assess.hpp"
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

/// A few rows with the columns that the model reads: usual cells, extreme ones and missing ones.
Table rows_for(const Model& model) {
  Table table("rows");
  for (const FeatureColumn& column : model.data().features) {
    std::vector<std::string> cells;
    switch (column.kind) {
      case ColumnKind::number: cells = {"0.5", "-1e30", ""}; break;
      case ColumnKind::names: cells = {column.levels.empty() ? "a" : column.levels.front(), "other", ""}; break;
      case ColumnKind::boolean: cells = {"yes", "no", ""}; break;
      case ColumnKind::date: cells = {"2021-05-06", "1921-05-06T10:00", ""}; break;
    }
    table.add_column(column.name, cells);
  }
  table.add_column(model.data().target_name, std::vector<std::string>{"1", "2", ""});
  if (!model.data().noise_name.empty())
    table.add_column(model.data().noise_name, std::vector<std::string>{"0.5", "0", "1"});
  return table;
}

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

}  // namespace

int run_commands(std::string_view bytes) {
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
