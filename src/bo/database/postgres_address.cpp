#include "bo/database/postgres_address.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/utf8.hpp"
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

bool is_secret(std::string_view key) { return key == "password" || key == "sslpassword" || key == "passfile"; }

/// scheme://user:secret@host becomes scheme://user@host.
std::string without_password(std::string_view front) {
  const std::size_t begin = front.find("://") + 3;
  const std::size_t at = front.rfind('@');
  const std::size_t colon = front.find(':', begin);
  if (at == std::string_view::npos || at < begin || colon == std::string_view::npos || colon > at)
    return std::string(front);
  return std::string(front.substr(0, colon)) + std::string(front.substr(at));
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
  const std::size_t question = address.find('?');
  const std::string_view front = address.substr(0, question);
  std::string_view rest = question == std::string_view::npos ? std::string_view() : address.substr(question + 1);
  PostgresAddress result{.connection = std::string(front), .study = {}, .name = without_password(front)};
  bool named = false;
  const auto append = [](std::string& to, std::string_view parameter) {
    to += to.find('?') == std::string::npos ? '?' : '&';
    to += parameter;
  };
  while (!rest.empty()) {
    const std::string_view parameter = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(parameter.size() + 1, rest.size()));
    const std::string_view key = parameter.substr(0, parameter.find('='));
    if (key == "study" && key.size() < parameter.size()) {
      result.study = decoded(parameter.substr(key.size() + 1));
      named = true;
    } else {
      append(result.connection, parameter);
    }
    if (!is_secret(key)) append(result.name, parameter);
  }
  if (!named) {
    throw DataError("bo/study", fmt::format("'{}' does not name a study; add {}study=NAME", result.name,
                                            result.name.find('?') == std::string::npos ? '?' : '&'));
  }
  check_name(result.study, result.name);
  return result;
}

}  // namespace nomu
