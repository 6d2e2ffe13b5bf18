#pragma once
// The header of an archive, which describes a model, and the blocks with its numbers. Readers ignore unknown keys,
// except among the settings, where one could change the meaning of the rest.

#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "models/archive/archive_blocks.hpp"
#include "nomu/models/foreign.hpp"
#include "nomu/models/model.hpp"

namespace nomu {

/// The header of a model, without the list of blocks.
[[nodiscard]] nlohmann::json header_of(const Model& model);

/// Everything numeric.
[[nodiscard]] BlockWriter blocks_of(const Model& model);

/// The model that header and blocks describe. Throws DataError, or an exception of the JSON library if the header is
/// malformed.
[[nodiscard]] Model model_from(const nlohmann::json& header, const BlockReader& blocks,
                               std::shared_ptr<const ForeignNetwork> network, std::shared_ptr<Engine> engine);

}  // namespace nomu
