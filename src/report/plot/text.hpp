#pragma once
/// Text and numbers of SVG pictures. Fonts are the reader's own, so widths are estimates that err on the wide side.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nomu {

/// A coordinate with at most two decimals and no trailing zeros, the same in every locale.
[[nodiscard]] std::string svg_number(double value);

/// Text for XML content and quoted attributes. Bytes that are not UTF-8 and characters XML forbids become U+FFFD.
[[nodiscard]] std::string svg_escape(std::string_view text);

/// Estimated width in pixels at this font size.
[[nodiscard]] double text_width(std::string_view text, double font);

/// The text, or its beginning and an ellipsis where it is wider than `width`.
[[nodiscard]] std::string fitted_text(std::string_view text, double width, double font);

/// The text broken between words into at most `limit` lines, the last one cut off with an ellipsis where need be.
[[nodiscard]] std::vector<std::string> wrapped_text(std::string_view text, double width, double font,
                                                    std::size_t limit);

/// How a piece of text looks.
struct SvgTextStyle {
  double font = 12.0;
  std::string_view color = "#3c4148";
  std::string_view anchor = "start";  ///< start, middle or end
  bool bold = false;
  bool halo = false;     ///< a white outline, to be read over data
  bool upwards = false;  ///< turned to be read from below
};

/// A text element with its baseline at (x, y). Line breaks count as blanks.
[[nodiscard]] std::string svg_text(double x, double y, std::string_view text, const SvgTextStyle& style);

}  // namespace nomu
