#pragma once
/// Expectations about bits that hold for networks of any kind.

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/session.hpp"
#include "nomu/core/random.hpp"
#include "nomu/engine/engine.hpp"

namespace nomu::engine::testing {

/// Each of `rows` random rows alone gives what it gives among the others. Returns the rows.
inline Tensor<float> expect_rows_alone(const Session& session, std::size_t rows, std::size_t inputs) {
  Tensor<float> probe(1, rows, inputs);
  Random random(4);
  for (float& value : probe.flat()) value = static_cast<float>(random.uniform(-2.0, 2.0));
  const Tensor<float> batch = session.forward(probe, {});
  for (std::size_t i = 0; i < probe.rows(); ++i) {
    Tensor<float> row(1, 1, probe.cols());
    std::ranges::copy(probe.row(0, i), row.flat().begin());
    const Tensor<float> alone = session.forward(row, {});
    for (std::size_t m = 0; m < 2; ++m) {
      for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(batch(m, i, k), alone(m, 0, k)) << "row " << i;
    }
  }
  return probe;
}

/// A run in several parts, the last of them in another session, ends like a run in one.
inline void expect_continued(Engine& engine, const TrainPlan& plan, std::initializer_list<std::int64_t> parts,
                             std::int64_t last) {
  std::int64_t all = last;
  const auto first = backend(engine).open(plan);
  for (const std::int64_t part : parts) {
    first->run(part, {});
    all += part;
  }
  const auto whole = backend(engine).open(plan);
  whole->run(all, {});
  const auto second = backend(engine).open(plan);
  second->restore(first->state());
  second->run(last, {});
  EXPECT_EQ(whole->parameters(), second->parameters());
  EXPECT_EQ(whole->reports(), second->reports());
}

}  // namespace nomu::engine::testing
