#pragma once
// What the server can be asked, as an OpenAPI document and as a page for people.

#include <string>

namespace nomu {

[[nodiscard]] std::string openapi_json();
[[nodiscard]] std::string openapi_page();

}  // namespace nomu
