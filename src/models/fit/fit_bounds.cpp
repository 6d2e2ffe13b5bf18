#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data/row_weights.hpp"
#include "models/attached/fitted_attached.hpp"
#include "models/fit/fit_plan.hpp"
#include "models/fit/members.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/foreign.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/foreign";

/// All members share one scale, that of all rows, which the network has seen anyway. The fitted members take rows in
/// the user's units, so the network reads exactly the numbers it would read elsewhere.
MemberFit fit_attached(std::shared_ptr<const ForeignNetwork> network, const DataSet& all) {
  return [network = std::move(network), &all](const FitSpec& spec, std::span<const DataSet> data, Engine& engine,
                                              const Progress& progress) {
    const ForeignScale scale = ForeignScale::of(scaling_for(spec, all));
    const MemberScaling scaling = scale.scaling();
    std::vector<DataSet> scaled;
    for (const DataSet& one : data) scaled.push_back(scaled_dataset(one, scaling.inputs, scaling.target));
    const std::vector<std::uint64_t> seeds(data.size(), static_cast<std::uint64_t>(spec.seed));
    Members members{
        .fitted = fit_sigma_in(std::get<NomuSpec>(spec.method), network, scale, pack(scaled, seeds), engine, progress),
        .scalings = {data.size(), ForeignScale::identity(all.cols()).scaling()}};
    refuse_diverged(members.fitted->reports());
    return members;
  };
}

FitSpec checked(const FitSpec& given, const ForeignNetwork* network, const DataSet& data) {
  FitSpec spec = given;
  if (!std::holds_alternative<NomuSpec>(spec.method))
    throw ConfigError(
        where, fmt::format("bounds for a given network need method 'nomu', got '{}'", method_name(given.method)));
  if (network == nullptr) throw ConfigError(where, "bounds need a network, got none");
  if (network->inputs() != data.cols())
    throw DataError(where,
                    fmt::format("the network reads {} columns, but the data have {}", network->inputs(), data.cols()));
  if (spec.calibration.kind == CalibrationChoice::automatic) spec.calibration.kind = CalibrationChoice::nll;
  spec.evidence.use = EvidenceSpec::Use::no;  // the network has seen all rows
  return spec;
}

/// The inputs are the network's, so nothing can be added to them. Columns that it calls by name are taken by name.
DataSet rows_for_network(FitRequest request, const ForeignNetwork* network, const Table& table) {
  request.columns.fixed_inputs = true;
  if (network != nullptr && request.columns.features.empty()) {
    std::vector<std::string> names = network->input_names();
    if (std::ranges::all_of(names, [&](const std::string& name) { return table.has_column(name); }))
      request.columns.features = std::move(names);
  }
  return rows_of(request, table);
}

}  // namespace

Model fit_bounds(const FitSpec& given, std::shared_ptr<const ForeignNetwork> network, const DataSet& data,
                 std::shared_ptr<Engine> engine, const Progress& progress) {
  const FitSpec spec = checked(given, network.get(), data);
  if (spec.calibration.kind == CalibrationChoice::conformal) {
    throw ConfigError(
        where,
        "conformal bounds need rows that the network has not learned from, and fold models cannot replace them; give "
        "such rows (--calibrate-on, calibrate_on in Python) or choose another calibration");
  }
  const DataSet rows = weighed_rows(data);
  return fit_with(spec, rows, fit_attached(std::move(network), rows), std::move(engine), progress);
}

Model fit_bounds(const FitSpec& given, std::shared_ptr<const ForeignNetwork> network, const DataSet& data,
                 const DataSet& calibration_rows, std::shared_ptr<Engine> engine, const Progress& progress) {
  FitSpec spec = checked(given, network.get(), data);
  check_calibration_rows(given.calibration, data, calibration_rows);
  spec.calibration.kind = CalibrationChoice::none;
  const DataSet rows = weighed_rows(data);
  const Model model = fit_with(spec, rows, fit_attached(std::move(network), rows), std::move(engine), progress);
  return calibrated(model, calibration_rows, given.calibration);
}

Model fit_bounds(const FitRequest& request, std::shared_ptr<const ForeignNetwork> network, const DataSet& data,
                 std::shared_ptr<Engine> engine, const Progress& progress) {
  const DataSet rows = rows_to_fit(request, data);
  return fit_bounds(spec_of(request, rows, true), std::move(network), rows, std::move(engine), progress);
}

Model fit_bounds(const FitRequest& request, std::shared_ptr<const ForeignNetwork> network, const DataSet& data,
                 const DataSet& calibration_rows, std::shared_ptr<Engine> engine, const Progress& progress) {
  const DataSet rows = rows_to_fit(request, data);
  return fit_bounds(spec_of(request, rows, true), std::move(network), rows, calibration_rows, std::move(engine),
                    progress);
}

Model fit_bounds(const FitRequest& request, std::shared_ptr<const ForeignNetwork> network, const Table& table,
                 std::shared_ptr<Engine> engine, const Progress& progress) {
  const DataSet rows = rows_for_network(request, network.get(), table);
  return fit_bounds(request, std::move(network), rows, std::move(engine), progress);
}

Model fit_bounds(const FitRequest& request, std::shared_ptr<const ForeignNetwork> network, const Table& table,
                 const Table& calibration_rows, std::shared_ptr<Engine> engine, const Progress& progress) {
  const DataSet rows = rows_for_network(request, network.get(), table);
  return fit_bounds(request, std::move(network), rows, calibration_rows_of(request, rows, calibration_rows),
                    std::move(engine), progress);
}

}  // namespace nomu
