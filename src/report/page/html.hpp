#pragma once
/// Pieces of HTML. Everything that came from a user goes through `html_text`, and only this file writes tables and
/// pages.

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nomu/report/report.hpp"

namespace nomu {

/// Escapes text for content and quoted attributes; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string html_text(std::string_view text);

/// A paragraph of text.
[[nodiscard]] std::string html_paragraph(std::string_view text, std::string_view css_class = {});

/// A table of texts, in its own scrolling box if it is too wide; `head` may be empty.
struct HtmlTable {
  std::vector<std::string> head = {};
  std::vector<std::vector<std::string>> rows = {};
  bool numbers = false;  ///< the second column holds numbers and is right-aligned
};
[[nodiscard]] std::string html_table(const HtmlTable& table);

/// A plot with its caption.
[[nodiscard]] std::string html_figure(std::string_view svg, std::string_view caption);

/// Plots with their captions, side by side as far as the page is wide. They are rendered at about the width of a phone,
/// for which their text is sized; larger screens magnify them.
[[nodiscard]] std::string html_figures(std::span<const NamedPlot> plots);

/// A chapter with a heading around finished HTML.
[[nodiscard]] std::string html_section(std::string_view heading, std::string_view body);

/// The whole page around finished HTML, with its style sheet; `head` is more finished HTML for the head of the page.
[[nodiscard]] std::string html_page(std::string_view title, std::string_view body, std::string_view head = {});

}  // namespace nomu
