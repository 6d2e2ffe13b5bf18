#pragma once
// Missing inputs of an exported model, which are NaN: they are replaced by the stand-in of their column, and their
// indicator becomes 1.

#include "interchange/graph_writer.hpp"
#include "nomu/data/dataset.hpp"

namespace nomu {

/// Inputs x, float [n][d], with missing numbers filled in; x itself if the model knows no missing numbers.
[[nodiscard]] GraphValue add_stand_ins(GraphWriter& graph, const GraphValue& x, const DataSet& data);

}  // namespace nomu
