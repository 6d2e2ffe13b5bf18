#include "models/archive/archive_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "core/text/json_numbers.hpp"
#include "models/attached/fitted_attached.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& what) { throw DataError("models/archive", what); }

constexpr const char* network_means = "network/mean";
constexpr const char* network_features = "network/features";

/// Rows on which outputs distinguish one network from another.
constexpr std::size_t checked_rows = 8;

/// A network's outputs for the first rows a model was made with.
ForeignNetwork::Evaluation answers_of(const ForeignNetwork& network, const DataSet& data) {
  Tensor<float> x(1, std::min(checked_rows, data.rows()), data.cols());
  std::transform(data.inputs.begin(), data.inputs.begin() + static_cast<std::ptrdiff_t>(x.size()), x.flat().begin(),
                 [](double value) { return static_cast<float>(value); });
  return evaluated(network, x);
}

/// Engines and compilers round differently, so equal networks agree only approximately.
bool agree(const Tensor<float>& a, const Tensor<float>& b) {
  constexpr float tolerance = 1e-4F;
  if (a.members() != b.members() || a.rows() != b.rows() || a.cols() != b.cols()) return false;
  return std::ranges::equal(a.flat(), b.flat(), [](float u, float v) {
    return std::abs(u - v) <= tolerance * std::max({1.0F, std::abs(u), std::abs(v)});
  });
}

}  // namespace

const ForeignNetwork* network_of(const Model& model) {
  const auto* attached = dynamic_cast<const FittedAttached*>(&model.fitted());
  return attached == nullptr ? nullptr : &attached->network();
}

json network_facts(const ForeignNetwork& network) {
  return {{"inputs", network.inputs()}, {"features", network.features()}};
}

void add_network_answers(const ForeignNetwork& network, const DataSet& data, BlockWriter& blocks) {
  const ForeignNetwork::Evaluation answers = answers_of(network, data);
  blocks.add(network_means, answers.mean);
  blocks.add(network_features, answers.features);
}

void check_network(const json& facts, const BlockReader& blocks, const ForeignNetwork& network, const DataSet& data) {
  if (whole_number(facts.at("inputs")) != network.inputs() || whole_number(facts.at("features")) != network.features())
    refuse(fmt::format("the bounds are for a network with {} inputs and {} features, but this one has {} and {}",
                       whole_number(facts.at("inputs")), whole_number(facts.at("features")), network.inputs(),
                       network.features()));
  const ForeignNetwork::Evaluation now = answers_of(network, data);
  if (!agree(blocks.tensor(network_means), now.mean) || !agree(blocks.tensor(network_features), now.features))
    refuse("this is not the network that the bounds were fitted for: its outputs differ");
}

}  // namespace nomu
