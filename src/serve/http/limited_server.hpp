#pragma once
// A server of cpp-httplib that limits what the library does not: how long the headers of a request are, and how long a
// client may take to send one. Nobody has shown a token by then.

#include <httplib.h>

#include <memory>

namespace nomu {

[[nodiscard]] std::unique_ptr<httplib::Server> limited_server();

}  // namespace nomu
