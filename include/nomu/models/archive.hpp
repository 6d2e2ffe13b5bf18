#pragma once
/// Models as files: self-describing, versioned, protected by checksums, and written atomically. Reading a file never
/// executes code; docs/decisions/0007-model-file.md describes the layout.

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nomu/models/foreign.hpp"
#include "nomu/models/model.hpp"

namespace nomu {

/// What every model file begins with: a byte that is not text, the name, and line endings, which a copy in text mode
/// would change.
inline constexpr std::string_view model_file_begin("\x89NOMU\r\n\x1a", 8);

/// Writes the model, replacing an older file only once the new one is complete. The file holds the rows that the model
/// was made with; if these come from files, `rows` names them, and a new model gets no wider permissions than any.
void save_model(const Model& model, const std::filesystem::path& path,
                const std::vector<std::filesystem::path>& rows = {});

/// Reads a model; without an engine, one is created for the available hardware. Throws DataError for a file that is
/// truncated, damaged, not a model, or of a version this library does not know.
[[nodiscard]] Model load_model(const std::filesystem::path& path, std::shared_ptr<Engine> engine = {});

/// Reads bounds that were fitted for a network and saved with `save_model`; the file does not contain the network.
/// Throws DataError like `load_model`, and if the file contains something else or belongs to another network.
[[nodiscard]] Model load_bounds(const std::filesystem::path& path, std::shared_ptr<const ForeignNetwork> network,
                                std::shared_ptr<Engine> engine = {});

/// The bytes that `save_model` writes.
[[nodiscard]] std::string pack_model(const Model& model);

/// The model in the bytes of a file; error messages call them `source`.
[[nodiscard]] Model unpack_model(std::string_view bytes, std::string_view source, std::shared_ptr<Engine> engine = {});

/// The same for the bounds of a network.
[[nodiscard]] Model unpack_bounds(std::string_view bytes, std::string_view source,
                                  std::shared_ptr<const ForeignNetwork> network, std::shared_ptr<Engine> engine = {});

/// Everything about the model except its numbers, as JSON text: the header of the file.
[[nodiscard]] std::string model_json(const Model& model);

}  // namespace nomu
