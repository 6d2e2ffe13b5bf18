#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "columns.hpp"
#include "nomu/core/error.hpp"
#include "nomu/data/dataset.hpp"

namespace nomu::python {
namespace {

using namespace nb::literals;
using Names = std::vector<std::string>;

/// Optional facts about each row besides inputs and target.
void add_row_facts(DataSet& data, const std::optional<Numbers>& noise, const std::optional<Numbers>& weight,
                   const std::optional<Names>& groups, const std::optional<Numbers>& times,
                   const std::optional<std::string>& noise_name, const std::optional<Names>& strata,
                   const std::optional<std::string>& strata_name) {
  if (noise) data.noise = vector_of(*noise);
  if (noise && noise_name) data.noise_name = *noise_name;
  if (weight) data.row_weight = vector_of(*weight);
  if (groups) data.groups = *groups;
  if (times) data.times = vector_of(*times);
  if (strata) data.strata = *strata;
  if (strata && strata_name) data.strata_name = *strata_name;
}

/// Leaves out what belongs to rows of weight 0, which a table leaves out as well.
template <class T>
void keep(std::vector<T>& values, const Numbers& weights) {
  const std::span<const double> all = span_of(weights);
  if (values.size() != all.size()) return;  // refused later
  std::vector<T> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] > 0.0) kept.push_back(std::move(values[i]));
  }
  values = std::move(kept);
}

std::string unused_name(const Table& table, std::string name) {
  while (table.has_column(name)) name += "_";
  return name;
}

DataSet from_rows(const Rows& x, const Numbers& y, const std::optional<Names>& names,
                  const std::optional<std::string>& target, const std::optional<Numbers>& noise,
                  const std::optional<Numbers>& weight, const std::optional<Names>& groups,
                  const std::optional<Numbers>& times, const std::optional<std::string>& noise_name,
                  const std::optional<Names>& strata, const std::optional<std::string>& strata_name) {
  if (names && names->size() != x.shape(1)) throw DataError("python", "there must be one name per column of X");
  DataSet data =
      names ? make_dataset(vector_of(x), *names, vector_of(y)) : make_dataset(vector_of(x), x.shape(1), vector_of(y));
  if (target) data.target_name = *target;
  add_row_facts(data, noise, weight, groups, times, noise_name, strata, strata_name);
  check_dataset(data);
  return data;
}

DataSet from_columns(const Columns& columns, const Numbers& y, const Names& categorical,
                     const std::optional<std::string>& named, const std::optional<Numbers>& noise,
                     const std::optional<Numbers>& weight, const std::optional<Names>& groups,
                     const std::optional<Numbers>& times, const std::optional<std::string>& noise_name,
                     const std::optional<Names>& strata, const std::optional<std::string>& strata_name) {
  Table table = table_of(columns);
  const std::string target = unused_name(table, named.value_or("y"));
  table.add_column(target, span_of(y));
  std::string weights;
  if (weight) {
    weights = unused_name(table, "sample_weight");
    table.add_column(weights, span_of(*weight));
  }
  const DatasetOptions options{.target = target,
                               .categorical = categorical,
                               .weight = weights,
                               .words = {.categorical = "dtype 'category'",
                                         .ignore = "drop it from X",
                                         .drop_missing = "drop them from X and y",
                                         .range = "range"}};
  DataSet data = make_dataset(table, options);
  add_row_facts(data, noise, {}, groups, times, noise_name, strata, strata_name);
  if (weight) {
    for (std::vector<double>* facts : {&data.noise, &data.times}) keep(*facts, *weight);
    for (Names* facts : {&data.groups, &data.strata}) keep(*facts, *weight);
  }
  check_dataset(data);
  return data;
}

}  // namespace

Table table_of(const Columns& columns) {
  Table table("X");
  for (const auto& [name, cells] : columns) {
    if (const auto* numbers = std::get_if<Numbers>(&cells)) {
      table.add_column(name, span_of(*numbers));
    } else {
      table.add_column(name, std::get<Names>(cells));
    }
  }
  return table;
}

void bind_data(nb::module_& m) {
  nb::class_<DataSet>(m, "DataSet", "Rows of inputs with one target each.")
      .def_prop_ro("rows", &DataSet::rows)
      .def_prop_ro("cols", &DataSet::cols)
      .def_ro("input_names", &DataSet::input_names);
  m.def("rows_dataset", &from_rows, "x"_a, "y"_a, "names"_a = nb::none(), "target"_a = nb::none(),
        "noise"_a = nb::none(), "weight"_a = nb::none(), "groups"_a = nb::none(), "times"_a = nb::none(),
        "noise_name"_a = nb::none(), "strata"_a = nb::none(), "strata_name"_a = nb::none(),
        "A data set from x [n][d] and y [n].");
  m.def("columns_dataset", &from_columns, "columns"_a, "y"_a, "categorical"_a = Names{}, "target"_a = nb::none(),
        "noise"_a = nb::none(), "weight"_a = nb::none(), "groups"_a = nb::none(), "times"_a = nb::none(),
        "noise_name"_a = nb::none(), "strata"_a = nb::none(), "strata_name"_a = nb::none(),
        "A data set from named columns of numbers or texts, by the rules of docs/tables.md.");
  m.def(
      "stratum_of", [](const std::string& cell) { return stratum_of(cell); }, "cell"_a,
      "The name of a cell; \"(missing)\" for all that count as missing.");
}

}  // namespace nomu::python
