#pragma once
// What the head of an archive says about a model, and the blocks its numbers go to. Keys that a reader does not know
// are passed over, except among the settings, where one could change the meaning of the rest.

#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "models/fit/archive_blocks.hpp"
#include "nomu/models/foreign.hpp"
#include "nomu/models/model.hpp"

namespace nomu {

/// The head of a model, without the list of blocks.
[[nodiscard]] nlohmann::json header_of(const Model& model);

/// Everything numeric.
[[nodiscard]] BlockWriter blocks_of(const Model& model);

/// The model that head and blocks describe. Throws DataError, or an exception of the JSON library for a head of another
/// form.
[[nodiscard]] Model model_from(const nlohmann::json& header, const BlockReader& blocks,
                               std::shared_ptr<const ForeignNetwork> network, std::shared_ptr<Engine> engine);

}  // namespace nomu
