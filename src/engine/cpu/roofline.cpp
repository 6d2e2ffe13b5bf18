#include "engine/cpu/roofline.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "engine/cpu/buffers.hpp"
#include "engine/epoch.hpp"

namespace nomu::engine::cpu {
namespace {

/// One matrix product of a step, row-major [m][n] over k; `n` may be cut into parts.
struct Product {
  Transpose a, b;
  std::size_t m, n, k;
};

/// Products with a side of one are vector products and are not counted.
constexpr std::size_t thin = 2;

std::vector<Product> products_of(const TrainPlan& plan, const Program& program) {
  const std::size_t data = Batches(plan.train, plan.x.rows()).size;
  const std::size_t all = data + plan.augment.count;
  std::vector<Product> products;
  for (const Layer& layer : program.layout.layers) {
    const std::size_t back = layer.on_augmented ? all : data;
    // To the weights of a convolution, a row is as many rows as the map has pixels.
    const std::size_t pixels = layer.convolution ? layer.convolution->map.pixels() : 1;
    const std::size_t columns = layer.columns();
    for (const Feed& feed : layer.feeds) {
      const std::size_t units = layer.convolution ? layer.fan_in() : feed.units;
      if (columns < thin || units < thin) continue;
      products.push_back({Transpose::no, Transpose::no, all * pixels, columns, units});
      if (!layer.needs_delta) continue;
      if (plan.networks.nets[layer.net].trainable)
        products.push_back({Transpose::yes, Transpose::no, units, columns, back * pixels});
      if (feed.carries && program.layout.layers[feed.source].needs_delta) {
        products.push_back({Transpose::no, Transpose::yes, back * pixels, units, columns});
      }
    }
  }
  return products;
}

struct Operands {
  Floats a, b, c;
};

Operands operands_for(const std::vector<Product>& products) {
  std::size_t a = 1;
  std::size_t b = 1;
  std::size_t c = 1;
  for (const Product& p : products) {
    a = std::max(a, p.m * p.k);
    b = std::max(b, p.k * p.n);
    c = std::max(c, p.m * p.n);
  }
  Operands o{Floats(a), Floats(b), Floats(c)};
  for (std::size_t i = 0; i < a; ++i) o.a[i] = 0.01F * static_cast<float>(i % 97) - 0.5F;
  for (std::size_t i = 0; i < b; ++i) o.b[i] = 0.01F * static_cast<float>(i % 89) - 0.4F;
  return o;
}

/// Columns [first, first + width) of a product.
void multiply_part(const Product& p, Multiply multiply, Operands& o, std::size_t first, std::size_t width) {
  const std::size_t lda = p.a == Transpose::yes ? p.m : p.k;
  const std::size_t ldb = p.b == Transpose::yes ? p.k : p.n;
  const float* b = o.b.data() + (p.b == Transpose::yes ? first * p.k : first);
  multiply(p.a, p.b, p.m, width, p.k, o.a.data(), lda, b, ldb, false, o.c.data() + first, p.n);
}

template <class F>
double seconds_of(const F& work) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::infinity();
  int times = 1;  // repetitions of the work in one measurement, so that it lasts long enough for the clock
  for (int repeat = 0; repeat < 4; ++repeat) {
    const auto begin = Clock::now();
    for (int i = 0; i < times; ++i) work();
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count() / times;
    best = std::min(best, seconds);
    if (repeat == 0) times = std::clamp(static_cast<int>(1e-3 / (seconds + 1e-9)), 1, 10000);
  }
  return best;
}

/// All products of a step, each cut into columns of `width`, on all threads.
double together_seconds(const std::vector<Product>& products, Multiply multiply, Team& team, std::size_t width) {
  Operands operands = operands_for(products);
  return seconds_of([&] {
    for (const Product& p : products) {
      const std::size_t part = width == 0 ? (p.n + team.size() - 1) / team.size() : width;
      const auto piece = [&](std::size_t i, std::size_t /*worker*/) {
        multiply_part(p, multiply, operands, i * part, std::min(part, p.n - i * part));
      };
      team.run((p.n + part - 1) / part, piece);
    }
  });
}

/// As many steps as there are threads, one on each.
double side_by_side_seconds(const std::vector<Product>& products, Multiply multiply, Team& team) {
  std::vector<Operands> operands(team.size(), operands_for(products));
  const auto step = [&](std::size_t i, std::size_t /*worker*/) {
    for (const Product& p : products) multiply_part(p, multiply, operands[i], 0, p.n);
  };
  return seconds_of([&] { team.run(team.size(), step); }) / static_cast<double>(team.size());
}

/// Reads and writes a part of one member's weights and moments, [3][count].
void pass_over(Floats& state, std::size_t count, std::size_t first, std::size_t length) {
  float* w = state.data() + first;
  float* m = w + count;
  float* v = m + count;
  for (std::size_t i = 0; i < length; ++i) {
    m[i] *= 0.9F;
    v[i] *= 0.999F;
    w[i] -= 1e-3F * m[i];
  }
}

double pass_seconds(std::size_t parameters, Team& team, bool side_by_side) {
  const std::size_t members = side_by_side ? team.size() : 1;
  std::vector<Floats> state(members, Floats(3 * parameters, 1e-3F));
  constexpr std::size_t part = std::size_t{1} << 16U;
  const std::size_t parts = (parameters + part - 1) / part;
  const auto piece = [&](std::size_t i, std::size_t /*worker*/) {
    if (side_by_side) {
      pass_over(state[i], parameters, 0, parameters);
    } else {
      pass_over(state[0], parameters, i * part, std::min(part, parameters - i * part));
    }
  };
  return seconds_of([&] { team.run(side_by_side ? members : parts, piece); }) / static_cast<double>(members);
}

}  // namespace

Roofline measure_roofline(const TrainPlan& plan, const Program& program, Multiply multiply, Team& team) {
  const std::vector<Product> products = products_of(plan, program);
  const bool side_by_side = plan.members() >= team.size();
  double fastest =
      side_by_side ? side_by_side_seconds(products, multiply, team) : std::numeric_limits<double>::infinity();
  if (!side_by_side) {
    for (const std::size_t width : {std::size_t{0}, widest_tile, 8 * widest_tile}) {
      fastest = std::min(fastest, together_seconds(products, multiply, team, width));
    }
  }
  std::size_t trained = 0;
  for (const Layer& layer : program.layout.layers) {
    if (plan.networks.nets[layer.net].trainable) trained += (layer.fan_in() + 1) * layer.columns();
  }
  return {fastest, pass_seconds(trained, team, side_by_side)};
}

}  // namespace nomu::engine::cpu
