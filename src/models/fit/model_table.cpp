#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "eval/row_checks.hpp"
#include "models/fit/members.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/model.hpp"

namespace nomu {
namespace {

std::vector<double> known_noise(const Model& model, const Table& table) {
  return model.data().noise_name.empty() ? std::vector<double>{} : numeric_column(table, model.data().noise_name);
}

/// The column of the strata that the bounds depend on; empty: there are no strata, or they did not come from a column.
std::string strata_column(const Model& model) {
  return model.calibration().strata.empty() ? "" : model.data().strata_name;
}

/// The names of the rows in that column; empty without one.
std::vector<std::string> names_in(const Model& model, const Table& table) {
  const std::string column = strata_column(model);
  if (column.empty()) return {};
  if (table.has_column(column)) return strata_in(table, column);
  throw DataError("models/model", fmt::format("{}: there is no column '{}', on whose names the bounds depend; add it, "
                                              "and leave cells empty where the name is not known",
                                              table.source(), column));
}

std::vector<bool> outside_of(const Model& model, const Table& table, const EncodedRows& rows) {
  std::vector<bool> outside = model.outside(rows.inputs);
  const std::vector<std::string> strata = names_in(model, table);
  for (std::size_t i = 0; i < outside.size(); ++i) {
    const bool strange = !strata.empty() && !std::ranges::binary_search(model.calibration().strata, strata[i]);
    outside[i] = outside[i] || rows.unfamiliar[i] || strange;
  }
  return outside;
}

void add_quantiles(Table& table, std::span<const double> quantiles, std::span<const double> probabilities) {
  const std::size_t count = probabilities.size();
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<double> column;
    for (std::size_t i = k; i < quantiles.size(); i += count) column.push_back(quantiles[i]);
    table.add_column("q" + format_number(probabilities[k]), column);
  }
}

/// The rows as inputs. Throws DataError naming the cell of one that the model cannot compute with.
EncodedRows usable_rows(const Model& model, const Table& table) {
  EncodedRows rows = encode(table, model.data().features);
  const auto far = far_value(model.parts().scalings.front().inputs.apply(rows.inputs), rows.inputs);
  if (!far) return rows;
  std::size_t input = far->index % model.cols();
  for (const FeatureColumn& feature : model.data().features) {
    if (input < input_count(feature)) {
      throw DataError("models/model",
                      fmt::format("{}: {}", cell_location(table, far->index / model.cols(), feature.name), far->text));
    }
    input -= input_count(feature);
  }
  return rows;
}

/// The rows are finite and not too far away, so that only a damaged model predicts a mean that is not finite.
void check_predicted(const PredictedRows& predicted) {
  if (predicted.rows() > 0) require_finite("models/predict", "mean", predicted.mean);
}

void refuse_own_columns(const Table& rows) {
  for (const Column& column : rows.columns()) {
    if (!is_predicted_column(column.name())) continue;
    throw DataError("models/model", fmt::format("{}: there is already a column '{}', as predictions have one; rename "
                                                "it, or leave it out",
                                                rows.source(), column.name()));
  }
}

}  // namespace

PredictedRows Model::predict(const Table& rows) const {
  return predict(usable_rows(*this, rows).inputs, known_noise(*this, rows));
}

Bounds Model::bounds(const Table& rows, double level) const {
  return bounds(usable_rows(*this, rows).inputs, level, known_noise(*this, rows), names_in(*this, rows));
}

std::vector<double> Model::quantiles(const Table& rows, std::span<const double> probabilities) const {
  return quantiles(usable_rows(*this, rows).inputs, probabilities, known_noise(*this, rows), names_in(*this, rows));
}

std::vector<bool> Model::outside(const Table& rows) const {
  return outside_of(*this, rows, encode(rows, data().features));
}

bool is_predicted_column(std::string_view name) {
  constexpr std::array<std::string_view, 7> names = {"mean",  "sigma_model", "sigma_below", "sigma_noise",
                                                     "lower", "upper",       "outside"};
  return std::ranges::find(names, name) != names.end();
}

Table predict_table(const Model& model, const Table& rows, std::optional<double> level,
                    std::span<const double> probabilities) {
  const EncodedRows encoded = usable_rows(model, rows);
  const std::vector<double>& x = encoded.inputs;
  const std::vector<double> noise = known_noise(model, rows);
  const PredictedRows predicted = model.predict(x, noise);
  check_predicted(predicted);
  const std::vector<double> nothing(rows.rows(), std::numeric_limits<double>::quiet_NaN());
  const std::vector<std::string> strata = names_in(model, rows);
  const Bounds bounds = level ? model.bounds(x, *level, noise, strata) : Bounds{.lower = nothing, .upper = nothing};
  const std::vector<bool> outside = outside_of(model, rows, encoded);

  refuse_own_columns(rows);
  Table table = rows;
  table.add_column("mean", predicted.mean);
  table.add_column("sigma_model", predicted.sigma_model);
  if (!predicted.sigma_below.empty()) {
    table.add_column("sigma_below", predicted.sigma_below);
  }
  // If no noise is modelled, its standard deviation is 0.
  const bool noisy = !predicted.sigma_noise.empty();
  table.add_column("sigma_noise", noisy ? predicted.sigma_noise : std::vector<double>(rows.rows(), 0.0));
  table.add_column("lower", bounds.lower);
  table.add_column("upper", bounds.upper);
  add_quantiles(table, model.quantiles(x, probabilities, noise, strata), probabilities);
  table.add_column("outside", std::vector<double>(outside.begin(), outside.end()));
  return table;
}

Table predictable_rows(const Model& model, const Table& table) {
  std::vector<std::string> needed;
  for (const FeatureColumn& feature : model.data().features) needed.push_back(feature.name);
  if (!model.data().noise_name.empty()) needed.push_back(model.data().noise_name);
  Table rows = complete_rows(table, needed);
  if (rows.rows() == 0) {
    throw DataError("models/model",
                    fmt::format("{}: every row has a missing value in a column that the model needs", table.source()));
  }
  return rows;
}

DataSet labelled_rows(const Model& model, const Table& table, bool drop_missing) {
  const DataSet& data = model.data();
  return make_dataset(table, data.features,
                      {.target = data.target_name,
                       .noise = data.noise_name,
                       .coverage_by = strata_column(model),
                       .drop_missing = drop_missing,
                       .min_rows = 1});
}

}  // namespace nomu
