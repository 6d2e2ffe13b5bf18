#pragma once
/// Text and numbers in SVG. The reader's own fonts are used, so widths are estimates that err on the wide side.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nomu {

/// A coordinate with at most two decimals and no trailing zeros, the same in every locale.
[[nodiscard]] std::string svg_number(double value);

/// Escapes text for XML content and quoted attributes. Bytes that are not UTF-8 and characters XML forbids become
/// U+FFFD.
[[nodiscard]] std::string svg_escape(std::string_view text);

/// Estimated width in pixels at this font size.
[[nodiscard]] double text_width(std::string_view text, double font);

/// The text, truncated with an ellipsis if it is wider than `width`.
[[nodiscard]] std::string fitted_text(std::string_view text, double width, double font);

/// The text broken between words and after underscores into at most `limit` lines, the last truncated with an ellipsis
/// if needed.
[[nodiscard]] std::vector<std::string> wrapped_text(std::string_view text, double width, double font,
                                                    std::size_t limit);

/// How a piece of text looks.
struct SvgTextStyle {
  double font = 12.0;
  std::string_view color = "#3c4148";
  std::string_view anchor = "start";  ///< start, middle or end
  bool bold = false;
  bool halo = false;     ///< a white outline, to be readable over data
  bool upwards = false;  ///< rotated to read from bottom to top
};

/// A text element with its baseline at (x, y). Line breaks count as spaces.
[[nodiscard]] std::string svg_text(double x, double y, std::string_view text, const SvgTextStyle& style);

}  // namespace nomu
