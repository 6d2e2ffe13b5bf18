#pragma once
// TOML from outside.

#include <toml++/toml.h>

#include <string_view>

namespace nomu {

/// The table that the text describes; `source` names the text in messages. Throws ConfigError of `where`, with the line
/// of a syntax error or of a name with too many parts, and for more than `most_toml_bytes`: toml++ works through nested
/// tables by recursion.
[[nodiscard]] toml::table parse_toml(std::string_view text, std::string_view source, std::string_view where);

}  // namespace nomu
