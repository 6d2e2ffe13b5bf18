#include "models/archive/archive_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/text/json_text.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::size_t small_file = std::size_t{64} << 20U;  // what the header of any file may take
constexpr std::size_t growth = 8;                           // and for each byte of the file

/// Adds up what the values of a text would take in memory, without keeping them.
class Estimate final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Estimate(std::size_t room) : room_(room) {}

  [[nodiscard]] bool fits() const { return room_ > 0; }

  bool null() override { return take(value); }
  bool boolean(bool /*v*/) override { return take(value); }
  bool number_integer(number_integer_t /*v*/) override { return take(value); }
  bool number_unsigned(number_unsigned_t /*v*/) override { return take(value); }
  bool number_float(number_float_t /*v*/, const string_t& /*text*/) override { return take(value); }
  bool string(string_t& text) override { return take(value + size_of(text)); }
  bool binary(binary_t& /*v*/) override { return take(value); }
  bool start_object(std::size_t /*elements*/) override { return take(value + object); }
  bool key(string_t& text) override { return take(node + size_of(text)); }
  bool end_object() override { return true; }
  bool start_array(std::size_t /*elements*/) override { return take(value + list); }
  bool end_array() override { return true; }
  /// Left to whoever parses the text.
  bool parse_error(std::size_t /*place*/, const std::string& /*token*/,
                   const nlohmann::json::exception& /*error*/) override {
    return false;
  }

 private:
  static constexpr std::size_t allocation = 16;
  static constexpr std::size_t value = 2 * sizeof(nlohmann::json);  // lists grow to twice what they hold
  static constexpr std::size_t object = sizeof(nlohmann::json::object_t) + allocation;
  static constexpr std::size_t list = sizeof(nlohmann::json::array_t) + 2 * allocation;
  static constexpr std::size_t node = 4 * sizeof(void*) + allocation;  // of an object, beside its key and its value

  static std::size_t size_of(const std::string& text) {
    constexpr std::size_t inside = 15;  // longer ones have an allocation of their own
    return sizeof(std::string) + allocation + (text.size() > inside ? text.size() + allocation : 0);
  }

  bool take(std::size_t bytes) {
    room_ = bytes < room_ ? room_ - bytes : 0;
    return room_ > 0;
  }

  std::size_t room_;
};

}  // namespace

void check_header_text(std::string_view text, std::size_t file_bytes) {
  if (nested_too_deeply(text)) throw DataError("models/archive", "the header is malformed: it is nested too deeply");
  Estimate estimate(small_file + growth * file_bytes);
  (void)nlohmann::json::sax_parse(text, &estimate);
  if (!estimate.fits())
    throw DataError("models/archive",
                    fmt::format("the header is malformed: its {} bytes would take more than {} times as much memory as "
                                "the whole file",
                                text.size(), growth));
}

}  // namespace nomu
