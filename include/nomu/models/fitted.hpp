#pragma once
/// What every method gives back: a fitted cohort that predicts, and a report of how the fit went.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nomu/core/prediction.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/core/tensor.hpp"

namespace nomu {

/// How the fit of one member went.
struct FitReport {
  std::uint64_t seed = 0;  ///< the one it ended with; differs from the given one after a restart
  std::int64_t epochs = 0;
  double first_loss = 0.0;
  double best_loss = 0.0;
  double last_loss = 0.0;
  bool diverged = false;  ///< even after its restarts: its predictions are not to be trusted
  bool stopped_early = false;
  std::int64_t restarts = 0;
  std::int64_t dropped = 0;    ///< parts of an ensemble left out of its predictions because they diverged
  std::vector<float> history;  ///< monitored loss of every epoch; of several stages, one after the other
};

/// What a fitted cohort is made of besides its spec: blocks of numbers with names, which an archive keeps as they are.
struct FittedState {
  struct Block {
    std::string name;
    Tensor<float> values;
    friend bool operator==(const Block&, const Block&) = default;
  };
  std::size_t inputs = 0;  ///< columns of x
  std::vector<Block> blocks;

  /// Throws DataError naming the block that is missing or, with a size other than 0, does not have it.
  [[nodiscard]] const Tensor<float>& find(std::string_view name, std::size_t size = 0) const;

  /// The one number of a block that counts something, 1 or more. Throws DataError where it is none.
  [[nodiscard]] std::size_t count(std::string_view name) const;

  friend bool operator==(const FittedState&, const FittedState&) = default;
};

/// M fitted members. Everything after it knows only their predictions.
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

  /// Sigma before its readout, [M][q][1]; empty for methods that have no such thing.
  [[nodiscard]] virtual Tensor<float> raw_sigma(const Tensor<float>& /*x*/) const { return {}; }

  [[nodiscard]] virtual const std::vector<FitReport>& reports() const = 0;

  /// All that `restore` of the same spec needs to make an equal cohort, reports aside.
  [[nodiscard]] virtual FittedState state() const = 0;
};

}  // namespace nomu
