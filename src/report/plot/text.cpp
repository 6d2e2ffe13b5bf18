#include "report/plot/text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/text/utf8.hpp"

namespace nomu {
namespace {

constexpr char32_t replacement = 0xfffd;
constexpr std::string_view ellipsis = "\u2026";

/// What XML 1.0 allows in a document.
bool allowed(char32_t c) {
  if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
  return c < 0xd800 || (c > 0xdfff && c < 0xfffe) || (c > 0xffff && c < 0x110000);
}

/// Removes one character from the front; a byte that starts no valid character is removed alone.
char32_t next_character(std::string_view& text) {
  const std::size_t size = utf8_front(text);
  const auto first = static_cast<unsigned char>(text.front());
  char32_t c = size == 1 ? first : first & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) c = (c << 6U) | (static_cast<unsigned char>(text[i]) & 0x3fU);
  text.remove_prefix(size == 0 ? 1 : size);
  return size > 0 && allowed(c) ? c : replacement;
}

/// Width in font sizes, as in the wider of the common sans-serif fonts.
double character_width(char32_t c) {
  if (c < 0x80) {
    const char narrow = static_cast<char>(c);
    if (std::string_view("iljtfrI.,:;'|!()[] ").find(narrow) != std::string_view::npos) return 0.36;
    if (std::string_view("mwMW@%").find(narrow) != std::string_view::npos) return 0.94;
    return c >= 'A' && c <= 'Z' ? 0.74 : 0.64;
  }
  if (c == 0x2212) return 0.84;  // the minus sign
  // Superscript digits are narrow, ideographs fill a square.
  if ((c >= 0x2070 && c <= 0x207f) || c == 0xb2 || c == 0xb3 || c == 0xb9) return 0.42;
  return c >= 0x1100 && c != replacement && (c < 0x2000 || c > 0x2bff) ? 1.0 : 0.66;
}

}  // namespace

std::string svg_number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string svg_escape(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view before = text;
    const char32_t c = next_character(text);
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      case '\t':
      case '\n':
      case '\r': out += ' '; break;
      case replacement: out += "\ufffd"; break;
      default: out += before.substr(0, before.size() - text.size());
    }
  }
  return out;
}

double text_width(std::string_view text, double font) {
  double width = 0.0;
  while (!text.empty()) width += character_width(next_character(text));
  return width * font;
}

std::string fitted_text(std::string_view text, double width, double font) {
  if (text_width(text, font) <= width) return std::string(text);
  double left = width - text_width(ellipsis, font);
  std::string_view rest = text;
  std::size_t kept = 0;
  while (!rest.empty()) {
    left -= character_width(next_character(rest)) * font;
    if (left < 0.0) break;
    kept = text.size() - rest.size();
  }
  std::string out(text.substr(0, kept));
  out.erase(out.find_last_not_of(' ') + 1);
  return out + std::string(ellipsis);
}

std::vector<std::string> wrapped_text(std::string_view text, double width, double font, std::size_t limit) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    if (lines.size() + 1 == limit || text_width(text, font) <= width) {
      lines.push_back(fitted_text(text, width, font));
      break;
    }
    std::size_t end = text.size();
    std::size_t next_line = text.size();
    for (std::size_t at = text.find_first_of(" _"); at != std::string_view::npos;
         at = text.find_first_of(" _", at + 1)) {
      const std::size_t cut = text[at] == ' ' ? at : at + 1;
      if (next_line < text.size() && text_width(text.substr(0, cut), font) > width) break;
      end = cut;
      next_line = at + 1;
    }
    lines.push_back(fitted_text(text.substr(0, end), width, font));
    text.remove_prefix(next_line);
  }
  return lines;
}

std::string svg_text(double x, double y, std::string_view text, const SvgTextStyle& style) {
  const std::string left = svg_number(x);
  const std::string base = svg_number(y);
  const std::string place = style.upwards ? fmt::format("transform=\"translate({} {}) rotate(-90)\"", left, base)
                                          : fmt::format(R"(x="{}" y="{}")", left, base);
  std::string attributes;
  if (style.anchor != "start") attributes += fmt::format(R"( text-anchor="{}")", style.anchor);
  if (style.bold) attributes += R"( font-weight="600")";
  if (style.halo)
    attributes +=
        R"( stroke="#fff" stroke-opacity=".85" stroke-width="3" stroke-linejoin="round" paint-order="stroke")";
  return fmt::format("<text {} font-size=\"{}\" fill=\"{}\"{}>{}</text>\n", place, svg_number(style.font), style.color,
                     attributes, svg_escape(text));
}

}  // namespace nomu
