#include "interchange/graph/missing_graph.hpp"

#include <algorithm>
#include <array>

namespace nomu {
namespace {

/// What happens to each input, [d].
struct Filling {
  std::vector<std::int64_t> asked;  ///< the input whose absence counts
  std::vector<float> fills;         ///< 1 if it is replaced then,
  std::vector<float> values;        ///< by this
};

/// The inputs of a missing cell.
std::vector<double> missing_inputs(const FeatureColumn& column) {
  Column empty(column.name);
  empty.push_back("");
  return encode_inputs(Table("x", {std::move(empty)}, {}), {&column, 1});
}

Filling filling_of(const DataSet& data) {
  Filling filling;
  for (const FeatureColumn& column : data.features) {
    const auto first = static_cast<std::int64_t>(filling.asked.size());
    const std::size_t inputs = input_count(column);
    const bool filled = column.kind != ColumnKind::names && column.missing && column.stand_in;
    const std::vector<double> values = filled ? missing_inputs(column) : std::vector<double>(inputs, 0.0);
    for (std::size_t j = 0; j < inputs; ++j) {
      filling.asked.push_back(filled ? first : first + static_cast<std::int64_t>(j));
      filling.fills.push_back(filled ? 1.0F : 0.0F);
      filling.values.push_back(static_cast<float>(values[j]));
    }
  }
  return filling;
}

}  // namespace

GraphValue add_stand_ins(GraphWriter& graph, const GraphValue& x, const DataSet& data) {
  const Filling filling = filling_of(data);
  if (std::ranges::find(filling.fills, 1.0F) == filling.fills.end()) return x;
  const GraphWriter::Shape row{1, static_cast<std::int64_t>(filling.asked.size())};
  const GraphValue absent = graph.columns(graph.to_float(graph.apply("IsNaN", {x})), filling.asked, 1);
  const GraphValue fill = graph.multiply(absent, graph.floats("fills", filling.fills, row));
  const std::array<float, 1> half{0.5F};
  const GraphValue where = graph.apply("Greater", {fill, graph.floats("half", half, {1, 1})});
  return graph.apply("Where", {where, graph.floats("stand_in", filling.values, row), x});
}

}  // namespace nomu
