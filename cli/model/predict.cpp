#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "commands.hpp"
#include "model/model_output.hpp"
#include "model/targets.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/fields.hpp"
#include "nomu/core/printable.hpp"
#include "nomu/models/adapt.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct Options : ModelAndRows {
  std::optional<double> level;
  std::vector<double> quantiles;
  std::string out = "-";
  bool adapt = false;
  bool joint = false;
};

/// The predicted rows, and what is said about their bounds; empty: there are none.
struct Predicted {
  Table table;
  std::string guarantee;
  std::optional<AdaptedTable> adapted;
};

Predicted predict_rows(const Options& options, const Model& model, const Table& rows, std::optional<double> level) {
  if (!options.adapt) {
    return {.table = predict_table(model, rows, level, options.quantiles),
            .guarantee = level ? guarantee(model.calibration(), *level) : "",
            .adapted = {}};
  }
  if (!level) throw ConfigError("predict", "--adapt needs a level: give --level, or a model with one");
  AdaptedTable adapted = predict_adapting(model, rows, *level);
  Predicted predicted{.table = adapted.table, .guarantee = adapted.guarantee, .adapted = {}};
  predicted.adapted = std::move(adapted);
  return predicted;
}

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
    constexpr std::size_t shown_bytes = 200;
    const std::string near = nearest(first, feature.levels);
    print("{} rows have a name in column '{}' that the model does not know, such as '{}'{}\n", count, feature.name,
          printable(first, shown_bytes), near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
  }
}

void print_summary(const Options& options, const Model& model, const Predicted& predicted, std::size_t dropped,
                   std::optional<double> level) {
  const Table& table = predicted.table;
  const std::size_t outside = count_outside(table);
  if (options.json) {
    nlohmann::json line{{"rows", table.rows()}, {"dropped_rows", dropped}, {"outside", outside}, {"out", options.out}};
    if (level) line.update({{"level", *level}, {"guarantee", predicted.guarantee}});
    if (predicted.adapted)
      line.update({{"results", predicted.adapted->results}, {"within", predicted.adapted->within}});
    return print_json(line);
  }
  print("{} rows predicted, {} of them outside the range of the training data\n", table.rows(), outside);
  print_unknown_names(model, table);
  if (dropped > 0) print("{} rows with missing values were dropped\n", dropped);
  if (level) {
    print("bounds of {}: {}\n", percent(*level), predicted.guarantee);
  } else {
    print("the model is not calibrated, so there are no bounds\n");
  }
  print("table: {}\n", options.out);
}

/// The rows to predict: all, or those without missing cells.
Table rows_to_predict(const Options& options, const Model& model) {
  const Table given = read_table(options.file);
  return options.drop_missing ? predictable_rows(model, given) : given;
}

void predict_targets(const Options& options, const TargetModels& models) {
  if (options.adapt) {
    throw ConfigError("predict", fmt::format("--adapt follows the results of one target; choose it with --target ({})",
                                             fmt::join(models.names(), ", ")));
  }
  const std::optional<double> level = options.level ? options.level : models.default_level();
  if (options.joint && !level) throw ConfigError("predict", "--joint needs a level: give --level, or models with one");
  const Table table = about_file(options.file, [&] {
    return predict_table(models, rows_to_predict(options, models.models().front()), level, options.quantiles,
                         options.joint);
  });
  if (options.out == "-") return write_out(format_table(table));
  write_table(options.out, table);
  std::vector<std::pair<std::string, std::string>> promises;
  if (options.joint) promises.emplace_back("joint", models.joint_guarantee(*level));
  for (const Model& model : models.models()) {
    if (!options.joint && level)
      promises.emplace_back(model.data().target_name, guarantee(model.calibration(), *level));
  }
  const std::size_t outside = count_outside(table);
  if (options.json) {
    nlohmann::json line{{"rows", table.rows()}, {"outside", outside}, {"out", options.out}};
    if (level) line["level"] = *level;
    for (const auto& [what, sentence] : promises) line["guarantees"][what] = sentence;
    return print_json(line);
  }
  print("{} rows predicted, {} of them outside the range of the training data\n", table.rows(), outside);
  print_unknown_names(models.models().front(), table);
  for (const auto& [what, sentence] : promises) print("bounds of {}, {}: {}\n", percent(*level), what, sentence);
  if (!level) print("the models are not calibrated, so there are no bounds\n");
  print("table: {}\n", options.out);
}

void run(const Options& options) {
  const bool to_file = options.out != "-";
  if (!to_file && options.json)
    throw ConfigError("predict", "--json needs -o FILE, because standard output is used for the table");
  if (to_file) prepare_file(options.out, {options.model, options.network, options.file});
  const auto loaded = options.load_any();
  if (const auto* several = std::get_if<TargetModels>(&loaded)) return predict_targets(options, *several);
  if (options.joint)
    throw ConfigError("predict", "--joint is for model files with several targets (nomu fit --target a,b)");
  const auto& model = std::get<Model>(loaded);
  const std::optional<double> level = options.level ? options.level : model.default_level();
  const Table given = read_table(options.file);
  const Predicted predicted = about_file(options.file, [&] {
    return predict_rows(options, model, options.drop_missing ? predictable_rows(model, given) : given, level);
  });
  if (!to_file) return write_out(format_table(predicted.table));
  write_table(options.out, predicted.table);
  print_summary(options, model, predicted, given.rows() - predicted.table.rows(), level);
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
  command->add_flag("--adapt", options->adapt,
                    "rows are in order of time, with the target where it is known: the bounds of each row follow the "
                    "results before it");
  command->add_flag("--joint", options->joint, "with several targets: bounds that contain all of them at once");
  command->add_option("-o,--out", options->out, "table to write; -: standard output")->capture_default_str();
  command->callback([options] { run(*options); });
}

}  // namespace nomu::cli
