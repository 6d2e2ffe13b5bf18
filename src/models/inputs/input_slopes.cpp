#include "models/inputs/input_slopes.hpp"

#include <Eigen/Dense>
#include <vector>

#include "engine/layout.hpp"
#include "engine/math.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

using engine::Layer;
using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const RowMatrix>;

/// One member's networks at q rows.
class MemberPass {
 public:
  MemberPass(const engine::Layout& layout, std::span<const float> parameters, const ConstMap& x)
      : layout_(layout), parameters_(parameters.data()), x_(x) {
    for (const Layer& layer : layout.layers) {
      const auto units = static_cast<Eigen::Index>(layer.units);
      RowMatrix z = Eigen::Map<const Eigen::RowVectorXf>(parameters_ + layer.bias, units).replicate(x.rows(), 1);
      for (const engine::Feed& feed : layer.feeds) {
        if (feed.source == engine::input_layer) {
          z.noalias() += x_ * weights(layer, feed);
        } else {
          z.noalias() += activity_[feed.source] * weights(layer, feed);
        }
      }
      activity_.emplace_back(z.unaryExpr([&](float v) { return engine::activate(layer.activation, v); }));
    }
  }

  /// Values of an output, and its derivatives with respect to the inputs, [q][d].
  [[nodiscard]] float value(std::size_t head, Eigen::Index row, Eigen::Index unit) const {
    return activity_[head](row, unit);
  }
  [[nodiscard]] RowMatrix backward(std::size_t head, Eigen::Index unit) const {
    std::vector<RowMatrix> delta(layout_.layers.size());
    delta[head] = RowMatrix::Zero(x_.rows(), activity_[head].cols());
    delta[head].col(unit).setOnes();
    RowMatrix by_input = RowMatrix::Zero(x_.rows(), x_.cols());
    for (std::size_t l = head + 1; l-- > 0;) {
      if (delta[l].size() == 0) continue;
      const Layer& layer = layout_.layers[l];
      delta[l].array() *=
          activity_[l].unaryExpr([&](float a) { return engine::activation_slope(layer.activation, a); }).array();
      for (const engine::Feed& feed : layer.feeds) {
        const RowMatrix back = delta[l] * weights(layer, feed).transpose();
        if (feed.source == engine::input_layer) {
          by_input += back;
        } else if (delta[feed.source].size() == 0) {
          delta[feed.source] = back;
        } else {
          delta[feed.source] += back;
        }
      }
    }
    return by_input;
  }

 private:
  [[nodiscard]] ConstMap weights(const Layer& layer, const engine::Feed& feed) const {
    return {parameters_ + feed.weights, static_cast<Eigen::Index>(feed.units), static_cast<Eigen::Index>(layer.units)};
  }

  const engine::Layout& layout_;
  const float* parameters_;
  const ConstMap& x_;
  std::vector<RowMatrix> activity_;  // [layers] of [q][units]
};

}  // namespace

OutputSlopes input_slopes(const engine::Networks& networks, const Tensor<float>& parameters, const Tensor<float>& x) {
  for (const engine::Net& net : networks.nets) {
    if (net.front.windows.empty()) continue;
    throw ConfigError("models/input_slopes", "slopes by the inputs are not available for networks with convolutions");
  }
  const engine::Layout layout = engine::make_layout(networks, LossKind::squared_error);
  const std::size_t members = parameters.members();
  OutputSlopes result{.outputs = Tensor<float>(members, x.rows(), layout.outputs),
                      .slopes = Tensor<float>(members, x.rows(), layout.outputs * x.cols())};
  for (std::size_t m = 0; m < members; ++m) {
    const ConstMap rows(x.member(x.members() == 1 ? 0 : m).data(), static_cast<Eigen::Index>(x.rows()),
                        static_cast<Eigen::Index>(x.cols()));
    const MemberPass pass(layout, parameters.member(m), rows);
    for (std::size_t l = 0; l < layout.layers.size(); ++l) {
      for (std::size_t unit = 0; layout.layers[l].head && unit < layout.layers[l].units; ++unit) {
        const std::size_t k = layout.layers[l].first_output + unit;
        const RowMatrix slopes = pass.backward(l, static_cast<Eigen::Index>(unit));
        for (std::size_t i = 0; i < x.rows(); ++i) {
          const auto row = static_cast<Eigen::Index>(i);
          result.outputs(m, i, k) = pass.value(l, row, static_cast<Eigen::Index>(unit));
          for (std::size_t j = 0; j < x.cols(); ++j) {
            result.slopes(m, i, k * x.cols() + j) = slopes(row, static_cast<Eigen::Index>(j));
          }
        }
      }
    }
  }
  return result;
}

}  // namespace nomu
