#pragma once
// The live page: a frame with the parts of `LiveParts` and the forms, its style and its script. Nothing is loaded from
// anywhere else.

#include <string>
#include <string_view>

#include "serve/live_parts.hpp"

namespace nomu {

struct LivePageSpec {
  std::string title;
  bool read_only = false;  ///< without the forms
};

[[nodiscard]] std::string live_page(const LivePageSpec& spec, const Space& space, const LiveParts::Drawn& drawn);

/// Asks for the token.
[[nodiscard]] std::string login_page(bool wrong);

[[nodiscard]] std::string_view live_style();
[[nodiscard]] std::string_view live_script();

}  // namespace nomu
