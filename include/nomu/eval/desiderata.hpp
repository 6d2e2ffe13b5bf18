#pragma once
/// Measures whether a model's uncertainty behaves as the paper's desiderata D1 to D5 require. It sees the model only as
/// functions of input rows, so any method can be checked.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace nomu {

/// Input rows [q][d] to one value each, [q].
using RowFunction = std::function<std::vector<double>(std::span<const double>)>;

/// Refits the method on several subsets of the training rows at once (one cohort) and returns the sigma of each fit.
using RefitFunction = std::function<std::vector<RowFunction>(std::span<const std::vector<std::size_t>> subsets)>;

/// The model to check, as functions.
struct DesiderataSubject {
  RowFunction sigma;           ///< model uncertainty, before or after calibration
  RowFunction mean = {};       ///< empty: D4 is skipped
  RowFunction raw_sigma = {};  ///< sigma before the readout; empty: the method has none, D1 is skipped
  RefitFunction refit = {};    ///< empty: D5 is skipped
};

/// Inputs that take only the values 0 and 1: a single one, or the one-hot inputs of a column of names.
struct NamedInputs {
  std::size_t first = 0;
  std::size_t size = 1;
  std::string name = {};  ///< of the column they encode
};

/// Where and how densely to probe.
struct DesiderataSpec {
  std::vector<double> low;   ///< [d], the box the model is meant for; must be wider than the data to probe outside them
  std::vector<double> high;  ///< [d]
  std::size_t probes = 1000;
  std::uint64_t seed = 0;
  std::vector<std::string> names = {};  ///< [d], input names for the sentences; empty: numbers from 1
  /// In increasing order. Probes are rows that can occur, with one name at a time, whatever the box says about them.
  std::vector<NamedInputs> named = {};
  /// Of D4, which predicts all probes again for each input. Of more numbers than these, this many are drawn.
  std::size_t most_inputs = 64;
};

enum class Verdict {
  holds,
  fails,
  reported,  ///< measured, but without a threshold
  skipped,   ///< could not be measured; the sentence says why
};

enum class Desideratum { d1, d2, d3, d4, d5 };

/// The result of one check.
struct Finding {
  std::string name;  ///< "D1", "D2", "D3", "D3 gaps", ...
  Desideratum desideratum = Desideratum::d1;
  Verdict verdict = Verdict::skipped;
  std::optional<double> measured = {};   ///< empty when skipped
  std::optional<double> threshold = {};  ///< what `measured` is compared with; empty: nothing
  std::string sentence;                  ///< the result in words
};

struct DesiderataReport {
  std::vector<Finding> findings;

  /// The finding with this name. Throws ConfigError when there is none.
  [[nodiscard]] const Finding& find(std::string_view name) const;
};

/// Distance from each point [q][d] to its nearest training row [n][d], [q]. Every input is measured in widths of the
/// box from `low` to `high`, [d] each; inputs whose box has no width do not count. Throws DataError when sizes do not
/// match or there is no training row.
[[nodiscard]] std::vector<double> distances_to_data(std::span<const double> points,
                                                    std::span<const double> train_inputs, std::span<const double> low,
                                                    std::span<const double> high);

/// How far each point [q][d] is from all training rows [n][d] together: the posterior deviation of a Gaussian process
/// with kernel e^{-d(a, b)^2} that has seen them without noise (Appendix D.3 of the paper), [q]. Unlike the distance to
/// the nearest row it is smaller where rows lie on all sides. d^2 is the distance in widths of the box, as in
/// `distances_to_data`, divided by the median distance of training rows; only the 64 nearest rows of a point count.
/// Throws DataError as `distances_to_data` does.
[[nodiscard]] std::vector<double> posterior_deviations(std::span<const double> points,
                                                       std::span<const double> train_inputs,
                                                       std::span<const double> low, std::span<const double> high);

/// Checks a model that was fitted on `train_inputs`, [n][d].
/// - D1: share of probes where the raw sigma is below 0 (reported).
/// - D2: median sigma at the training points divided by its median at probes all over the box; holds below 0.25.
/// - D3: Spearman correlation of sigma with the distance to the nearest training point (see `distances_to_data`);
///   holds above 0.5. "D3 gaps" for probes inside the data's box, "D3 outside" for those outside, "D3" for both.
///   "D3 posterior": the same correlation with `posterior_deviations`, at up to 200 probes of each region.
/// - D4: sigma's mean absolute change along the number that changes the mean most, divided by that along the number
///   that changes it least; holds above 1. "D4 across inputs", with three or more numbers: Spearman correlation of the
///   two sensitivities; holds above 0. Names do not take part: another name is not farther from the data.
///   Of more than `most_inputs` numbers some are drawn, which the sentences say.
/// - D5: mean sigma at the probes after fitting all rows divided by that after fitting the fewest; holds below 1. The
///   fits must measure sigma on the same scale.
/// Throws DataError when sizes do not match, there are fewer than two training rows, or a function returns the wrong
/// number of values or one that is not finite; ConfigError for an empty box, fewer than two probes or no sigma;
/// Cancelled when a stop is requested.
[[nodiscard]] DesiderataReport check_desiderata(std::span<const double> train_inputs, const DesiderataSubject& subject,
                                                const DesiderataSpec& spec, const std::stop_token& stop = {});

}  // namespace nomu
