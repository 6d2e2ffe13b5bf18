#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>

#include "interchange/graph/bayesian_graph.hpp"
#include "interchange/graph/bounds_graph.hpp"
#include "interchange/graph/missing_graph.hpp"
#include "interchange/graph/scaling_graph.hpp"
#include "interchange/onnx_file.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"
#include "nomu/interchange/onnx.hpp"

namespace nomu {
namespace {

constexpr std::int64_t ir_version = 7;  ///< the version released with the operator set

void add_output(onnx::GraphProto& proto, GraphWriter& graph, const GraphValue& value, const char* name) {
  graph.name_output(graph.to_float(graph.reshape(value, {-1, 1})), name);
  describe_rows(*proto.add_output(), name, 1);
}

/// The graph reads and writes single precision, which holds no numbers beyond about 1e38 and no digits below 1e-38.
void require_size(const std::string& name, std::span<const double> values, std::size_t first, std::size_t cols) {
  constexpr double least = 1e-30;
  constexpr double most = 1e30;
  double largest = 0.0;
  for (std::size_t i = first; i < values.size(); i += cols) largest = std::max(largest, std::abs(values[i]));
  if (largest == 0.0 || (largest >= least && largest <= most)) return;
  throw ConfigError("interchange/onnx", fmt::format("the numbers of column '{}' (up to {}) are too {} for the single "
                                                    "precision of the graph; use another unit and fit again",
                                                    name, largest, largest > most ? "large" : "small"));
}

void require_sizes(const DataSet& data) {
  for (std::size_t j = 0; j < data.cols(); ++j) require_size(data.input_names[j], data.inputs, j, data.cols());
  require_size(data.target_name, data.targets, 0, 1);
}

}  // namespace

bool onnx_available() { return true; }

std::string pack_onnx(const Model& model, std::optional<double> wanted) {
  const std::optional<double> level = wanted ? wanted : model.default_level();
  if (level) (void)guaranteed_coverage(model.calibration(), *level);  // throws if the calibration does not support it
  require_sizes(model.data());
  onnx::ModelProto file;
  file.set_ir_version(ir_version);
  file.set_producer_name("nomu");
  file.set_producer_version(model.parts().version);
  file.add_opset_import()->set_version(onnx_opset);
  add_model_notes(file, model, level);

  onnx::GraphProto& proto = *file.mutable_graph();
  proto.set_name("nomu");
  describe_rows(*proto.add_input(), "x", model.cols());
  GraphWriter graph(proto, onnx_opset, "nomu_");
  const std::vector<MemberScaling>& scalings = model.parts().scalings;
  const GraphValue x = add_input_scaling(graph, add_stand_ins(graph, {"x"}, model.data()), scalings);
  GraphPrediction members = add_target_scaling(graph, add_method(graph, model, x), scalings);
  if (!model.data().noise.empty()) {
    describe_rows(*proto.add_input(), "noise", 1);
    members.sigma_noise = constant_like(graph, graph.to_double({"noise"}), members.mean);
  }
  GraphBounds bounds = add_bounds(graph, members, model.calibration(), scalings, level);
  move_into(graph, model.data().range, bounds);
  add_output(proto, graph, bounds.mean, "mean");
  add_output(proto, graph, bounds.sigma_model, "sigma_model");
  if (bounds.sigma_below) add_output(proto, graph, *bounds.sigma_below, "sigma_below");
  add_output(proto, graph, bounds.sigma_noise, "sigma_noise");
  if (bounds.lower) add_output(proto, graph, *bounds.lower, "lower");
  if (bounds.upper) add_output(proto, graph, *bounds.upper, "upper");
  check_onnx(file);
  return onnx_bytes(file);
}

void save_onnx(const Model& model, const std::filesystem::path& path, std::optional<double> level) {
  write_file_atomically(path, pack_onnx(model, level));
}

}  // namespace nomu
