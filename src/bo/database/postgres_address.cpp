#include "bo/database/postgres_address.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include "core/text/utf8.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::size_t longest_name = 200;

std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const bool escape = text[i] == '%' && i + 2 < text.size() &&
                        std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16).ptr == text.data() + i + 3;
    plain += escape ? static_cast<char>(value) : text[i];
    if (escape) i += 2;
  }
  return plain;
}

/// Whether messages may show the parameter: only those that are known to hold no secret. Whoever misspells "password"
/// did not mean to show it.
bool is_harmless(std::string_view key) {
  constexpr std::string_view harmless[] = {"host",
                                           "hostaddr",
                                           "port",
                                           "dbname",
                                           "user",
                                           "study",
                                           "service",
                                           "sslmode",
                                           "application_name",
                                           "connect_timeout",
                                           "target_session_attrs"};
  return std::find(std::begin(harmless), std::end(harmless), decoded(key)) != std::end(harmless);
}

/// Where the password of scheme://user:password@host begins and ends; nothing if there is none.
struct Password {
  std::size_t colon = std::string_view::npos;
  std::size_t at = std::string_view::npos;
};

/// Throws DataError for one that libpq would end too early, and then show as the name of a host or a port. What follows
/// a ? before any colon is parameters, which may contain both signs.
std::optional<Password> find_password(std::string_view address) {
  const std::size_t begin = address.find("://") + 3;
  const std::size_t at = address.find('@', begin);
  const bool bracket = address.substr(begin).starts_with('[');
  const std::size_t colon = address.find(':', bracket ? address.find(']', begin) : begin);
  if (at == std::string_view::npos || colon == std::string_view::npos || colon > at) return {};
  if (colon > address.find('?')) return {};
  const std::size_t next = address.find_first_of("/?@", colon + 1);
  const std::string_view port = address.substr(colon + 1, next - colon - 1);
  if (next != at && std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; })) return {};
  const std::size_t after = address.find_first_of("/?@", at + 1);
  if (next == at && (after == std::string_view::npos || address[after] != '@')) return Password{colon, at};
  throw DataError("bo/study",
                  fmt::format("the address '{}:...' cannot be read: in a user name, a password and the name "
                              "of a study write / as %2F, ? as %3F, @ as %40, : as %3A and % as %25",
                              address.substr(0, colon)));
}

void check_name(const std::string& name, const std::string& shown) {
  const bool control =
      std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (!name.empty() && name.size() <= longest_name && !control && made_utf8(name) == name) return;
  throw DataError("bo/study", fmt::format("the name of the study in '{}' must have 1 to {} bytes of UTF-8 and no "
                                          "control characters",
                                          shown, longest_name));
}

}  // namespace

bool is_postgres_address(std::string_view place) {
  return place.starts_with("postgresql://") || place.starts_with("postgres://");
}

PostgresAddress read_postgres_address(std::string_view address) {
  const std::optional<Password> password = find_password(address);
  const std::size_t question = address.find('?');
  const std::string_view front = address.substr(0, question);
  std::string_view rest = question == std::string_view::npos ? std::string_view() : address.substr(question + 1);
  PostgresAddress result{.connection = std::string(front), .study = {}, .name = std::string(front)};
  if (password) result.name.erase(password->colon, password->at - password->colon);
  bool named = false;
  const auto append = [](std::string& to, std::string_view parameter) {
    to += to.find('?') == std::string::npos ? '?' : '&';
    to += parameter;
  };
  while (!rest.empty()) {
    const std::string_view parameter = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(parameter.size() + 1, rest.size()));
    const std::string_view key = parameter.substr(0, parameter.find('='));
    if (decoded(key) == "study" && key.size() < parameter.size()) {
      result.study = decoded(parameter.substr(key.size() + 1));
      named = true;
    } else {
      append(result.connection, parameter);
    }
    if (is_harmless(key)) append(result.name, parameter);
  }
  if (!named) {
    throw DataError("bo/study", fmt::format("'{}' does not name a study; add {}study=NAME", result.name,
                                            result.name.find('?') == std::string::npos ? '?' : '&'));
  }
  check_name(result.study, result.name);
  return result;
}

}  // namespace nomu
