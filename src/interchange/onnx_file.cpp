#include "interchange/onnx_file.hpp"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>

#include <nlohmann/json.hpp>
#include <set>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

/// Drops the others and keeps the order, in one pass however many there are.
template <class Values, class Wanted>
void keep_if(Values& values, const Wanted& wanted) {
  int kept = 0;
  for (int i = 0; i < values.size(); ++i) {
    if (wanted(values[i])) values.SwapElements(kept++, i);
  }
  values.DeleteSubrange(kept, values.size() - kept);
}

}  // namespace

void describe_rows(onnx::ValueInfoProto& value, const std::string& name, std::size_t cols) {
  value.set_name(name);
  onnx::TypeProto::Tensor& type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::FLOAT);
  type.mutable_shape()->add_dim()->set_dim_param("rows");
  type.mutable_shape()->add_dim()->set_dim_value(static_cast<std::int64_t>(cols));
}

void add_note(onnx::ModelProto& model, const std::string& key, const std::string& text) {
  onnx::StringStringEntryProto& note = *model.add_metadata_props();
  note.set_key(key);
  note.set_value(text);
}

void add_model_notes(onnx::ModelProto& file, const Model& model, std::optional<double> level) {
  // Those of the network are about another model, and ONNX's checker refuses a key that occurs twice.
  keep_if(*file.mutable_metadata_props(),
          [](const onnx::StringStringEntryProto& note) { return !note.key().starts_with("nomu."); });
  add_note(file, "nomu.method", method_name(model.spec().method));
  add_note(file, "nomu.inputs", nlohmann::json(model.data().input_names).dump());
  add_note(file, "nomu.target", model.data().target_name);
  if (!level) return;
  const Calibration& calibration = model.calibration();
  if (!calibration.strata.empty()) {
    throw ConfigError("interchange/onnx",
                      "an ONNX file cannot hold bounds that depend on the names in a column; predict with nomu, or fit "
                      "without coverage by a column");
  }
  if (calibration.kind == CalibrationKind::cross_conformal && !calibration.score_units.empty()) {
    throw ConfigError("interchange/onnx",
                      "an ONNX file cannot hold CV+ bounds in which groups or equal inputs count once; fit with "
                      "calibration.policy = hold_out or calibration nll, or export without bounds");
  }
  add_note(file, "nomu.level", fmt::format("{}", *level));
  add_note(file, "nomu.guarantee", guarantee(model.calibration(), *level));
}

void modernise(onnx::ModelProto& file, const OnnxNetworkInfo& info) {
  constexpr std::int64_t least_ir = 4;  // from this version on constants need not be inputs
  onnx::GraphProto& graph = *file.mutable_graph();
  if (graph.name().empty()) graph.set_name("network");
  keep_if(*graph.mutable_output(), [&](const onnx::ValueInfoProto& output) { return output.name() == info.output; });
  onnx::TypeProto::Tensor& type = *graph.mutable_output(0)->mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::FLOAT);
  if (!type.has_shape()) {
    type.mutable_shape()->add_dim()->set_dim_param("rows");
    for (std::size_t i = 1; i < info.output_axes; ++i) type.mutable_shape()->add_dim()->set_dim_value(1);
  }
  if (file.ir_version() >= least_ir) return;
  file.set_ir_version(least_ir);
  std::set<std::string_view> real;
  for (const OnnxInput& input : info.inputs) real.insert(input.name);
  keep_if(*graph.mutable_input(), [&](const onnx::ValueInfoProto& input) { return real.contains(input.name()); });
}

bool checkable(const onnx::ModelProto& file) {
  constexpr std::int64_t most_opset = 17;
  constexpr std::int64_t most_ir = 8;
  for (const onnx::OperatorSetIdProto& set : file.opset_import()) {
    if ((set.domain().empty() || set.domain() == "ai.onnx") && set.version() > most_opset) return false;
  }
  return file.ir_version() <= most_ir;
}

void check_onnx(const onnx::ModelProto& model) {
  try {
    onnx::checker::check_model(model);
  } catch (const std::exception& error) {
    throw Error("interchange/onnx", fmt::format("ONNX's checker rejects the graph: {}", error.what()));
  }
}

std::string onnx_bytes(const onnx::ModelProto& model) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    if (!model.SerializeToCodedStream(&coded))
      throw Error("interchange/onnx", "the graph is larger than the 2 GB that one ONNX file can hold");
  }
  return bytes;
}

}  // namespace nomu
