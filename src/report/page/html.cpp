#include "report/page/html.hpp"

#include <fmt/format.h>

#include "nomu/report/plot.hpp"
#include "report/plot/text.hpp"

namespace nomu {
namespace {

constexpr std::string_view style = R"css(
:root{color-scheme:light dark;--ground:#f6f7f9;--card:#fff;--ink:#1f2328;--soft:#57606a;--line:#d8dce1;--good:#1a7f37;
--bad:#b3261e;--warn-ground:#fff4d6;--warn-line:#d4a72c}
@media(prefers-color-scheme:dark){:root{--ground:#14171b;--card:#1d2126;--ink:#e6e8eb;--soft:#a2abb5;--line:#363c44;
--good:#5fc27e;--bad:#ff8a80;--warn-ground:#3a3014;--warn-line:#8a6d1a}figure svg{filter:brightness(.9)}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,
Helvetica,Arial,sans-serif;-webkit-text-size-adjust:100%;overflow-wrap:anywhere}
main{max-width:1120px;margin:0 auto;padding:24px 20px 48px}
h1{font-size:1.7rem;line-height:1.25;margin:.2em 0 .3em}
h2{font-size:1.25rem;margin:2em 0 .5em;padding-bottom:.25em;border-bottom:1px solid var(--line)}
p{margin:.5em 0;max-width:75ch}
.soft{color:var(--soft)}
.note{background:var(--warn-ground);border-left:4px solid var(--warn-line);padding:.6em .9em;border-radius:4px;
max-width:none}
.key{display:grid;grid-template-columns:repeat(auto-fill,minmax(220px,1fr));gap:12px;margin:1.2em 0}
.key div{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 14px}
.key b{display:block;font-size:1.5rem;line-height:1.3}
.key span{color:var(--soft);font-size:.9rem;line-height:1.4;display:block}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,330px),1fr));gap:16px;margin:1em 0}
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:8px;overflow:hidden}
figure svg{display:block;width:100%;height:auto}
figcaption{padding:.6em .9em .8em;color:var(--soft);font-size:.93rem;line-height:1.45}
.wide{grid-column:1/-1}
.narrow-screen{display:none}
.table{width:fit-content;max-width:100%;overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:8px;margin:1em 0}
table{border-collapse:collapse}
th,td{text-align:left;vertical-align:top;padding:.45em .9em;border-top:1px solid var(--line)}
tr:first-child>*{border-top:0}
th,td:first-child{overflow-wrap:normal}td:first-child{max-width:16em}
thead th{color:var(--soft);font-weight:600;font-size:.9rem}
thead+tbody tr:first-child>*{border-top:1px solid var(--line)}
td:nth-child(2):not(:last-child),.many td{white-space:nowrap}
.numbers td:nth-child(2),.numbers th:nth-child(2){text-align:right;font-variant-numeric:tabular-nums}
.good{color:var(--good);font-weight:600}.bad{color:var(--bad);font-weight:600}
@media(max-width:640px){main{padding:14px 12px 32px}h1{font-size:1.35rem}th,td{padding:.4em .6em}
.wide-screen{display:none}.narrow-screen{display:block}
.stack,.stack tbody{display:block}.stack thead{display:none}.stack tr{display:grid;grid-template-columns:1fr auto;
border-top:1px solid var(--line)}.stack tr:first-child{border-top:0}.stack td{border:0!important}
.stack td:nth-child(3){grid-column:1/-1;padding-top:0;color:var(--soft);font-size:.93rem}}
@media print{body{background:#fff}figure,.table,.key div{break-inside:avoid}}
)css";

/// A table cell; verdicts are highlighted.
std::string cell(std::string_view tag, std::string_view text) {
  std::string_view attributes;
  if (text == "holds") attributes = " class=\"good\"";
  if (text == "fails") attributes = " class=\"bad\"";
  return fmt::format("<{0}{1}>{2}</{0}>", tag, attributes, html_text(text));
}

}  // namespace

std::string html_text(std::string_view text) { return svg_escape(text); }

std::string html_paragraph(std::string_view text, std::string_view css_class) {
  const std::string attributes = css_class.empty() ? "" : fmt::format(" class=\"{}\"", css_class);
  return fmt::format("<p{}>{}</p>\n", attributes, html_text(text));
}

std::string html_table(const HtmlTable& table) {
  // Three columns stack on a phone: the third, which explains, goes below the first two.
  const std::string_view stack = table.head.size() == 3 ? "stack " : "";
  std::string out = fmt::format("<div class=\"table\"><table class=\"{}{}\">\n", stack,
                                table.numbers           ? "numbers"
                                : table.head.size() > 3 ? "many"
                                                        : "few");
  if (!table.head.empty()) {
    out += "<thead><tr>";
    for (const std::string& text : table.head) out += cell("th", text);
    out += "</tr></thead>\n";
  }
  out += "<tbody>\n";
  for (const std::vector<std::string>& row : table.rows) {
    out += "<tr>";
    for (const std::string& text : row) out += cell("td", text);
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string html_figure(std::string_view svg, std::string_view caption) {
  return fmt::format("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", svg, html_text(caption));
}

std::string html_figures(std::span<const NamedPlot> plots) {
  std::string out = "<div class=\"figures\">\n";
  for (const NamedPlot& plot : plots)
    out += html_figure(render_svg(plot.plot, {.width = 360, .height = plot.height}), plot.caption);
  return out + "</div>\n";
}

std::string html_section(std::string_view heading, std::string_view body) {
  return fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", html_text(heading), body);
}

std::string html_page(std::string_view title, std::string_view body, std::string_view head) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n{}</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
      html_text(title), style, head, body);
}

}  // namespace nomu
