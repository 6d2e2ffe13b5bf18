#pragma once
// The requests that the server answers, as an OpenAPI document and as a page for people.

#include <string>

namespace nomu {

[[nodiscard]] std::string openapi_json();
[[nodiscard]] std::string openapi_page();

}  // namespace nomu
