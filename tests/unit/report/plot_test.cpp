#include "nomu/report/plot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <locale>
#include <numeric>
#include <utility>

#include "message_of.hpp"
#include "report/plot/color.hpp"
#include "report/plot/text.hpp"

namespace nomu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

/// What is wrong with the XML, or the empty text: tags must balance, attributes be quoted, entities be known, and no
/// number may have failed to be one.
std::string xml_fault(std::string_view xml) {
  std::vector<std::string> open;
  bool rooted = false;
  for (std::size_t i = 0; i < xml.size(); ++i) {
    if (xml[i] == '&') {
      const std::string_view entity = xml.substr(i, xml.find(';', i) - i + 1);
      const std::vector<std::string_view> known = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
      if (std::ranges::find(known, entity) == known.end()) return "entity " + std::string(entity.substr(0, 10));
    }
    if (xml[i] == '>') return "stray >";
    if (xml[i] != '<') continue;
    const std::size_t end = xml.find('>', i);
    if (end == std::string_view::npos) return "open tag";
    const std::string tag(xml.substr(i + 1, end - i - 1));
    if (tag.find('<') != std::string::npos) return "< inside " + tag;
    if (std::ranges::count(tag, '"') % 2 != 0) return "quotes of " + tag;
    if (tag.find("nan") != std::string::npos || tag.find("inf") != std::string::npos) return "number in " + tag;
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (name.front() == '/') {
      if (open.empty() || "/" + open.back() != name) return "unbalanced " + name;
      open.pop_back();
    } else if (tag.back() != '/') {
      if (open.empty() && std::exchange(rooted, true)) return "second root " + name;
      open.push_back(name);
    }
    i = end;
  }
  return open.empty() && rooted ? "" : "not closed";
}

/// One layer of every kind.
Plot full_plot() {
  const std::vector<double> x = {0, 1, 2, 3};
  return {.title = "everything",
          .x = {.label = "x"},
          .y = {.label = "y"},
          .layers = {
              PlotHeatMap{.values = {1, 2, nan, 4, 5, 6}, .cols = 3, .x = {0, 3}, .y = {0, 2}, .color = {.label = "z"}},
              PlotBand{.name = "band", .x = x, .lower = {0, 0, 0, 0}, .upper = {1, 2, 1, 2}},
              PlotLine{.name = "line", .x = x, .y = {1, 2, 3, 4}, .stroke = PlotStroke::dotted},
              PlotSteps{.name = "steps", .x = x, .y = {1, 2, 1}, .stroke = PlotStroke::dashed},
              PlotPoints{.name = "points", .x = x, .y = x, .lower = {0, 0, 1, 1}, .upper = {1, 2, 3, 4}},
              PlotPoints{.name = "crosses", .x = x, .y = x, .marker = PlotMarker::cross},
              PlotRule{.name = "rule", .at = 1.5}, PlotNote{.text = "two\nlines", .x = 3, .y = 4},
              PlotNote{.text = "corner", .corner = PlotCorner::bottom_left}}};
}

Plot line_plot(std::vector<double> x, std::vector<double> y) {
  return {.layers = {PlotLine{.name = "curve", .x = std::move(x), .y = std::move(y)}}};
}

TEST(PlotText, IsEscapedAndRepaired) {
  EXPECT_EQ(svg_escape("a<b & \"c\" 'd'>"), "a&lt;b &amp; &quot;c&quot; &#39;d&#39;&gt;");
  EXPECT_EQ(svg_escape("\u00b5m\n\x01"), "\u00b5m \ufffd");
  EXPECT_EQ(svg_escape("\xb5m \xc0\xaf \xe2\x82"), "\ufffdm \ufffd\ufffd \ufffd\ufffd");
  EXPECT_EQ(fitted_text("abcdefghijklmnop", 60, 12), "abcdefg\u2026");
  EXPECT_THAT(wrapped_text("one two three", 55, 12, 2), ElementsAre("one two", "three"));
  EXPECT_THAT(wrapped_text("one_two three", 45, 12, 3), ElementsAre("one_", "two", "three"));
  EXPECT_EQ(svg_number(-0.001), "0");
  EXPECT_EQ(svg_number(120.5), "120.5");
}

TEST(RenderSvg, IsWellFormedAndSelfContained) {
  for (const PlotSize size : {PlotSize{}, PlotSize{360, 270}, PlotSize{160, 120}}) {
    const std::string svg = render_svg(full_plot(), size);
    EXPECT_EQ(xml_fault(svg), "");
    for (const char* part : {"script", "href", "url(", "id=", "<style", "class="})
      EXPECT_THAT(svg, Not(HasSubstr(part)));
  }
  const std::string svg = render_svg(full_plot());
  EXPECT_THAT(svg, HasSubstr(R"(viewBox="0 0 640 400")"));
  for (const char* text :
       {">everything<", ">band<", ">line<", ">steps<", ">points<", ">rule<", ">z<", ">two<", ">lines<"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
}

TEST(RenderSvg, EscapesEveryText) {
  const std::string bad = "<b a=\"1\">&'\xff";
  Plot plot{.title = bad, .x = {.label = bad}, .y = {.label = bad}, .layers = {PlotNote{.text = bad, .x = 1, .y = 1}}};
  plot.layers.emplace_back(PlotLine{.name = bad, .x = {1, 2}, .y = {1, 2}});
  plot.layers.emplace_back(PlotHeatMap{.values = {1}, .cols = 1, .color = {.label = bad}});
  const std::string svg = render_svg(plot);
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_THAT(svg, Not(HasSubstr("<b ")));
  EXPECT_EQ(xml_fault(render_svg_grid(std::vector{plot}, {.title = bad})), "");
}

struct Comma : std::numpunct<char> {
  [[nodiscard]] char do_decimal_point() const override { return ','; }
  [[nodiscard]] char do_thousands_sep() const override { return '.'; }
  [[nodiscard]] std::string do_grouping() const override { return "\3"; }
};

TEST(RenderSvg, GivesTheSameBytesInEveryLocale) {
  const std::string before = render_svg(full_plot());
  const std::locale old = std::locale::global(std::locale(std::locale::classic(), new Comma));
  const std::string after = render_svg(full_plot());
  std::locale::global(old);
  EXPECT_EQ(before, after);
}

TEST(RenderSvg, DrawsDegenerateData) {
  const std::vector<std::vector<double>> values = {{5, 5, 5},       {0, 0, 0},           {1, nan, 3},
                                                   {inf, 1, -inf},  {1e300, -1e300, 0},  {1e-300, 2e-300, 3e-300},
                                                   {1e308, 0, 1e9}, {5e-324, 1e-323, 0}, {1e9, 1e9, 1e9 + 1e-6}};
  for (const auto& v : values) {
    for (const Plot& plot : {line_plot({0, 1, 2}, v), line_plot(v, {0, 1, 2}), line_plot(v, v)}) {
      const std::string svg = render_svg(plot);
      EXPECT_EQ(xml_fault(svg), "");
      EXPECT_THAT(svg, Not(HasSubstr("no data")));
    }
    Plot map{.layers = {PlotHeatMap{.values = v, .cols = 3}, PlotBand{.x = {0, 1, 2}, .lower = v, .upper = v}}};
    EXPECT_EQ(xml_fault(render_svg(map)), "");
  }
  Plot log = line_plot({1e-305, 5e-324, 1e305}, {1e-305, 1, 1e305});
  log.x.scale = log.y.scale = AxisScale::log10;
  EXPECT_EQ(xml_fault(render_svg(log)), "");
  log.layers = line_plot({7}, {1e-300}).layers;
  EXPECT_EQ(xml_fault(render_svg(log)), "");
}

TEST(RenderSvg, SaysWhenThereIsNoData) {
  for (const Plot& plot : {Plot{}, line_plot({}, {}), line_plot({nan, 1}, {1, inf}),
                           Plot{.layers = {PlotRule{.at = 1}, PlotNote{.text = "alone"}}},
                           Plot{.layers = {PlotHeatMap{.values = {nan, nan}, .cols = 2}}}}) {
    const std::string svg = render_svg(plot);
    EXPECT_EQ(xml_fault(svg), "");
    EXPECT_THAT(svg, HasSubstr(">no data<"));
  }
}

TEST(RenderSvg, BreaksLinesWhereValuesAreMissing) {
  const std::string whole = render_svg(line_plot({0, 1, 2, 3}, {0, 1, 1, 0}));
  const std::string broken = render_svg(line_plot({0, 1, nan, 2, 3}, {0, 1, 1, 1, 0}));
  const auto moves = [](const std::string& svg) { return std::ranges::count(svg, 'M'); };
  EXPECT_EQ(moves(broken), moves(whole) + 1);
}

TEST(RenderSvg, StaysSmallForLongLines) {
  std::vector<double> x(200000);
  std::iota(x.begin(), x.end(), 0.0);
  std::vector<double> y = x;
  for (double& value : y) value = std::sin(value * 0.7);
  EXPECT_LT(render_svg(line_plot(x, y)).size(), 100000U);
}

TEST(RenderSvg, RefusesWhatItCannotDraw) {
  const auto message = [](const Plot& plot) { return message_of<Error>([&] { return render_svg(plot); }); };
  Plot log = line_plot({1, 2, 3}, {1, 2, 0});
  log.y.scale = AxisScale::log10;
  EXPECT_EQ(message(log),
            "[report/plot] the y axis is logarithmic and accepts only positive values, but layer 0 (line "
            "'curve') has y[2] = 0");
  log.y.range = PlotRange{-1, 1};
  EXPECT_EQ(message(log), "[report/plot] the y axis is logarithmic, so its range must be positive, got -1 to 1");
  EXPECT_THAT(message({.x = {.range = PlotRange{2, 2}}}), HasSubstr("must go from a finite number"));
  EXPECT_THAT(message({.x = {.range = PlotRange{0, nan}}}), HasSubstr("got 0 to nan"));
  EXPECT_THAT(message(line_plot({1, 2}, {1})), HasSubstr("layer 0 (line 'curve') has 2 values of x but 1 of y"));
  EXPECT_THAT(message({.layers = {PlotBand{.opacity = 0}}}), HasSubstr("opacity"));
  EXPECT_THAT(message({.layers = {PlotHeatMap{}, PlotHeatMap{}}}), HasSubstr("second heat map"));
  EXPECT_THAT(message({.layers = {PlotHeatMap{.values = {1, 2, 3}, .cols = 2}}}), HasSubstr("do not fill rows of 2"));
  EXPECT_THAT(message_of<ConfigError>([] { return render_svg(Plot{}, {100, 100}); }), HasSubstr("got 100 x 100"));
  EXPECT_THAT(message_of<ConfigError>([] { return render_svg_grid({}, {.columns = 0}); }), HasSubstr("one column"));
}

TEST(RenderSvg, LegendNamesEachLayerOnceAndCountsTheRest) {
  Plot plot;
  for (int i = 0; i < 60; ++i)
    plot.layers.emplace_back(PlotLine{.name = "method " + std::to_string(i / 2), .x = {0, 1}, .y = {0, 1}});
  const std::string svg = render_svg(plot, {360, 270});
  EXPECT_EQ(svg.find(">method 0<"), svg.rfind(">method 0<"));
  EXPECT_THAT(svg, HasSubstr(" more<"));
  EXPECT_EQ(xml_fault(svg), "");
}

TEST(RenderSvgGrid, PlacesPlotsInRows) {
  const std::vector<Plot> plots = {full_plot(), line_plot({0, 1}, {0, 1}), Plot{}};
  const std::string svg = render_svg_grid(plots, {.columns = 2, .cell = {300, 200}});
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_THAT(svg, HasSubstr(R"(viewBox="0 0 600 400")"));
  EXPECT_THAT(svg, HasSubstr("translate(300 0)"));
  EXPECT_THAT(svg, HasSubstr("translate(0 200)"));
  EXPECT_THAT(render_svg_grid({}), HasSubstr("no data"));
}

TEST(PlotTicks, NamesTakeThePlaceOfNumbers) {
  Plot plot{.x = {.names = {"red", "<blue>", "a name that is far too long for the room it has"}},
            .layers = {PlotPoints{.x = {0, 1, 2}, .y = {1, 2, 3}}}};
  const std::string svg = render_svg(plot);
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_THAT(svg, HasSubstr(">red<"));
  EXPECT_THAT(svg, HasSubstr(">&lt;blue&gt;<"));
  EXPECT_THAT(svg, HasSubstr("far too lo\u2026<"));
  plot.x.scale = AxisScale::log10;
  EXPECT_THAT(message_of<ConfigError>([&] { return render_svg(plot); }), HasSubstr("cannot have names"));
}

TEST(PlotColor, RampAndCycle) {
  EXPECT_EQ(ramp_color(0), "#2c0d4b");
  EXPECT_EQ(ramp_color(ramp_levels - 1), "#fbe850");
  const std::vector<PlotColor> colors = plot_layer_colors(full_plot().layers);
  EXPECT_EQ(colors[1], PlotColor::blue);
  EXPECT_EQ(colors[2], PlotColor::orange);
}

}  // namespace
}  // namespace nomu
