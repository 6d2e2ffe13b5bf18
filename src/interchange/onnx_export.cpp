#include <onnx/onnx_pb.h>

#include "interchange/graph/bayesian_graph.hpp"
#include "interchange/graph/bounds_graph.hpp"
#include "interchange/graph/scaling_graph.hpp"
#include "interchange/onnx_file.hpp"
#include "nomu/core/file.hpp"
#include "nomu/interchange/onnx.hpp"

namespace nomu {
namespace {

constexpr std::int64_t ir_version = 7;  ///< the version released with the operator set

void add_output(onnx::GraphProto& proto, GraphWriter& graph, const GraphValue& value, const char* name) {
  graph.name_output(graph.to_float(graph.reshape(value, {-1, 1})), name);
  describe_rows(*proto.add_output(), name, 1);
}

}  // namespace

bool onnx_available() { return true; }

std::string pack_onnx(const Model& model, std::optional<double> wanted) {
  const std::optional<double> level = wanted ? wanted : model.default_level();
  if (level) (void)guaranteed_coverage(model.calibration(), *level);  // throws if the calibration does not support it
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
  const GraphValue x = add_input_scaling(graph, {"x"}, scalings);
  GraphPrediction members = add_target_scaling(graph, add_method(graph, model, x), scalings);
  if (!model.data().noise.empty()) {
    describe_rows(*proto.add_input(), "noise", 1);
    members.sigma_noise = constant_like(graph, graph.to_double({"noise"}), members.mean);
  }
  const GraphBounds bounds = add_bounds(graph, members, model.calibration(), scalings, level);
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
