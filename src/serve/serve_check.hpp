#pragma once
// What a server refuses before it starts.

#include "nomu/serve/serve.hpp"

namespace nomu {

/// Throws ConfigError for values out of range, a host beyond loopback without a token, and a token that is too simple.
void check_serve_spec(const ServeSpec& spec);

}  // namespace nomu
