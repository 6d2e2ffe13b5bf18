#pragma once
// Decides which requests the server accepts.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nomu {

/// Compares in a time that depends on the length of `given` alone.
[[nodiscard]] bool same_secret(std::string_view expected, std::string_view given);

/// Throws ConfigError unless it has 16 to 200 letters, digits and - . _ ~ only.
void check_token(std::string_view token);

/// The value of a cookie in the header "Cookie"; empty: there is none.
[[nodiscard]] std::string cookie_of(std::string_view header, std::string_view name);

/// The name of the cookie that holds the token, for a header "Host". Cookies of a host are the same for all of its
/// ports, so the name has the port.
[[nodiscard]] std::string token_cookie(std::string_view host);

/// Whether a header "Host" names this machine and no other, with or without a port. A page of another site can make its
/// own host name resolve to this machine (DNS rebinding), but cannot hide which name it used.
[[nodiscard]] bool is_loopback(std::string_view host);

/// The parts of a request that decide.
struct Visitor {
  std::string host = {};
  std::string origin = {};  ///< empty: none was sent
  std::string authorization = {};
  std::string cookie = {};
  bool changes = false;  ///< whether it would change the study
  std::string content_type = {};
};

/// How a request says where it ends.
struct Framing {
  std::string method = "GET";
  std::vector<std::string> lengths = {};  ///< every header "Content-Length"
  bool chunked = false;                   ///< whether there is a header "Transfer-Encoding"
  bool compressed = false;                ///< whether there is a header "Content-Encoding"
  std::size_t ranges = 0;                 ///< parts of the answer that are asked for; 0: all of it
};

/// Watches a request up to the end of its headers: 64 kB and 200 lines at most.
class HeaderLimits {
 public:
  /// The next byte. Returns false if that is one too many.
  [[nodiscard]] bool accept(char c);
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  std::size_t bytes_ = 0;
  std::size_t lines_ = 0;
  std::size_t in_line_ = 0;  // bytes of the line so far
  char before_ = 0;
  bool ended_ = false;
};

/// Why a request is refused.
struct Refusal {
  int status = 0;  ///< 0: it is accepted
  std::string why = {};
};

/// Only requests whose end is known before they are read, and is not too far away. What is left unread of any other
/// would be taken for the next request.
[[nodiscard]] Refusal refusal_of(const Framing& framing, std::int64_t largest_body);

/// If the server has a token, the request must carry it, as "Authorization: Bearer TOKEN" or in the cookie that the
/// page sets. Otherwise its host must be this machine. Changes must be JSON and must not come from another site.
[[nodiscard]] Refusal refusal_of(const Visitor& visitor, std::string_view token);

}  // namespace nomu
