#pragma once
// What to train, as data: networks and their links, loss, optimiser, rows, and everything that may differ between
// members. An engine sees the whole plan at once and may fuse the step as it likes.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/convolution.hpp"
#include "nomu/core/tensor.hpp"
#include "nomu/nn/loss.hpp"
#include "nomu/nn/network.hpp"
#include "nomu/nn/optimizer.hpp"

namespace nomu::engine {

/// One number for all members, or one for each.
class PerMember {
 public:
  PerMember(float value = 0.0F) : values_{value} {}                     // NOLINT(google-explicit-constructor)
  PerMember(std::vector<float> values) : values_(std::move(values)) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] float operator[](std::size_t m) const { return values_.size() == 1 ? values_[0] : values_[m]; }
  [[nodiscard]] const std::vector<float>& values() const { return values_; }

 private:
  std::vector<float> values_;
};

/// Hidden layer `from_layer` of the earlier net `from_net` also feeds layer `to_layer` of the net that holds the link;
/// `to_layer` == number of hidden layers means its head.
struct Link {
  std::size_t from_net = 0;
  std::size_t from_layer = 0;
  std::size_t to_layer = 0;
  Gradient gradient = Gradient::stopped;
};

/// One network of the plan. Its outputs follow those of the nets before it.
struct Net {
  Front front;                      ///< convolutions; links neither read nor feed them
  std::vector<std::size_t> hidden;  ///< dense layers after them
  std::size_t outputs = 1;
  Activation activation = Activation::relu;
  Init init = Init::uniform;
  float init_scale = 0.05F;
  std::vector<Link> links;
  bool trainable = true;
  PerMember dropout = 0.0F;               ///< after each hidden layer, inverted scaling
  std::vector<PerMember> dropout_layers;  ///< instead, one for each convolution and hidden layer; empty: `dropout`
  PerMember l2_hidden = 0.0F;             ///< adds l2 * sum(w^2) over weights and biases of the hidden layers
  PerMember l2_output = 0.0F;             ///< the same for the head
};

/// The part of a plan that prediction needs too.
struct Networks {
  std::size_t inputs = 1;  ///< columns of x
  std::vector<Net> nets;
};

struct Loss {
  LossKind kind = LossKind::squared_error;
  Reduction reduction = Reduction::sum;
  bool stable = false;      ///< bounded slopes in terms (b) and (c), Appendix B.2.6
  bool fit_mean = true;     ///< false: term (a) is left out, because the mean is given
  bool around_mean = true;  ///< directed bounds are lifted away from the mean; false: from 0, as Appendix C.2 prints it
  float noise_floor = 1e-6F;
  PerMember mu_sqr = 0.1F;
  PerMember mu_exp = 0.01F;
  PerMember c_exp = 30.0F;
};

enum class AugmentKind {
  none,
  uniform,          ///< fresh uniform points in the box, every step
  low_discrepancy,  ///< a shifted additive recurrence in the box, a new shift every step
  fixed,            ///< the given points, every step
  pool              ///< `count` of the given points, drawn again every step
};

/// The artificial input points of term (c).
struct Augment {
  AugmentKind kind = AugmentKind::none;
  std::size_t count = 0;
  Tensor<float> box;     ///< [1 or M][2][d]: lower and upper corner
  Tensor<float> points;  ///< [1 or M][k][d] for `fixed` (k == count) and `pool`
};

struct TrainPlan {
  Networks networks;
  Loss loss;
  Augment augment;
  TrainSpec train;
  PerMember learning_rate = 1e-3F;   ///< replaces train.learning_rate
  PerMember clip_norm = 0.0F;        ///< replaces train.clip_norm; 0: none
  Tensor<float> x;                   ///< [M][n][d]
  Tensor<float> y;                   ///< [M][n][1]
  Tensor<float> row_weight;          ///< [M][n][1]; 0: padding; empty: all 1
  Tensor<float> noise;               ///< [M][n][1] known sigma of the data noise; only for nomu_known
  Tensor<float> start;               ///< [M][1][P] parameters to start from; empty: drawn from the seeds
  bool goes_on = false;              ///< the start is the parameters of trained networks
  std::vector<std::uint64_t> seeds;  ///< [M]; all randomness of a member comes from its own seed

  [[nodiscard]] std::size_t members() const { return x.members(); }
};

/// Throws ConfigError or DataError if sizes, ranges or parts of the plan contradict each other.
/// Large cohorts are checked by up to `threads` threads.
void check(const TrainPlan& plan, std::int64_t threads = 1);

/// Throws ConfigError if the networks by themselves are impossible.
void check(const Networks& networks);

/// The same plan for some of its members, in the given order.
[[nodiscard]] TrainPlan select(const TrainPlan& plan, std::span<const std::size_t> members);

/// Number of outputs of all nets together.
[[nodiscard]] std::size_t output_count(const Networks& networks);

/// Whether output `k` gets a gradient from artificial rows.
[[nodiscard]] bool augments_output(LossKind kind, std::size_t k);

}  // namespace nomu::engine
