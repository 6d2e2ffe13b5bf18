#include "engine/cuda/program.hpp"

#include <algorithm>

namespace nomu::engine::cuda {
namespace {

constexpr std::uint64_t row_floats = 4;      // rows are read four floats at a time
constexpr std::uint64_t region_floats = 32;  // tensors at cache lines

std::uint64_t up(std::uint64_t value, std::uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

std::uint32_t narrow(std::size_t value) { return static_cast<std::uint32_t>(value); }

/// Where values and deltas of each layer are in a member's workspace.
struct Regions {
  std::vector<std::uint64_t> values, delta, transposed;
  std::vector<std::uint32_t> ld, transposed_ld;
};

class Builder {
 public:
  Builder(const Networks& networks, const Layout& layout, const StepSize& size)
      : networks_(networks), layout_(layout), size_(size) {}

  Program build() {
    place_regions();
    for (std::size_t l = 0; l < layout_.layers.size(); ++l) add_forward(l);
    if (size_.training) {
      for (std::size_t l = layout_.layers.size(); l-- > 0;) add_backward(l);
      for (const bool trainable : {true, false}) {
        for (std::size_t l = 0; l < layout_.layers.size(); ++l) {
          if (networks_.nets[layer(l).net].trainable == trainable) add_update(l);
        }
        if (trainable) program_.trainable_tiles = narrow(program_.update_tiles.size());
      }
    }
    return std::move(program_);
  }

 private:
  [[nodiscard]] const Layer& layer(std::size_t l) const { return layout_.layers[l]; }

  std::uint64_t take(std::uint64_t rows, std::uint64_t ld) {
    const std::uint64_t begin = program_.workspace;
    program_.workspace = up(begin + rows * ld, region_floats);
    return begin;
  }

  void place_regions() {
    program_.input_ld = narrow(up(layout_.inputs, 4));
    program_.x = take(size_.rows, program_.input_ld);
    for (const Layer& l : layout_.layers) {
      const std::uint64_t ld = l.head ? head_ld : up(l.units, row_floats);
      const std::uint64_t rows = l.on_augmented ? size_.rows : size_.data_rows;
      regions_.ld.push_back(narrow(ld));
      regions_.values.push_back(l.head ? 0 : take(size_.rows, ld));
      // Heads of the loss write the slopes of all rows, needed or not.
      regions_.delta.push_back(size_.training && l.needs_delta ? take(l.head ? size_.rows : rows, ld) : 0);
      const bool transposed = needs_transposed(regions_.values.size() - 1);
      regions_.transposed_ld.push_back(transposed ? narrow(up(size_.rows, region_floats)) : 0);
      regions_.transposed.push_back(transposed ? take(l.units, regions_.transposed_ld.back()) : 0);
    }
  }

  /// Whether a gradient with many rows is taken from whole tiles of this layer's values.
  [[nodiscard]] bool needs_transposed(std::size_t index) const {
    const Layer& l = layer(index);
    if (!size_.training || !size_.transposed || l.head || l.units % transposed_units != 0) return false;
    const std::vector<Consumer> consumers = layout_.consumers(index);
    return std::any_of(consumers.begin(), consumers.end(), [this](const Consumer& c) {
      const Layer& reader = layer(c.layer);
      return !reader.head && networks_.nets[reader.net].trainable &&
             (reader.on_augmented ? size_.rows : size_.data_rows) >= transposed_from;
    });
  }

  [[nodiscard]] Segment segment(std::size_t weights, std::size_t weight_ld, std::uint64_t values, std::size_t values_ld,
                                std::size_t depth, bool data_rows_only) const {
    return {.weights = weights,
            .values = values,
            .weight_ld = narrow(weight_ld),
            .values_ld = narrow(values_ld),
            .depth = narrow(depth),
            .data_rows_only = data_rows_only,
            .wide = weight_ld % 4 == 0 && weights % 4 == 0};
  }

  /// The feeds of a layer as products with the values of their sources; `column` picks one output of a head.
  void add_feeds(const Layer& l, std::size_t column) {
    for (const Feed& feed : l.feeds) {
      const bool input = feed.source == input_layer;
      program_.segments.push_back(segment(feed.weights + column, l.units,
                                          input ? program_.x : regions_.values[feed.source],
                                          input ? program_.input_ld : regions_.ld[feed.source], feed.units, false));
    }
  }

  void add_forward(std::size_t index) {
    const Layer& l = layer(index);
    program_.init.push_back({.weights = l.weights,
                             .bias = l.bias,
                             .weight_count = l.fan_in() * l.units,
                             .units = narrow(l.units),
                             .layer = narrow(index),
                             .range = init_range(networks_.nets[l.net], l)});
    std::size_t level = 0;
    for (const Feed& feed : l.feeds) {
      if (feed.source != input_layer) level = std::max(level, forward_level_[feed.source] + 1);
    }
    forward_level_.push_back(level);
    for (std::size_t k = 0; l.head && k < l.units; ++k) {
      const auto first = narrow(program_.segments.size());
      add_feeds(l, k);
      program_.outputs.push_back({.bias = l.bias + k,
                                  .delta = regions_.delta[index] + k,
                                  .first_segment = first,
                                  .segments = narrow(l.feeds.size()),
                                  .has_delta = size_.training && l.needs_delta});
    }
    if (l.head) return;
    const auto first = narrow(program_.segments.size());
    add_feeds(l, 0);
    program_.forward_phases.resize(std::max(program_.forward_phases.size(), level + 1));
    program_.forward_phases[level].push_back(narrow(program_.forward.size()));
    program_.forward.push_back({.bias = l.bias,
                                .out = regions_.values[index],
                                .transposed = regions_.transposed[index],
                                .first_segment = first,
                                .segments = narrow(l.feeds.size()),
                                .units = narrow(l.units),
                                .out_ld = regions_.ld[index],
                                .transposed_ld = regions_.transposed_ld[index],
                                .layer = narrow(index),
                                .activation = l.activation});
  }

  void add_backward(std::size_t index) {
    const Layer& l = layer(index);
    backward_level_.resize(layout_.layers.size(), 0);
    if (l.head || !l.needs_delta) return;
    BackwardJob job{.values = regions_.values[index],
                    .out = regions_.delta[index],
                    .first_segment = narrow(program_.segments.size()),
                    .segments = 0,
                    .first_term = narrow(program_.terms.size()),
                    .terms = 0,
                    .units = narrow(l.units),
                    .ld = regions_.ld[index],
                    .layer = narrow(index),
                    .activation = l.activation,
                    .data_rows_only = !l.on_augmented};
    std::size_t level = 0;
    for (const Consumer& c : layout_.consumers(index)) {
      const Layer& reader = layer(c.layer);
      const Feed& feed = reader.feeds[c.feed];
      if (!feed.carries) continue;
      if (reader.head) {
        program_.terms.push_back({.delta = regions_.delta[c.layer],
                                  .weights = feed.weights,
                                  .outputs = narrow(reader.units),
                                  .data_rows_only = !reader.on_augmented});
        ++job.terms;
        continue;
      }
      level = std::max(level, backward_level_[c.layer] + 1);
      program_.segments.push_back(segment(feed.weights, reader.units, regions_.delta[c.layer], regions_.ld[c.layer],
                                          reader.units, !reader.on_augmented));
      ++job.segments;
    }
    backward_level_[index] = level;
    program_.backward_phases.resize(std::max(program_.backward_phases.size(), level + 1));
    program_.backward_phases[level].push_back(narrow(program_.backward.size()));
    program_.backward.push_back(job);
  }

  void add_update(std::size_t index) {
    const Layer& l = layer(index);
    const auto first_job = narrow(program_.update.size());
    const auto first_tile = narrow(program_.update_tiles.size());
    for (const Feed& feed : l.feeds) {
      const bool input = feed.source == input_layer;
      program_.update.push_back({.weights = feed.weights,
                                 .bias = l.bias,
                                 .values = input ? program_.x : regions_.values[feed.source],
                                 .delta = regions_.delta[index],
                                 .transposed = input ? 0 : regions_.transposed[feed.source],
                                 .inputs = narrow(feed.units),
                                 .units = narrow(l.units),
                                 .values_ld = input ? program_.input_ld : regions_.ld[feed.source],
                                 .delta_ld = regions_.ld[index],
                                 .transposed_ld = input ? 0 : regions_.transposed_ld[feed.source],
                                 .layer = narrow(index),
                                 .l2 = narrow(2 * l.net + (l.head ? 1 : 0)),
                                 .first = &feed == &l.feeds.front(),
                                 .data_rows_only = !l.on_augmented,
                                 .wide = l.units % 4 == 0 && feed.weights % 4 == 0});
      add_update_tiles(narrow(program_.update.size()) - 1);
    }
    program_.layer_norms.resize(layout_.layers.size());
    if (!networks_.nets[l.net].trainable) return;
    program_.layer_norms[index] = {.first_job = first_job,
                                   .jobs = narrow(program_.update.size()) - first_job,
                                   .first_tile = first_tile,
                                   .tiles = narrow(program_.update_tiles.size()) - first_tile};
  }

  void add_update_tiles(std::uint32_t job) {
    for (std::uint32_t m = 0; m < program_.update[job].inputs; m += update_tile.units) {
      for (std::uint32_t n = 0; n < program_.update[job].units; n += update_tile.rows) {
        program_.update_tiles.push_back({job, m, n, program_.update[job].first && m == 0});
      }
    }
  }

  const Networks& networks_;
  const Layout& layout_;
  StepSize size_;
  Regions regions_;
  Program program_;
  std::vector<std::size_t> forward_level_, backward_level_;
};

}  // namespace

Program make_program(const Networks& networks, const Layout& layout, const StepSize& size) {
  return Builder(networks, layout, size).build();
}

double workspace_floats(const Layout& layout, const StepSize& size) {
  double floats = static_cast<double>(size.rows) * static_cast<double>(up(layout.inputs, 4)) + region_floats;
  for (const Layer& l : layout.layers) {
    const double region = static_cast<double>(size.rows) * static_cast<double>(up(l.units, row_floats)) + region_floats;
    const bool transposed =
        size.training && size.transposed && size.rows >= transposed_from && l.units % transposed_units == 0;
    floats += region * (size.training && l.needs_delta ? 2.0 : 1.0) +
              (transposed ? static_cast<double>(l.units) * static_cast<double>(up(size.rows, region_floats)) : 0.0);
  }
  return floats;
}

}  // namespace nomu::engine::cuda
