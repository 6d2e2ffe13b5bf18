#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <set>

#include "engine/layout.hpp"
#include "interchange/graph/bounds_graph.hpp"
#include "interchange/graph/heads_graph.hpp"
#include "interchange/graph/network_graph.hpp"
#include "interchange/graph/readout_graph.hpp"
#include "interchange/graph/scaling_graph.hpp"
#include "interchange/onnx_file.hpp"
#include "interchange/onnx_names.hpp"
#include "models/attached/fitted_attached.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/private_file.hpp"
#include "nomu/interchange/attach.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "interchange/onnx";

/// The bounds of a model that was fitted for a network. Throws DataError for any other model, and for a warped target:
/// the mean is the network's own.
const FittedAttached& attached_of(const Model& model) {
  if (std::ranges::any_of(model.parts().scalings, [](const MemberScaling& s) { return s.warp.active(); }))
    throw DataError(where, "bounds attached to a network cannot be those of a warped target");
  if (const auto* fitted = dynamic_cast<const FittedAttached*>(&model.fitted())) return *fitted;
  throw DataError(where, "the model is not one of bounds attached to a network");
}

/// The graph of the attached networks, reading the original's own values: what FittedAttached computes.
class AttachedGraph {
 public:
  AttachedGraph(GraphWriter& graph, const OnnxNetworkInfo& info, const FittedAttached& fitted)
      : graph_(graph),
        info_(info),
        fitted_(fitted),
        members_(fitted.members()),
        parts_(weighted_parts(members_, weights_of(*fitted.attached().sigma))) {}

  [[nodiscard]] GraphPrediction predict() const {
    const Scaling& target = fitted_.scaling().target;
    const GraphValue factor = graph_.number(target.factor[0]);
    const GraphValue mean = graph_.to_double(graph_.reshape({info_.output}, {1, 1, -1, 1}));
    const GraphValue features = scaled_features();
    const GraphValue wide = with_inputs(features);
    const GraphMixture mixture(graph_, parts_.members, parts_.weight);
    const auto average = [&](const GraphValue& sigma) {
      const GraphValue one = parts_.parts > 1 ? graph_.root(mixture.mean(graph_.square(sigma))) : sigma;
      return graph_.rounded(graph_.multiply(one, factor));
    };
    GraphPrediction prediction{.mean = each_member(mean), .sigma_model = {}};
    const FittedNetwork& sigma = *fitted_.attached().sigma;
    // Net 0 of the plan only hands the features on; here they are at hand.
    const GraphValue raw = second_output(sigma, wide, {{0, features}, {1, features}});
    prediction.sigma_model = average(add_readout(graph_, sigma.design().outputs.readout, raw));
    if (fitted_.attached().noise) {
      const FittedNetwork& noise = *fitted_.attached().noise;
      const GraphValue scaled =
          graph_.rounded(graph_.divide(graph_.subtract(prediction.mean, graph_.number(target.shift[0])), factor));
      const GraphValue both[] = {fitted_.skipped_by_noise() > 0 ? features : wide, scaled};
      const GraphValue raw_noise = second_output(noise, graph_.concat(both, 3), {{0, scaled}, {1, scaled}});
      prediction.sigma_noise = average(add_noise(graph_, raw_noise, noise.design().outputs.noise_floor));
      if (!fitted_.attached().noise_heads.empty()) {
        const GraphHeads heads(graph_, fitted_.attached().noise_heads, single_parts(members_));
        const GraphValue distance = heads.distance(heads.share(prediction.sigma_model));
        prediction.sigma_noise = graph_.rounded(graph_.root(heads.noise(*prediction.sigma_noise, distance)));
      }
    }
    return prediction;
  }

 private:
  [[nodiscard]] static std::vector<double> weights_of(const FittedNetwork& sigma) {
    const auto weights = sigma.parts().weights.flat();
    return {weights.begin(), weights.end()};
  }

  /// Repeats [1][1][n][...] for each member.
  [[nodiscard]] GraphValue each_member(const GraphValue& value) const {
    if (members_ == 1) return value;
    const std::vector<double> zeros(members_, 0.0);
    return graph_.add(value, graph_.doubles("zeros", zeros, {static_cast<std::int64_t>(members_), 1, 1, 1}));
  }

  [[nodiscard]] GraphValue scaled_features() const {
    const Tensor<float>& scale = fitted_.attached().feature_scale;
    const auto count = static_cast<std::int64_t>(scale.cols());
    const GraphValue flat = graph_.reshape({info_.features}, {1, 1, -1, count});
    return graph_.to_double(graph_.divide(
        flat, graph_.floats("feature_scale", scale.flat(), {static_cast<std::int64_t>(members_), 1, 1, count})));
  }

  /// All inputs next to each other, as floats [rows][columns].
  [[nodiscard]] GraphValue rows() const {
    std::vector<GraphValue> parts;
    for (const OnnxInput& input : info_.inputs) {
      const GraphValue flat = graph_.reshape({input.name}, {-1, static_cast<std::int64_t>(input.size())});
      parts.push_back(input.whole ? graph_.to_float(flat) : flat);
    }
    return parts.size() == 1 ? parts[0] : graph_.concat(parts, 1);
  }

  [[nodiscard]] GraphValue with_inputs(const GraphValue& features) const {
    if (fitted_.inputs_read() == 0) return features;
    const GraphValue x = add_input_scaling(graph_, rows(), {&fitted_.scaling(), 1});
    const GraphValue both[] = {each_member(graph_.to_double(x)), features};
    return graph_.concat(both, 3);
  }

  [[nodiscard]] GraphValue second_output(const FittedNetwork& networks, const GraphValue& x,
                                         const GivenLayers& given) const {
    const engine::Layout layout = engine::make_layout(networks.design().networks, networks.design().loss);
    return add_networks(graph_, layout, networks.parts().parameters, parts_, x, {}, given).outputs[1];
  }

  GraphWriter& graph_;
  const OnnxNetworkInfo& info_;
  const FittedAttached& fitted_;
  std::size_t members_;
  GraphParts parts_;
};

/// Frees the names of the outputs: a value of the network that has one gets another, unless it is the mean itself.
void release_names(onnx::GraphProto& graph, OnnxNetworkInfo& info) {
  const std::set<std::string> names = value_names(graph);
  const std::string prefix = free_prefix(graph);
  for (const std::string_view name : attached_outputs) {
    if (!names.contains(std::string(name)) || (name == "mean" && info.output == name)) continue;
    const std::string other = fmt::format("{}own_{}", prefix, name);
    rename_value(graph, name, other);
    if (info.output == name) info.output = other;
    if (info.features == name) info.features = other;
  }
}

}  // namespace

std::string pack_attached(const OnnxNetwork& network, const Model& model, std::optional<double> wanted) {
  const std::optional<double> level = wanted ? wanted : model.default_level();
  if (level) (void)guaranteed_coverage(model.calibration(), *level);  // throws if the calibration does not support it
  onnx::ModelProto file;
  if (!file.ParseFromString(network.file())) throw DataError(where, "this is not an ONNX file");
  onnx::GraphProto& proto = *file.mutable_graph();
  OnnxNetworkInfo info = network.info();
  modernise(file, info);
  add_model_notes(file, model, level);
  add_note(file, "nomu.features", info.features);
  release_names(proto, info);

  GraphWriter graph(proto, info.opset, free_prefix(proto));
  const GraphPrediction members = AttachedGraph(graph, info, attached_of(model)).predict();
  GraphBounds bounds = add_bounds(graph, members, model.calibration(), model.parts().scalings, level);
  move_into(graph, model.data().range, bounds);  // the output `mean` stays the network's own
  const onnx::ValueInfoProto original = proto.output(0);
  proto.clear_output();
  const auto declare = [&](const std::string& name) {
    *proto.add_output() = original;
    proto.mutable_output(proto.output_size() - 1)->set_name(name);
  };
  if (info.output != "mean") graph.name_output({info.output}, "mean");
  declare("mean");
  const auto add_output = [&](const GraphValue& value, const char* name) {
    graph.name_output(graph.to_float(graph.reshape_like(value, {info.output})), name);
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
  write_file_like(path, pack_attached(network, model, level), network.info().weights);
}

}  // namespace nomu
