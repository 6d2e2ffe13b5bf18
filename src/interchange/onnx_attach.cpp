#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <array>
#include <set>

#include "interchange/graph/bounds_graph.hpp"
#include "interchange/graph/network_graph.hpp"
#include "interchange/graph/readout_graph.hpp"
#include "interchange/onnx_file.hpp"
#include "models/attached/fitted_sigma.hpp"
#include "models/attached/foreign_plan.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"
#include "nomu/interchange/attach.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "interchange/onnx";

/// A prefix that no name in the graph starts with.
std::string free_prefix(const onnx::GraphProto& graph) {
  std::set<std::string> names = value_names(graph);
  for (const onnx::NodeProto& node : graph.node()) names.insert(node.name());
  std::string prefix = "nomu_";
  while (std::ranges::any_of(names, [&](const std::string& name) { return name.starts_with(prefix); })) prefix += "_";
  return prefix;
}

NomuSpec spec_of(const OnnxNetwork& network, const Model& model, const FittedState& state) {
  const std::size_t rows = state.count("rows");
  return beside(resolved(std::get<NomuSpec>(model.spec().method), rows, network.inputs()), network);
}

/// Adds the sigma networks, which read values of the original graph: the same computation as FittedSigma.
class AttachedGraph {
 public:
  AttachedGraph(GraphWriter& graph, const OnnxNetwork& network, const Model& model)
      : graph_(graph),
        network_(network),
        members_(model.fitted().members()),
        state_(model.fitted().state()),
        spec_(spec_of(network, model, state_)),
        inputs_(foreign_inputs(spec_, network)),
        scaling_(ForeignScale{.inputs = state_.find(foreign_inputs_block, 2 * network.inputs()),
                              .target = state_.find(foreign_target_block, 2)}
                     .scaling()),
        parts_(parts_of(spec_, members_, state_)) {}

  [[nodiscard]] GraphPrediction predict() const {
    const GraphValue factor = graph_.number(scaling_.target.factor[0]);
    const GraphValue mean = graph_.to_double(graph_.reshape({network_.info().output}, {1, 1, -1, 1}));
    const GraphValue features = scaled_features();
    const GraphValue wide = with_inputs(features);
    const GraphMixture mixture(graph_, parts_.members, parts_.weight);
    const auto average = [&](const GraphValue& sigma) {
      const GraphValue one = parts_.parts > 1 ? graph_.root(mixture.mean(graph_.square(sigma))) : sigma;
      return graph_.rounded(graph_.multiply(one, factor));
    };
    GraphPrediction prediction{.mean = each_member(mean), .sigma_model = {}};
    prediction.sigma_model = average(add_readout(graph_, spec_.readout, raw_sigma(wide, features)));
    if (spec_.noise == Noise::learned) {
      const GraphValue scaled = graph_.rounded(
          graph_.divide(graph_.subtract(prediction.mean, graph_.number(scaling_.target.shift[0])), factor));
      const GraphValue reads = skipped_by_noise(spec_, inputs_) > 0 ? features : wide;
      prediction.sigma_noise = average(add_noise(graph_, raw_noise(reads, scaled), spec_.noise_floor));
    }
    return prediction;
  }

 private:
  [[nodiscard]] static GraphParts parts_of(const NomuSpec& spec, std::size_t members, const FittedState& state) {
    const Tensor<float>& kept = state.find(foreign_kept_block, members * static_cast<std::size_t>(spec.ensemble));
    return weighted_parts(members, std::vector<double>(kept.flat().begin(), kept.flat().end()));
  }

  /// Repeats [1][1][n][...] for each member.
  [[nodiscard]] GraphValue each_member(const GraphValue& value) const {
    if (members_ == 1) return value;
    const std::vector<double> zeros(members_, 0.0);
    return graph_.add(value, graph_.doubles("zeros", zeros, {static_cast<std::int64_t>(members_), 1, 1, 1}));
  }

  [[nodiscard]] GraphValue scaled_features() const {
    const auto count = static_cast<std::int64_t>(network_.features());
    const Tensor<float>& scale = state_.find(foreign_features_block, members_ * network_.features());
    const GraphValue flat = graph_.reshape({network_.info().features}, {1, 1, -1, count});
    return graph_.to_double(graph_.divide(
        flat, graph_.floats("feature_scale", scale.flat(), {static_cast<std::int64_t>(members_), 1, 1, count})));
  }

  [[nodiscard]] GraphValue with_inputs(const GraphValue& features) const {
    if (inputs_ == 0) return features;
    const GraphValue flat = graph_.reshape({network_.info().input}, {-1, static_cast<std::int64_t>(inputs_)});
    const GraphValue x = add_input_scaling(graph_, flat, {&scaling_, 1});
    const GraphValue both[] = {each_member(graph_.to_double(x)), features};
    return graph_.concat(both, 3);
  }

  /// Net 0 of the plan only passes the features on; here they are given directly.
  [[nodiscard]] GraphValue raw_sigma(const GraphValue& wide, const GraphValue& features) const {
    const engine::Layout layout =
        engine::make_layout(foreign_sigma_networks(spec_, inputs_, network_.features()), LossKind::nomu);
    return second_output(layout, foreign_parameters_block, wide, {{0, features}, {1, features}});
  }

  [[nodiscard]] GraphValue raw_noise(const GraphValue& reads, const GraphValue& mean) const {
    const std::size_t inputs = inputs_ + network_.features() - skipped_by_noise(spec_, inputs_);
    const engine::Layout layout = engine::make_layout(foreign_noise_networks(spec_, inputs), LossKind::gaussian_nll);
    const GraphValue both[] = {reads, mean};
    return second_output(layout, foreign_noise_block, graph_.concat(both, 3), {{0, mean}, {1, mean}});
  }

  [[nodiscard]] GraphValue second_output(const engine::Layout& layout, const char* name, const GraphValue& x,
                                         const GivenLayers& given) const {
    const Tensor<float>& parameters =
        state_.find(name, members_ * static_cast<std::size_t>(spec_.ensemble) * layout.parameters);
    return add_networks(graph_, layout, parameters, parts_, x, {}, given).outputs[1];
  }

  GraphWriter& graph_;
  const OnnxNetwork& network_;
  std::size_t members_;
  FittedState state_;
  NomuSpec spec_;
  std::size_t inputs_;  ///< inputs that the sigma networks read in addition to the features
  MemberScaling scaling_;
  GraphParts parts_;
};

}  // namespace

std::string pack_attached(const OnnxNetwork& network, const Model& model, std::optional<double> wanted) {
  const std::optional<double> level = wanted ? wanted : model.default_level();
  if (level) (void)guaranteed_coverage(model.calibration(), *level);  // throws if the calibration does not support it
  onnx::ModelProto file;
  if (!file.ParseFromString(network.file())) throw DataError(where, "this is not an ONNX file");
  onnx::GraphProto& proto = *file.mutable_graph();
  const std::string output = network.info().output;
  modernise(file, network.info().input, network.info().output_axes);
  add_model_notes(file, model, level);
  add_note(file, "nomu.features", network.info().features);

  GraphWriter graph(proto, network.info().opset, free_prefix(proto));
  const GraphPrediction members = AttachedGraph(graph, network, model).predict();
  const GraphBounds bounds = add_bounds(graph, members, model.calibration(), model.parts().scalings.size(), level);
  const onnx::ValueInfoProto original = proto.output(0);
  proto.clear_output();
  const auto declare = [&](const std::string& name) {
    *proto.add_output() = original;
    proto.mutable_output(proto.output_size() - 1)->set_name(name);
  };
  if (output != "mean") graph.name_output({output}, "mean");
  declare("mean");
  const auto add_output = [&](const GraphValue& value, const char* name) {
    graph.name_output(graph.to_float(graph.reshape_like(value, {output})), name);
    declare(name);
  };
  add_output(bounds.sigma_model, "sigma_model");
  add_output(bounds.sigma_noise, "sigma_noise");
  if (bounds.lower) add_output(*bounds.lower, "lower");
  if (bounds.upper) add_output(*bounds.upper, "upper");
  if (checkable(file)) check_onnx(file);
  return onnx_bytes(file);
}

void save_attached(const OnnxNetwork& network, const Model& model, const std::filesystem::path& path,
                   std::optional<double> level) {
  write_file_atomically(path, pack_attached(network, model, level));
}

}  // namespace nomu
