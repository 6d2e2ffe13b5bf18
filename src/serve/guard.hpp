#pragma once
// Who may talk to the server.

#include <string>
#include <string_view>

namespace nomu {

/// Compares in a time that depends on the length of `given` alone.
[[nodiscard]] bool same_secret(std::string_view expected, std::string_view given);

/// Throws ConfigError unless it has 16 to 200 letters, digits and - . _ ~ only.
void check_token(std::string_view token);

/// The value of a cookie in the header "Cookie"; empty: there is none.
[[nodiscard]] std::string cookie_of(std::string_view header, std::string_view name);

/// Whether a header "Host" names this machine and no other, with or without a port: a page of another site can make a
/// name of its own mean this machine, but cannot hide which name it used.
[[nodiscard]] bool is_loopback(std::string_view host);

/// The parts of a request that decide.
struct Visitor {
  std::string host = {};
  std::string origin = {};  ///< empty: none was sent
  std::string authorization = {};
  std::string cookie = {};
  bool changes = false;  ///< whether it is to change something
  std::string content_type = {};
};

/// Why the visitor is turned away.
struct Refusal {
  int status = 0;  ///< 0: welcome
  std::string why = {};
};

/// With a token, it must be shown, as "Authorization: Bearer TOKEN" or in the cookie that the page sets. Without one,
/// the visitor must have asked for this machine by its own name. Changes must be JSON and come from no other site.
[[nodiscard]] Refusal refusal_of(const Visitor& visitor, std::string_view token);

}  // namespace nomu
