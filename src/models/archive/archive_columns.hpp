#pragma once
// The columns of a model's table in the header of its file.

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "nomu/data/dataset.hpp"

namespace nomu {

[[nodiscard]] nlohmann::json columns_json(std::span<const FeatureColumn> columns);

/// Throws DataError for impossible columns. Files before format 1.2 hold name and levels only.
[[nodiscard]] std::vector<FeatureColumn> read_columns(const nlohmann::json& list);

/// What format 1.2 adds: the range of the target, and what happened while the table was read.
void add_table_facts(const DataSet& data, nlohmann::json& facts);
void read_table_facts(const nlohmann::json& facts, DataSet& data);

}  // namespace nomu
