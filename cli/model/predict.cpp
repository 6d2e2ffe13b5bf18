#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "model/model_output.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/fields.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct Options : ModelAndRows {
  std::optional<double> level;
  std::vector<double> quantiles;
  std::string out = "-";
};

std::size_t count_outside(const Table& table) {
  const Column& flags = table.columns()[column_index(table, "outside")];
  std::size_t count = 0;
  for (std::size_t i = 0; i < flags.size(); ++i) count += flags[i] == "1" ? 1 : 0;
  return count;
}

/// Names are easily mistyped, and then only the bounds tell.
void print_unknown_names(const Model& model, const Table& table) {
  for (const FeatureColumn& feature : model.data().features) {
    if (feature.kind != ColumnKind::names) continue;
    const Column& column = table.columns()[column_index(table, feature.name)];
    std::size_t count = 0;
    std::string first;
    for (std::size_t i = 0; i < column.size(); ++i) {
      const bool known = std::ranges::binary_search(feature.levels, column[i]);
      if (known || read_cell(column[i]).kind == CellKind::missing) continue;
      if (count++ == 0) first = column[i];
    }
    if (count == 0) continue;
    const std::string near = nearest(first, feature.levels);
    print("{} rows have a name in column '{}' that the model does not know, such as '{}'{}\n", count, feature.name,
          first, near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
  }
}

void print_summary(const Options& options, const Model& model, const Table& table, std::size_t dropped,
                   std::optional<double> level) {
  const std::size_t outside = count_outside(table);
  const std::string guaranteed = level ? guarantee(model.calibration(), *level) : "";
  if (options.json) {
    nlohmann::json line{{"rows", table.rows()}, {"dropped_rows", dropped}, {"outside", outside}, {"out", options.out}};
    if (level) line.update({{"level", *level}, {"guarantee", guaranteed}});
    return print("{}\n", line.dump());
  }
  print("{} rows predicted, {} of them outside the range of the training data\n", table.rows(), outside);
  print_unknown_names(model, table);
  if (dropped > 0) print("{} rows with missing values were dropped\n", dropped);
  if (level) {
    print("bounds of {}: {}\n", percent(*level), guaranteed);
  } else {
    print("the model is not calibrated, so there are no bounds\n");
  }
  print("table: {}\n", options.out);
}

void run(const Options& options) {
  const bool to_file = options.out != "-";
  if (!to_file && options.json)
    throw ConfigError("predict", "--json needs -o FILE, because standard output is used for the table");
  if (to_file) prepare_file(options.out, {options.model, options.network, options.file});
  const Model model = options.load();
  const std::optional<double> level = options.level ? options.level : model.default_level();
  const Table given = read_table(options.file);
  const Table table =
      predict_table(model, options.drop_missing ? predictable_rows(model, given) : given, level, options.quantiles);
  if (!to_file) return write_out(format_table(table));
  write_table(options.out, table);
  print_summary(options, model, table, given.rows() - table.rows(), level);
}

}  // namespace

void add_predict(CLI::App& app) {
  CLI::App* command = app.add_subcommand("predict", "Predict the rows of a CSV file, with bounds");
  const auto options = std::make_shared<Options>();
  options->add_to(*command, "X", "CSV or TSV file; columns are matched by name");
  command->add_option("--level", options->level, "level of the bounds; default: the one the model was fitted for");
  command
      ->add_option("--quantiles", options->quantiles,
                   "probabilities, such as 0.05,0.5,0.95, whose quantiles become columns q0.05, q0.5, q0.95")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("-o,--out", options->out, "table to write; -: standard output")->capture_default_str();
  command->callback([options] { run(*options); });
}

}  // namespace nomu::cli
