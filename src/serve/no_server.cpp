// Stands in for the server where cpp-httplib is not installed.

#include "nomu/core/error.hpp"
#include "nomu/serve/serve.hpp"

namespace nomu {

void serve_study(const OpenStudy& /*open*/, const ServeSpec& /*spec*/,
                 const std::function<void(const std::string& url)>& /*ready*/, const std::stop_token& /*stop*/) {
  throw Error("serve",
              "this nomu was built without cpp-httplib and cannot serve; install it (Debian: libcpp-httplib-dev) "
              "and build again");
}

}  // namespace nomu
