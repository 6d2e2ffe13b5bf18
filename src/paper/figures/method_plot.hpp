#pragma once
// The plot of one fitted method: its bounds along a line, or its uncertainty over a square.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nomu/data/dataset.hpp"
#include "nomu/data/scaling.hpp"
#include "nomu/models/method.hpp"
#include "nomu/report/plot.hpp"

namespace nomu {

/// What a method was fitted to, in the units of the fit.
struct PlotSubject {
  std::string title;
  DataSet train;                                                           ///< one or two input columns
  DataSet test = {};                                                       ///< drawn if it has rows
  std::function<std::vector<double>(std::span<const double>)> truth = {};  ///< x [q][d] to [q]; empty: not known
  double c = 1.0;                                                          ///< factor on sigma
  bool show_sigma = false;  ///< draw c sigma as a separate line below the bounds
  double half_range = 1.1;  ///< the line is drawn from -half_range to half_range, the square from -1 to 1
  std::optional<Scaling> x_units = {}, y_units = {};  ///< units of the axes, mapped to those of the fit
  std::string x_label = "x", y_label = "y";
};

/// Mean and bounds mean -+ c sigma of member 0, the true function and the rows; for one input column.
[[nodiscard]] Plot line_plot(const PlotSubject& subject, const FittedCohort& fitted);

/// c sigma of member 0 as colours over two input columns, with the training rows.
[[nodiscard]] Plot map_plot(const PlotSubject& subject, const FittedCohort& fitted);

/// x [q][d] for one member.
[[nodiscard]] Tensor<float> as_rows(std::span<const double> x, std::size_t cols);

}  // namespace nomu
