#pragma once
// How a file of attached bounds recognises the network that they belong to, which is not part of the file: by its
// outputs for some of the training rows.

#include <nlohmann/json_fwd.hpp>

#include "models/archive/archive_blocks.hpp"
#include "nomu/data/dataset.hpp"
#include "nomu/models/foreign.hpp"
#include "nomu/models/model.hpp"

namespace nomu {

/// The network that the model is attached to; null if it needs none.
[[nodiscard]] const ForeignNetwork* network_of(const Model& model);

[[nodiscard]] nlohmann::json network_facts(const ForeignNetwork& network);
void add_network_answers(const ForeignNetwork& network, const DataSet& data, BlockWriter& blocks);

/// Throws DataError unless `network` has the recorded shape and outputs.
void check_network(const nlohmann::json& facts, const BlockReader& blocks, const ForeignNetwork& network,
                   const DataSet& data);

}  // namespace nomu
