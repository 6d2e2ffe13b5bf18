#include <algorithm>
#include <limits>

#include "nomu/models/model.hpp"

namespace nomu {
namespace {

std::vector<double> times(const std::vector<double>& values, double factor) {
  std::vector<double> product(values);
  for (double& value : product) value *= factor;
  return product;
}

std::vector<double> known_noise(const Model& model, const Table& table) {
  return model.data().noise_name.empty() ? std::vector<double>{} : numeric_column(table, model.data().noise_name);
}

}  // namespace

Table predict_table(const Model& model, const Table& rows, std::optional<double> level) {
  const std::vector<double> x = encode_inputs(rows, model.data().features);
  const std::vector<double> noise = known_noise(model, rows);
  const PredictedRows predicted = model.predict(x, noise);
  const Calibration& calibration = model.calibration();
  const std::vector<double> nothing(rows.rows(), std::numeric_limits<double>::quiet_NaN());
  const Bounds bounds = level ? model.bounds(x, *level, noise) : Bounds{.lower = nothing, .upper = nothing};
  const std::vector<bool> outside = model.outside(x);

  Table table = rows;
  table.add_column("mean", predicted.mean);
  table.add_column("sigma_model", times(predicted.sigma_model, calibration.c_model));
  if (!predicted.sigma_below.empty()) {
    table.add_column("sigma_below", times(predicted.sigma_below, calibration.c_model));
  }
  // Where no noise is modelled, none is assumed: its standard deviation is 0.
  const bool noisy = !predicted.sigma_noise.empty();
  table.add_column("sigma_noise",
                   noisy ? times(predicted.sigma_noise, calibration.c_noise) : std::vector<double>(rows.rows(), 0.0));
  table.add_column("lower", bounds.lower);
  table.add_column("upper", bounds.upper);
  table.add_column("outside", std::vector<double>(outside.begin(), outside.end()));
  return table;
}

DataSet labelled_rows(const Model& model, const Table& table, bool drop_missing) {
  const DataSet& data = model.data();
  return make_dataset(
      table, data.features,
      {.target = data.target_name, .noise = data.noise_name, .drop_missing = drop_missing, .min_rows = 1});
}

}  // namespace nomu
