#pragma once
/// What every method returns: a fitted cohort that predicts, and a report on how each fit went.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nomu/core/prediction.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/core/tensor.hpp"

namespace nomu {

/// How the fit of one member went.
struct FitReport {
  std::uint64_t seed = 0;  ///< the seed of the last attempt; differs from the given one after a restart
  std::int64_t epochs = 0;
  double first_loss = 0.0;
  double best_loss = 0.0;
  double last_loss = 0.0;
  bool diverged = false;  ///< diverged even after its restarts: do not trust its predictions
  bool stopped_early = false;
  std::int64_t restarts = 0;
  std::int64_t dropped = 0;    ///< networks of an ensemble that diverged and do not contribute to its predictions
  std::vector<float> history;  ///< monitored loss of every epoch; if there are several stages, one after the other
};

/// The extents of a block of numbers.
struct BlockShape {
  std::size_t members = 0;
  std::size_t rows = 0;
  std::size_t cols = 0;
};

/// What a fitted cohort consists of besides its spec: named blocks of numbers, which an archive stores unchanged.
struct FittedState {
  struct Block {
    std::string name;
    Tensor<float> values;
    friend bool operator==(const Block&, const Block&) = default;
  };
  std::size_t inputs = 0;  ///< columns of x
  std::vector<Block> blocks;
  std::size_t data_rows = 0;  ///< of a state from a file: rows of its data, which no member can have more of

  [[nodiscard]] bool has(std::string_view name) const;

  /// The last axis of the block of this name; 0 if there is none.
  [[nodiscard]] std::size_t cols_of(std::string_view name) const;

  /// The block of this name. Throws DataError if it is missing or has another shape.
  [[nodiscard]] const Tensor<float>& block(std::string_view name, const BlockShape& shape) const;

  friend bool operator==(const FittedState&, const FittedState&) = default;
};

/// Derivatives of a prediction with respect to every input, each [M][q][d].
struct PredictionSlopes {
  Tensor<float> mean;
  Tensor<float> sigma_model;
};

/// M fitted members. Whatever happens after a fit uses only their predictions.
class FittedCohort {
 public:
  FittedCohort() = default;
  FittedCohort(const FittedCohort&) = delete;
  FittedCohort& operator=(const FittedCohort&) = delete;
  FittedCohort(FittedCohort&&) = delete;
  FittedCohort& operator=(FittedCohort&&) = delete;
  virtual ~FittedCohort() = default;

  [[nodiscard]] virtual std::size_t members() const = 0;

  /// Predictions [M][q][1] at x [1 or M][q][d], on the scale of the data the cohort was fitted to.
  [[nodiscard]] virtual Prediction predict(const Tensor<float>& x) const = 0;

  /// Sigma before its readout, [M][q][1]; empty for methods without a readout.
  [[nodiscard]] virtual Tensor<float> raw_sigma(const Tensor<float>& /*x*/) const { return {}; }

  /// Exact slopes of the predictions at x [1 or M][q][d]; empty if the method cannot compute them.
  [[nodiscard]] virtual std::optional<PredictionSlopes> slopes(const Tensor<float>& /*x*/) const { return {}; }

  /// A cohort of some of the members, in the given order, that predicts for them exactly what this one does.
  [[nodiscard]] virtual std::unique_ptr<FittedCohort> select(std::span<const std::size_t> members) const = 0;

  [[nodiscard]] virtual const std::vector<FitReport>& reports() const = 0;

  /// All that `restore` needs, besides the spec and the reports, to recreate the cohort.
  [[nodiscard]] virtual FittedState state() const = 0;
};

}  // namespace nomu
