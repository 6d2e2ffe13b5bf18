#pragma once
/// What the plots and tables of a report share: bands at given points, labels, and thinning that is the same every
/// time. Nothing here produces HTML.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "nomu/report/report.hpp"

namespace nomu {

/// Whether the calibration supports any level; if not, no percentage may be shown with a bound.
[[nodiscard]] bool claims_level(const ReportSubject& subject);

/// Four digits, without an exponent where that reads well.
[[nodiscard]] std::string number_text(double value);

/// The legend entry of the subject's bounds: with their level, or saying that they have none.
[[nodiscard]] std::string bounds_label(const ReportSubject& subject);

/// A user's name, truncated so that it cannot push everything else off the page; `width` is in text heights.
[[nodiscard]] std::string short_name(std::string_view name, double width = 32.0);

/// A title with two names, short enough to fit above a plot.
[[nodiscard]] std::string pair_title(std::string_view first, std::string_view between, std::string_view second);

/// Mean and bands at some points, [q] each.
struct ReportBand {
  std::vector<double> mean;
  std::vector<double> lower;  ///< bounds of the subject's level; without one, mean - calibrated sigma
  std::vector<double> upper;
  std::vector<double> model_lower;  ///< the same without the data noise
  std::vector<double> model_upper;
  std::vector<double> sigma_model;  ///< calibrated, the average of both sides
  bool noise = false;               ///< whether data noise is part of the bounds
};

/// At input rows [q][d].
[[nodiscard]] ReportBand report_band(const ReportSubject& subject, std::span<const double> points);

/// Draws the bounds, the model uncertainty alone if there is also noise, and the mean over x, [q].
void add_band_layers(Plot& plot, const ReportSubject& subject, const std::vector<double>& x, const ReportBand& band);

/// Limits the y axis to the neighbourhood of `values` and says so in the caption, because bounds far from the data may
/// be so wide that nothing else could be seen. Does nothing if the bounds stay near.
void limit_to_neighbourhood(NamedPlot& figure, std::span<const double> values, std::span<const double> lower,
                            std::span<const double> upper);

/// At most `limit` of the rows 0, ..., count - 1, ascending; a sample that depends on these two numbers only.
[[nodiscard]] std::vector<std::size_t> thinned_rows(std::size_t count, std::size_t limit);

/// The values of these rows, [rows][cols].
[[nodiscard]] std::vector<double> select_rows(std::span<const double> values, std::span<const std::size_t> rows,
                                              std::size_t cols = 1);

/// Smallest and largest value of each input, [d], extended on both sides by `margin` times their difference.
struct ReportBox {
  std::vector<double> low;
  std::vector<double> high;
};
[[nodiscard]] ReportBox data_box(const DataSet& data, double margin);

/// Evenly spaced numbers from `low` to `high`, both included.
[[nodiscard]] std::vector<double> evenly_spaced(double low, double high, std::size_t count);

/// " (800 of 5000 drawn)" if some rows were left out, else empty.
[[nodiscard]] std::string drawn_note(std::size_t drawn, std::size_t all);

/// Whether this input is the day of a column of dates.
[[nodiscard]] bool is_date(const DataSet& data, std::size_t input);

}  // namespace nomu
