#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "commands.hpp"
#include "model/model_output.hpp"
#include "model/targets.hpp"
#include "nomu/core/counted.hpp"
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

/// The predicted rows, and what is said about their bounds; nothing if there are none.
struct Predicted {
  Table table;
  std::vector<std::pair<std::string, std::string>> promises = {};  ///< by target, or "joint"; no name: the only target
  std::optional<AdaptedTable> adapted = {};
};

Predicted predict_rows(const Options& options, const Model& model, const Table& rows, std::optional<double> level) {
  if (!options.adapt) {
    Predicted predicted{.table = predict_table(model, rows, level, options.quantiles)};
    if (level) predicted.promises.emplace_back("", guarantee(model.calibration(), *level));
    return predicted;
  }
  if (!level) throw ConfigError("predict", "--adapt needs a level: give --level, or a model with one");
  AdaptedTable adapted = predict_adapting(model, rows, *level);
  Predicted predicted{.table = adapted.table, .promises = {{"", adapted.guarantee}}};
  predicted.adapted = std::move(adapted);
  return predicted;
}

Predicted predict_rows(const Options& options, const TargetModels& models, const Table& rows,
                       std::optional<double> level) {
  Predicted predicted{.table = predict_table(models, rows, level, options.quantiles, options.joint)};
  if (options.joint) predicted.promises.emplace_back("joint", models.joint_guarantee(*level));
  for (const Model& model : models.models()) {
    if (!options.joint && level)
      predicted.promises.emplace_back(model.data().target_name, guarantee(model.calibration(), *level));
  }
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
      const bool known = std::ranges::binary_search(feature.levels, column[i]) ||
                         std::ranges::binary_search(feature.grouped, column[i]);
      if (known || read_cell(column[i]).kind == CellKind::missing) continue;
      if (count++ == 0) first = column[i];
    }
    if (count == 0) continue;
    constexpr std::size_t shown_bytes = 200;
    const std::string near = nearest(first, feature.levels);
    print("{} with a name in column '{}' that the model does not know, such as '{}'{}\n", counted(count, "row"),
          printable(feature.name, shown_bytes), printable(first, shown_bytes),
          near.empty() ? "" : fmt::format("; did you mean '{}'?", printable(near, shown_bytes)));
  }
}

nlohmann::json summary_json(const Options& options, const Predicted& predicted, std::size_t dropped,
                            std::optional<double> level) {
  nlohmann::json line{{"rows", predicted.table.rows()},
                      {"dropped_rows", dropped},
                      {"outside", count_outside(predicted.table)},
                      {"out", options.out}};
  if (level) line["level"] = *level;
  for (const auto& [what, sentence] : predicted.promises)
    (what.empty() ? line["guarantee"] : line["guarantees"][what]) = sentence;
  if (predicted.adapted) line.update({{"results", predicted.adapted->results}, {"within", predicted.adapted->within}});
  return line;
}

void print_summary(const Options& options, const Model& model, const Predicted& predicted, std::size_t dropped,
                   std::optional<double> level) {
  const Table& table = predicted.table;
  print("{} predicted, {} of them outside the range of the training data\n", counted(table.rows(), "row"),
        count_outside(table));
  print_unknown_names(model, table);
  if (dropped > 0) print("{} with missing values {} dropped\n", counted(dropped, "row"), was_or_were(dropped));
  for (const auto& [what, sentence] : predicted.promises)
    print("bounds of {}{}{}: {}\n", percent(*level), what.empty() ? "" : ", ", what, sentence);
  if (!level) print("there is no calibration, so there are no bounds\n");
  print("table: {}\n", options.out);
}

void check_options(const Options& options, const TargetModels* several, std::optional<double> level) {
  if (several != nullptr && options.adapt) {
    throw ConfigError("predict", fmt::format("--adapt follows the results of one target; choose it with --target ({})",
                                             fmt::join(several->names(), ", ")));
  }
  if (several != nullptr && options.joint && !level)
    throw ConfigError("predict", "--joint needs a level: give --level, or models with one");
  if (several == nullptr && options.joint)
    throw ConfigError("predict", "--joint is for model files with several targets (nomu fit --target a,b)");
}

void run(const Options& options) {
  const bool to_file = options.out != "-";
  if (!to_file && options.json)
    throw ConfigError("predict", "--json needs -o FILE, because standard output is used for the table");
  if (to_file) prepare_file(options.out, {options.model, options.network, options.file});
  const auto loaded = options.load_any();
  const auto* several = std::get_if<TargetModels>(&loaded);
  const Model& model = several != nullptr ? several->models().front() : std::get<Model>(loaded);
  const std::optional<double> own = several != nullptr ? several->default_level() : model.default_level();
  const std::optional<double> level = options.level ? options.level : own;
  check_options(options, several, level);
  const Table given = read_table(options.file);
  const Predicted predicted = about_predictions(options, [&] {
    const Table rows = options.drop_missing ? predictable_rows(model, given) : given;
    return several != nullptr ? predict_rows(options, *several, rows, level)
                              : predict_rows(options, model, rows, level);
  });
  if (!to_file) return write_out(format_table(predicted.table));
  write_table(options.out, predicted.table);
  const std::size_t dropped = given.rows() - predicted.table.rows();
  if (options.json) return print_json(summary_json(options, predicted, dropped, level));
  print_summary(options, model, predicted, dropped, level);
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
