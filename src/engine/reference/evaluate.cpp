#include "engine/reference/evaluate.hpp"

#include <algorithm>
#include <numeric>

#include "engine/reference/convolve.hpp"

namespace nomu::engine::reference {
namespace {

/// Factor on unit `e` of a hidden layer: 0 or the inverted scaling.
double mask_factor(const Problem& p, std::size_t layer, const Masks& masks, std::uint64_t e) {
  const float rate = dropout_of(*p.networks, p.layout->layers[layer], p.member);
  if (masks.kind == Masks::Kind::none || rate == 0.0F) return 1.0;
  const DropoutMask mask = masks.kind == Masks::Kind::training ? training_mask(masks.seed, layer, masks.step, rate)
                                                               : prediction_mask(masks.seed, layer, masks.step, rate);
  return mask.keeps(e) ? 1.0 / (1.0 - static_cast<double>(rate)) : 0.0;
}

const double* source_row(const Feed& feed, const Activations& hidden, const std::vector<double>& x, std::size_t row) {
  const std::vector<double>& values = feed.source == input_layer ? x : hidden[feed.source];
  return values.data() + row * feed.units;
}

Filters filters_of(const Layer& layer, const std::vector<double>& parameters) {
  return {*layer.convolution, layer.activation, parameters.data() + layer.weights, parameters.data() + layer.bias};
}

/// Values and slopes of all row losses; returns the sum, fills the slopes of each head.
double row_losses(const Problem& p, const Rows& rows, const Activations& hidden,
                  std::vector<std::vector<double>>& delta) {
  const double weights = std::accumulate(rows.weight.begin(), rows.weight.end(), 0.0);
  double total = 0.0;
  for (std::size_t i = 0; i < rows.all(); ++i) {
    double out[most_outputs] = {};
    for (std::size_t l = 0; l < p.layout->layers.size(); ++l) {
      const Layer& layer = p.layout->layers[l];
      for (std::size_t k = 0; layer.head && k < layer.units; ++k)
        out[layer.first_output + k] = hidden[l][i * layer.units + k];
    }
    const bool data = i < rows.data;
    const double noise = data && !rows.noise.empty() ? rows.noise[i] : 1.0;
    const RowLoss<double> row = data ? data_loss(p.loss, out, rows.y[i], noise) : augmented_loss(p.loss, out);
    double factor = data ? rows.weight[i] : 1.0 / static_cast<double>(rows.augmented);
    if (data && p.reduction == Reduction::mean) factor /= weights;
    total += factor * row.value;
    for (std::size_t l = 0; l < p.layout->layers.size(); ++l) {
      const Layer& layer = p.layout->layers[l];
      for (std::size_t k = 0; layer.head && k < layer.units; ++k) {
        delta[l][i * layer.units + k] = factor * row.slope[layer.first_output + k];
      }
    }
  }
  return total;
}

void forward_convolution(const Problem& p, std::size_t l, const std::vector<double>& parameters, const double* source,
                         std::size_t row, const Masks& masks, std::vector<double>& out) {
  const Layer& layer = p.layout->layers[l];
  pool(*layer.convolution, convolved(filters_of(layer, parameters), source), out.data() + row * layer.units);
  for (std::size_t e = row * layer.units; e < (row + 1) * layer.units; ++e) out[e] *= mask_factor(p, l, masks, e);
}

/// Adds a layer's delta to its weights' gradient and, where gradients flow back, to its sources.
void backward_layer(const Problem& p, std::size_t l, const std::vector<double>& parameters, const Rows& rows,
                    const Activations& hidden, std::vector<std::vector<double>>& delta, std::vector<double>& gradient) {
  const Layer& layer = p.layout->layers[l];
  for (std::size_t i = 0; i < rows.all(); ++i) {
    const double* d = delta[l].data() + i * layer.units;
    if (layer.convolution) {
      const Feed& feed = layer.feeds.front();
      double* by_source = feed.carries ? delta[feed.source].data() + i * feed.units : nullptr;
      backward(filters_of(layer, parameters), source_row(feed, hidden, rows.x, i), d, gradient.data() + layer.weights,
               gradient.data() + layer.bias, by_source);
      continue;
    }
    for (std::size_t j = 0; j < layer.units; ++j) gradient[layer.bias + j] += d[j];
    for (const Feed& feed : layer.feeds) {
      const double* input = source_row(feed, hidden, rows.x, i);
      for (std::size_t u = 0; u < feed.units; ++u) {
        const std::size_t w = feed.weights + u * layer.units;
        double back = 0.0;
        for (std::size_t j = 0; j < layer.units; ++j) {
          gradient[w + j] += input[u] * d[j];
          back += parameters[w + j] * d[j];
        }
        if (feed.carries && feed.source != input_layer) delta[feed.source][i * feed.units + u] += back;
      }
    }
  }
}

/// Turns the derivative by a layer's activated values into that by its pre-activations. A convolution's activation
/// comes before its pooling, so only the mask is left here.
void through_activation(const Problem& p, std::size_t l, const Rows& rows, const Activations& hidden,
                        const Masks& masks, std::vector<double>& delta) {
  const Layer& layer = p.layout->layers[l];
  for (std::size_t e = 0; e < rows.all() * layer.units; ++e) {
    const double factor = mask_factor(p, l, masks, e);
    if (layer.convolution) {
      delta[e] *= factor;
      continue;
    }
    delta[e] *= factor == 0.0 ? 0.0 : factor * activation_slope(layer.activation, hidden[l][e] / factor);
  }
}

/// Adds the L2 penalty (no factor 1/2, biases included) of one layer and its gradient.
double penalty(const Problem& p, const Layer& layer, const std::vector<double>& parameters,
               std::vector<double>& gradient) {
  const Net& net = p.networks->nets[layer.net];
  const auto l2 = static_cast<double>(layer.head ? net.l2_output[p.member] : net.l2_hidden[p.member]);
  double sum = 0.0;
  const auto add = [&](std::size_t offset, std::size_t count) {
    for (std::size_t e = offset; e < offset + count; ++e) {
      sum += parameters[e] * parameters[e];
      gradient[e] += 2.0 * l2 * parameters[e];
    }
  };
  add(layer.weights, layer.fan_in() * layer.columns());
  add(layer.bias, layer.columns());
  return l2 * sum;
}

}  // namespace

Activations forward(const Problem& p, const std::vector<double>& parameters, const std::vector<double>& x,
                    std::size_t rows, const Masks& masks) {
  Activations hidden(p.layout->layers.size());
  for (std::size_t l = 0; l < hidden.size(); ++l) {
    const Layer& layer = p.layout->layers[l];
    hidden[l].assign(rows * layer.units, 0.0);
    for (std::size_t i = 0; i < rows; ++i) {
      if (layer.convolution) {
        forward_convolution(p, l, parameters, source_row(layer.feeds.front(), hidden, x, i), i, masks, hidden[l]);
        continue;
      }
      for (std::size_t j = 0; j < layer.units; ++j) {
        double z = parameters[layer.bias + j];
        for (const Feed& feed : layer.feeds) {
          const double* input = source_row(feed, hidden, x, i);
          for (std::size_t u = 0; u < feed.units; ++u) z += input[u] * parameters[feed.weights + u * layer.units + j];
        }
        const std::size_t e = i * layer.units + j;
        hidden[l][e] = activate(layer.activation, z) * mask_factor(p, l, masks, e);
      }
    }
  }
  return hidden;
}

Evaluation evaluate(const Problem& p, const std::vector<double>& parameters, const Rows& rows, const Masks& masks) {
  const Activations hidden = forward(p, parameters, rows.x, rows.all(), masks);
  std::vector<std::vector<double>> delta(hidden.size());
  for (std::size_t l = 0; l < hidden.size(); ++l) delta[l].assign(hidden[l].size(), 0.0);

  Evaluation result{.loss = row_losses(p, rows, hidden, delta),
                    .gradient = std::vector<double>(parameters.size(), 0.0)};
  for (std::size_t l = hidden.size(); l-- > 0;) {
    if (!p.layout->layers[l].head) through_activation(p, l, rows, hidden, masks, delta[l]);
    backward_layer(p, l, parameters, rows, hidden, delta, result.gradient);
  }
  for (const Layer& layer : p.layout->layers) {
    result.loss += penalty(p, layer, parameters, result.gradient);
    if (p.networks->nets[layer.net].trainable) continue;
    const auto begin = result.gradient.begin();
    std::fill_n(begin + static_cast<std::ptrdiff_t>(layer.weights), layer.fan_in() * layer.columns(), 0.0);
    std::fill_n(begin + static_cast<std::ptrdiff_t>(layer.bias), layer.columns(), 0.0);
  }
  return result;
}

}  // namespace nomu::engine::reference
