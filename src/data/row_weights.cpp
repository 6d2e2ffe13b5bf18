#include "data/row_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "nomu/core/counted.hpp"

namespace nomu {
namespace {

DataSet only(const DataSet& data, std::span<const std::size_t> rows) {
  DataSet some = subset(data, rows);
  some.report = data.report;
  some.report.unfamiliar_rows.clear();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (std::ranges::binary_search(data.report.unfamiliar_rows, rows[k])) some.report.unfamiliar_rows.push_back(k);
  }
  note_weightless_rows(some, data.rows() - rows.size());
  return some;
}

/// Divided by the largest first, so that no sum overflows.
double mean_of(std::span<const double> weights, double largest) {
  double sum = 0.0;
  for (const double weight : weights) sum += weight / largest;
  return largest * (sum / static_cast<double>(weights.size()));
}

}  // namespace

std::vector<std::size_t> counting_rows(std::span<const double> weights) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0.0) rows.push_back(i);
  }
  return rows;
}

void note_weightless_rows(DataSet& data, std::size_t count) {
  if (count == 0) return;
  data.report.notes.push_back(
      {.column = data.target_name,
       .text = fmt::format("{} of weight 0 {} left out", counted(count, "row"), was_or_were(count))});
}

DataSet weighed_rows(const DataSet& data) {
  if (data.row_weight.empty()) return data;
  check_dataset(data);
  const std::vector<std::size_t> counting = counting_rows(data.row_weight);
  DataSet rows = counting.size() == data.rows() ? data : only(data, counting);
  const auto [least, most] = std::ranges::minmax(rows.row_weight);
  if (least == most) {
    rows.row_weight.clear();
    return rows;
  }
  constexpr double rounding = 1e-12;
  const double mean = mean_of(rows.row_weight, most);
  if (std::abs(mean - 1.0) < rounding) return rows;
  for (double& weight : rows.row_weight) weight /= mean;
  return rows;
}

}  // namespace nomu
