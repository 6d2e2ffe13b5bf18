#pragma once
/// Models as files: self-describing, versioned, checked by checksums, written whole or not at all. Reading one executes
/// nothing; docs/decisions/0007-model-file.md has the layout.

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "nomu/models/foreign.hpp"
#include "nomu/models/model.hpp"

namespace nomu {

/// Writes the model, replacing an older file only once the new one is complete.
void save_model(const Model& model, const std::filesystem::path& path);

/// Reads a model; without an engine, one is made for the hardware at hand. Throws DataError for a file that is
/// truncated, damaged, no model at all, or of a version this library does not know.
[[nodiscard]] Model load_model(const std::filesystem::path& path, std::shared_ptr<Engine> engine = {});

/// Reads bounds that were fitted for a network and saved with `save_model`; the file does not hold the network. Throws
/// DataError as `load_model`, and where the file holds something else or was made with another network.
[[nodiscard]] Model load_bounds(const std::filesystem::path& path, std::shared_ptr<const ForeignNetwork> network,
                                std::shared_ptr<Engine> engine = {});

/// The bytes of the file.
[[nodiscard]] std::string pack_model(const Model& model);

/// The model in such bytes; `source` names them in messages.
[[nodiscard]] Model unpack_model(std::string_view bytes, std::string_view source, std::shared_ptr<Engine> engine = {});

/// The same for bounds of a network.
[[nodiscard]] Model unpack_bounds(std::string_view bytes, std::string_view source,
                                  std::shared_ptr<const ForeignNetwork> network, std::shared_ptr<Engine> engine = {});

/// All about the model but its numbers, as JSON text: what the head of the file says.
[[nodiscard]] std::string model_json(const Model& model);

}  // namespace nomu
