#include <fmt/format.h>

#include <utility>

#include "models/members.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/foreign.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/foreign";

/// A network in the user's units, seen from the scale of the fit.
class ScaledNetwork final : public ForeignNetwork {
 public:
  ScaledNetwork(std::shared_ptr<const ForeignNetwork> network, MemberScaling scaling)
      : network_(std::move(network)), scaling_(std::move(scaling)) {}

  [[nodiscard]] std::size_t inputs() const override { return network_->inputs(); }
  [[nodiscard]] std::size_t features() const override { return network_->features(); }
  [[nodiscard]] bool reads_inputs() const override { return network_->reads_inputs(); }

  [[nodiscard]] Evaluation evaluate(const Tensor<float>& x) const override {
    Tensor<float> rows(1, x.rows(), x.cols());
    for (std::size_t e = 0; e < x.size(); ++e) {
      const std::size_t j = e % x.cols();
      rows.flat()[e] =
          static_cast<float>(static_cast<double>(x.flat()[e]) * scaling_.inputs.factor[j] + scaling_.inputs.shift[j]);
    }
    Evaluation answer = network_->evaluate(rows);
    for (float& mean : answer.mean.flat())
      mean = static_cast<float>((static_cast<double>(mean) - scaling_.target.shift[0]) / scaling_.target.factor[0]);
    return answer;
  }

 private:
  std::shared_ptr<const ForeignNetwork> network_;
  MemberScaling scaling_;
};

/// Every member in the same scale: that of all rows, which the network has seen anyway.
MemberFit fit_beside(std::shared_ptr<const ForeignNetwork> network, const DataSet& all) {
  return [network = std::move(network), &all](const FitSpec& spec, std::span<const DataSet> data, Engine& engine,
                                              const Progress& progress) {
    const MemberScaling scaling = scaling_for(spec, all);
    std::vector<DataSet> scaled;
    for (const DataSet& one : data) scaled.push_back(scaled_dataset(one, scaling.inputs, scaling.target));
    const std::vector<std::uint64_t> seeds(data.size(), static_cast<std::uint64_t>(spec.seed));
    const auto seen = std::make_shared<const ScaledNetwork>(network, scaling);
    Members members{.fitted = fit_sigma(std::get<NomuSpec>(spec.method), seen, pack(scaled, seeds), engine, progress),
                    .scalings = std::vector<MemberScaling>(data.size(), scaling)};
    refuse_diverged(members.fitted->reports());
    return members;
  };
}

FitSpec checked(const FitSpec& given, const ForeignNetwork* network, const DataSet& data) {
  FitSpec spec = given;
  auto* nomu = std::get_if<NomuSpec>(&spec.method);
  if (nomu == nullptr)
    throw ConfigError(where, fmt::format("bounds for a given network are those of method 'nomu', got '{}'",
                                         method_name(given.method)));
  nomu->ensemble = 1;
  if (network == nullptr) throw ConfigError(where, "there is no network to give bounds to");
  if (network->inputs() != data.cols())
    throw DataError(where,
                    fmt::format("the network reads {} columns, the data have {}", network->inputs(), data.cols()));
  if (spec.calibration.kind == CalibrationChoice::automatic) spec.calibration.kind = CalibrationChoice::nll;
  return spec;
}

}  // namespace

Model fit_bounds(const FitSpec& given, std::shared_ptr<const ForeignNetwork> network, const DataSet& data,
                 std::shared_ptr<Engine> engine, const Progress& progress) {
  const FitSpec spec = checked(given, network.get(), data);
  return fit_with(spec, data, fit_beside(std::move(network), data), std::move(engine), progress);
}

Model fit_bounds(const FitSpec& given, std::shared_ptr<const ForeignNetwork> network, const DataSet& data,
                 const DataSet& calibration_rows, std::shared_ptr<Engine> engine, const Progress& progress) {
  FitSpec spec = checked(given, network.get(), data);
  spec.calibration.kind = CalibrationChoice::none;
  const Model model = fit_with(spec, data, fit_beside(std::move(network), data), std::move(engine), progress);
  return calibrated(model, calibration_rows, given.calibration);
}

}  // namespace nomu
