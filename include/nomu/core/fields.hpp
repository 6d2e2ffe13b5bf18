#pragma once
/// A spec lists its settings once (name, range, one line of doc); files, `--set key=value`, "did you mean", archives,
/// "what differs from the defaults" and the reference documentation all derive from that list.

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace nomu {

/// The value of one setting, as files and specs exchange it.
using FieldValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>>;

/// "0.1", "true", "[1024, 1024]", "relu": the form that `set_text` and configuration files read.
[[nodiscard]] std::string to_text(const FieldValue& value);

/// Smallest and largest admissible number; `positive()` excludes zero.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool open_low = false;

  static Range at_least(double low) { return {.low = low}; }
  static Range positive() { return {.low = 0.0, .open_low = true}; }
  static Range between(double low, double high) { return {.low = low, .high = high}; }
};

/// One setting of a spec, bound to the variable that holds it.
struct Field {
  std::string name;
  std::string doc;
  Range range;
  std::vector<std::string> choices;  ///< names of an enumeration's values; empty for other types
  std::function<FieldValue()> get;
  std::function<void(const FieldValue&)> set;
  std::optional<FieldValue> before;  ///< see Fields::added_later

  /// Whether keys of results must include the setting; false for one added later that still changes nothing.
  [[nodiscard]] bool in_keys() const { return !before || get() != *before; }
};

/// The settings of one spec object. Bound to that object: it must outlive the list.
class Fields {
 public:
  /// `where` names the spec in messages, for example "models/nomu".
  explicit Fields(std::string where) : where_(std::move(where)) {}

  void add(std::string name, bool& value, std::string doc);
  void add(std::string name, std::int64_t& value, Range range, std::string doc);
  void add(std::string name, double& value, Range range, std::string doc);
  void add(std::string name, std::string& value, std::string doc);
  void add(std::string name, std::vector<std::int64_t>& value, Range range, std::string doc);
  void add(std::string name, std::vector<double>& value, Range range, std::string doc);

  /// An enumeration: its value names, in the order of the enumerators 0, 1, 2, ...
  template <class E>
  void add_choice(const std::string& name, E& value, const std::vector<std::string>& choices, const std::string& doc) {
    add_choice_index(
        name, [&value] { return static_cast<std::size_t>(value); },
        [&value](std::size_t index) { value = static_cast<E>(index); }, choices, doc);
  }

  /// Adds all settings of a part as "prefix.name", or under their own names if the prefix is empty.
  void add_nested(std::string_view prefix, const Fields& part);

  /// Marks the setting `name`, which must be in the list, as added after results were published; with the value
  /// `before`, everything works as it did without the setting. Keys of results leave the setting out while it has that
  /// value, so a new setting changes no key.
  void added_later(std::string_view name, FieldValue before);

  [[nodiscard]] const std::vector<Field>& list() const { return list_; }
  [[nodiscard]] const std::string& where() const { return where_; }

  /// The setting called `name`; throws ConfigError naming the nearest valid key.
  [[nodiscard]] const Field& find(std::string_view name) const;

  /// Sets one setting after checking type and range; throws a ConfigError that says what is allowed.
  void set(std::string_view name, const FieldValue& value) const;

  /// The same from text, as in `--set train.epochs=100`.
  void set_text(std::string_view name, std::string_view text) const;

  /// (name, value) of every setting whose value differs from the one in `defaults`, in order.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> differences(const Fields& defaults) const;

 private:
  void add_choice_index(const std::string& name, const std::function<std::size_t()>& get,
                        const std::function<void(std::size_t)>& set, const std::vector<std::string>& choices,
                        const std::string& doc);

  std::string where_;
  std::vector<Field> list_;
};

/// "a whole number, at least 0", "one of relu, tanh": what may be assigned to the setting.
[[nodiscard]] std::string allowed_values(const Field& field);

/// A setting as help texts and documentation show it.
struct SettingHelp {
  std::string name;
  std::string doc;
  std::string allowed;              ///< see `allowed_values`
  std::vector<std::string> values;  ///< its value in each of the variants, in their order
};

/// The settings of one kind of spec, each with its value in several variants, such as presets. All variants must have
/// the same settings.
[[nodiscard]] std::vector<SettingHelp> settings_help(const std::vector<Fields>& variants);

/// The candidate with the smallest edit distance to `word`; empty if none is close.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace nomu
