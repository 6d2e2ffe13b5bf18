#pragma once
/// What the pictures and tables of a report share: the bands at given points, and thinning that is the same every time.
/// Nothing here makes a page.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "nomu/report/report.hpp"

namespace nomu {

/// Whether the calibration vouches for any level; otherwise no percentage may stand beside a bound.
[[nodiscard]] bool claims_level(const ReportSubject& subject);

/// Four digits, without an exponent where that reads well.
[[nodiscard]] std::string number_text(double value);

/// How legends call the bounds of the subject: with their level, or saying that they have none.
[[nodiscard]] std::string bounds_label(const ReportSubject& subject);

/// A name of the user's, cut off where it would push everything else off the page; `width` is in text heights.
[[nodiscard]] std::string short_name(std::string_view name, double width = 32.0);

/// A title about two names, short enough to stand over a picture.
[[nodiscard]] std::string pair_title(std::string_view first, std::string_view between, std::string_view second);

/// Mean and bands at some points, [q] each.
struct ReportBand {
  std::vector<double> mean;
  std::vector<double> lower;  ///< bounds of the subject's level; without one, mean - calibrated sigma
  std::vector<double> upper;
  std::vector<double> model_lower;  ///< the same with the data noise taken out
  std::vector<double> model_upper;
  std::vector<double> sigma_model;  ///< calibrated, the average of both sides
  bool noise = false;               ///< whether data noise is part of the bounds
};

/// At input rows [q][d].
[[nodiscard]] ReportBand report_band(const ReportSubject& subject, std::span<const double> points);

/// Draws bounds, model uncertainty where there is noise besides, and the mean over x, [q].
void add_band_layers(Plot& plot, const ReportSubject& subject, const std::vector<double>& x, const ReportBand& band);

/// Ends the y axis where bounds leave the neighbourhood of the values that matter, and says so in the caption: bounds
/// far from the data may be so wide that nothing else could be seen. Without effect where they stay near.
void limit_to_neighbourhood(NamedPlot& figure, std::span<const double> values, std::span<const double> lower,
                            std::span<const double> upper);

/// At most `limit` of the rows 0, ..., count - 1, rising; a sample that depends on the two numbers alone.
[[nodiscard]] std::vector<std::size_t> thinned(std::size_t count, std::size_t limit);

/// The values of these rows, [rows][cols].
[[nodiscard]] std::vector<double> picked(std::span<const double> values, std::span<const std::size_t> rows,
                                         std::size_t cols = 1);

/// Smallest and largest value of each input, [d], with a margin (a share of their distance) on both sides.
struct ReportBox {
  std::vector<double> low;
  std::vector<double> high;
};
[[nodiscard]] ReportBox data_box(const DataSet& data, double margin);

/// An evenly spaced line from `low` to `high`, both included.
[[nodiscard]] std::vector<double> spaced(double low, double high, std::size_t count);

/// " (800 of 5000 drawn)" where some were left out.
[[nodiscard]] std::string drawn_of(std::size_t drawn, std::size_t all);

}  // namespace nomu
