#pragma once
/// Configuration files: TOML text sets the fields of a spec. An unknown key is an error that names the nearest known
/// one.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "nomu/core/fields.hpp"

namespace nomu {

/// One setting by name, its value as text, as in `--set train.epochs=500`.
struct Setting {
  std::string name;
  std::string value;
  std::string source = {};  ///< where it was read, for messages: "settings.toml, line 3"; empty: unknown
};

/// "train.epochs=500" as a setting. Throws ConfigError, as an error of `where`, unless there are a name and an equals
/// sign.
[[nodiscard]] Setting parse_setting(std::string_view text, std::string_view where = "core/config");

/// TOML text has at most so many bytes: 4 MiB. Parsed it takes some fifty times as much memory.
constexpr std::size_t most_toml_bytes = std::size_t{4} << 20U;

/// The text of a TOML file. Throws DataError naming the path if it cannot be read or has more bytes.
[[nodiscard]] std::string read_toml_file(const std::filesystem::path& path);

/// The settings of TOML text; tables give dotted names ("[train] epochs" is train.epochs). `source` names the text in
/// messages. Throws ConfigError with the line of a syntax error.
[[nodiscard]] std::vector<Setting> settings_of_toml(std::string_view text, std::string_view source);

/// Applies settings in their order. Throws ConfigError, with the source of the setting, for an unknown name or a value
/// out of range.
void apply_settings(const Fields& fields, const std::vector<Setting>& settings);

/// The keys of a TOML table, sorted by name; those of nested tables have dotted names ("train.epochs").
struct ConfigTable {
  struct Entry {
    std::string name;
    FieldValue value;  ///< a list of strings is one string, joined with ", "
    std::int64_t line = 0;
  };
  struct Part;
  std::string source;  ///< its name in messages
  std::vector<Entry> entries;
  std::vector<Part> parts;  ///< the elements of arrays of tables, "[[method]]"
};

struct ConfigTable::Part {
  std::string name;  ///< of the array
  std::int64_t line = 0;
  ConfigTable table;
};

/// Reads TOML text; `source` names it in messages. Throws ConfigError with the line of a syntax error.
[[nodiscard]] ConfigTable read_toml(std::string_view text, std::string_view source);

/// Sets one key of a table. Throws ConfigError with its line if it is unknown or its value is out of range.
void apply_entry(const Fields& fields, const ConfigTable::Entry& entry, std::string_view source);

/// Sets every key of the TOML text; tables give dotted names ("[train] epochs" sets train.epochs). `source` names the
/// text in messages. Throws ConfigError with the line of a syntax error, an unknown key or a value out of range.
void apply_toml(const Fields& fields, std::string_view text, std::string_view source);

}  // namespace nomu
