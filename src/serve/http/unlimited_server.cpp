// The stand-in for versions of cpp-httplib whose streams differ from those that limited_server.cpp replaces: there
// headers are limited by nothing but the library itself.

#include "serve/http/limited_server.hpp"

namespace nomu {

std::unique_ptr<httplib::Server> limited_server() { return std::make_unique<httplib::Server>(); }

}  // namespace nomu
