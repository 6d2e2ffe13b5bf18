#include "serve/http/guard.hpp"

#include <algorithm>
#include <charconv>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::size_t shortest_token = 16;
constexpr std::size_t longest_token = 200;
constexpr std::size_t most_header_bytes = 64U << 10U;
constexpr std::size_t most_header_lines = 200;

bool in_token(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

bool shows(const Visitor& visitor, std::string_view token) {
  constexpr std::string_view scheme = "Bearer ";
  const std::string_view authorization = visitor.authorization;
  if (authorization.starts_with(scheme)) return same_secret(token, authorization.substr(scheme.size()));
  return same_secret(token, cookie_of(visitor.cookie, token_cookie(visitor.host)));
}

/// Where the port begins, with its colon; the end if there is none. Without brackets, an address with several colons
/// has none.
std::size_t port_at(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  const bool port =
      colon != std::string_view::npos && (host.starts_with('[') ? host[colon - 1] == ']' : host.find(':') == colon);
  return port ? colon : host.size();
}

/// Whether the origin, "https://host:port", is the host that was asked.
bool same_site(std::string_view origin, std::string_view host) {
  const std::size_t at = origin.find("://");
  return at != std::string_view::npos && origin.substr(at + 3) == host;
}

}  // namespace

bool same_secret(std::string_view expected, std::string_view given) {
  if (expected.empty()) return false;
  unsigned difference = expected.size() == given.size() ? 0U : 1U;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto a = static_cast<unsigned char>(expected[i % expected.size()]);
    difference |= static_cast<unsigned>(a ^ static_cast<unsigned char>(given[i]));
  }
  return difference == 0U;
}

void check_token(std::string_view token) {
  if (token.size() < shortest_token || token.size() > longest_token ||
      !std::all_of(token.begin(), token.end(), in_token)) {
    throw ConfigError("serve",
                      "a token has 16 to 200 letters, digits and - . _ ~ only; `openssl rand -hex 24` makes one");
  }
}

std::string cookie_of(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const std::size_t end = std::min(header.find(';'), header.size());
    std::string_view pair = header.substr(0, end);
    header.remove_prefix(std::min(end + 1, header.size()));
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    if (pair.starts_with(name) && pair.substr(name.size()).starts_with('='))
      return std::string(pair.substr(name.size() + 1));
  }
  return {};
}

std::string token_cookie(std::string_view host) {
  std::string name = "nomu_token";
  for (const char c : host.substr(port_at(host))) {
    if (c == ':') name += '_';
    if (c >= '0' && c <= '9') name += c;
  }
  return name;
}

bool is_loopback(std::string_view host) {
  host = host.substr(0, port_at(host));
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]" || host == "::1";
}

bool HeaderLimits::accept(char c) {
  if (ended_) return true;
  ++in_line_;
  if (c == '\n') {
    const bool blank = in_line_ == 2 && before_ == '\r';
    ended_ = blank && lines_ > 0;
    lines_ += ended_ ? 0 : 1;
    in_line_ = 0;
  }
  before_ = c;
  return ++bytes_ <= most_header_bytes && lines_ <= most_header_lines;
}

Refusal refusal_of(const Framing& framing, std::int64_t largest_body) {
  if (framing.method != "GET" && framing.method != "HEAD" && framing.method != "POST")
    return {405, "this server knows GET, HEAD and POST"};
  // Bodies of unknown length, and compressed ones, could grow beyond the limit.
  const bool sends = framing.method == "POST";
  if (framing.chunked || (sends && framing.lengths.empty()))
    return {411, "send the length of the body, with the header 'Content-Length'"};
  if (framing.compressed) return {415, "send the body as it is, not compressed"};
  if (framing.ranges > 1) return {416, "ask for one part of the answer, or for all of it"};
  if (framing.lengths.empty()) return {};
  const std::string& text = framing.lengths.front();
  std::int64_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (framing.lengths.size() > 1 || error == std::errc::invalid_argument || end != text.data() + text.size() ||
      length < 0)
    return {400, "the header 'Content-Length' must be one whole number"};
  if (error != std::errc{} || length > largest_body)
    return {413, "the body is too large: at most " + std::to_string(largest_body) + " bytes"};
  if (!sends && length > 0) return {400, "a request that changes nothing has no body"};
  return {};
}

Refusal refusal_of(const Visitor& visitor, std::string_view token) {
  if (!token.empty() && !shows(visitor, token))
    return {401, "a token is needed: send the header 'Authorization: Bearer TOKEN'"};
  if (token.empty() && !is_loopback(visitor.host))
    return {403, "without a token the server answers to localhost, 127.0.0.1 and [::1] only"};
  if (!visitor.changes) return {};
  if (!visitor.origin.empty() && !same_site(visitor.origin, visitor.host))
    return {403, "a page of another site must not change the study"};
  if (!visitor.content_type.starts_with("application/json"))
    return {415, "send JSON, with the header 'Content-Type: application/json'"};
  return {};
}

}  // namespace nomu
