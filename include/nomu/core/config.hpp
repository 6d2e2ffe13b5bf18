#pragma once
/// Configuration files: TOML text sets the fields of a spec. A key the spec does not have is an error that names the
/// nearest one it has.

#include <string_view>

#include "nomu/core/fields.hpp"

namespace nomu {

/// Sets every key of the TOML text; tables give dotted names ("[train] epochs" sets train.epochs). `source` names the
/// text in messages. Throws ConfigError with the line of a syntax error, an unknown key or a value out of range.
void apply_toml(const Fields& fields, std::string_view text, std::string_view source);

}  // namespace nomu
