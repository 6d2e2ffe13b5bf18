#include "model/evaluate.hpp"

#include "commands.hpp"
#include "model/model_output.hpp"
#include "model/targets.hpp"
#include "nomu/core/counted.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct Options : ModelAndRows {
  std::optional<double> level;
};

constexpr double half_log_two_pi = 0.91893853320467274;  // `min_nll` leaves it out, like the paper

}  // namespace

nlohmann::json evaluation_json(const Evaluation& result, std::size_t seen) {
  nlohmann::json line = metrics_json(result.metrics);
  line["outside"] = result.outside;
  line["seen"] = seen;
  if (result.level > 0.0) {
    line.update({{"level", result.level},
                 {"coverage", result.coverage},
                 {"mean_width", result.mean_width},
                 {"interval_score", result.interval_score}});
  }
  for (const StratumCoverage& one : result.strata) {
    nlohmann::json facts{{"rows", one.rows}, {"coverage", one.coverage}, {"mean_width", one.mean_width}};
    if (one.expected) facts["expected_coverage"] = {one.expected->lower, one.expected->upper};
    line["coverage_by"][one.name] = std::move(facts);
  }
  if (result.expected) line["expected_coverage"] = {result.expected->lower, result.expected->upper};
  return line;
}

void print_evaluation(const Evaluation& result, std::size_t seen) {
  const MetricsReport& m = result.metrics;
  print("{}, {} of them outside the range of the training data\n", counted(m.rows, "row"), result.outside);
  if (seen > 0) print("{} of them are among those the model was made with, so the scores below prove little\n", seen);
  print("  RMSE           {:10.4g}\n", m.rmse);
  print("  NLL            {:10.4g}   at the best factor c = {:.3g}: {:.4g}\n", m.nll, m.best_c,
        m.min_nll + half_log_two_pi);
  print("  CRPS           {:10.4g}\n", m.crps);
  print("  AUC            {:10.4g}   mean width against coverage\n", m.auc);
  print("  miscalibration {:10.4g}   area between nominal and observed levels\n", m.miscalibration_area);
  print("  sharpness      {:10.4g}\n", m.sharpness);
  if (result.level <= 0.0) return print("the model is not calibrated, so there are no bounds to evaluate\n");
  print("bounds of {}\n", percent(result.level));
  const std::string expected = result.expected
                                   ? fmt::format("   {:.4g} to {:.4g} % is within chance",
                                                 100.0 * result.expected->lower, 100.0 * result.expected->upper)
                                   : "";
  print("  coverage       {:10.4g} %{}\n", 100.0 * result.coverage, expected);
  print("  mean width     {:10.4g}\n", result.mean_width);
  print("  interval score {:10.4g}\n", result.interval_score);
  if (!result.strata.empty()) print("by name\n{}", coverage_text(result.strata));
}

namespace {

void run(const Options& options) {
  const auto loaded = options.load_any();
  if (const auto* several = std::get_if<TargetModels>(&loaded)) {
    const std::vector<DataSet> rows = labelled_rows(*several, read_table(options.file), options.drop_missing);
    const auto level = options.level ? options.level : several->default_level();
    const TargetsEvaluation result = about_predictions(options, [&] { return evaluate(*several, rows, level); });
    print_evaluation(*several, result, rows, options.json);
    if (!options.json) print_left_out(rows.front());
    return;
  }
  const auto& model = std::get<Model>(loaded);
  const DataSet rows = labelled_rows(model, read_table(options.file), options.drop_missing);
  const std::optional<double> level = options.level ? options.level : model.default_level();
  const Evaluation result = about_predictions(options, [&] { return evaluate(model, rows, level); });
  const std::size_t seen = seen_rows(model, rows);
  if (options.json) return print_json(evaluation_json(result, seen));
  print_evaluation(result, seen);
  print_left_out(rows);
}

}  // namespace

void add_evaluate(CLI::App& app) {
  CLI::App* command = app.add_subcommand("evaluate", "Score a model on rows with a known target");
  const auto options = std::make_shared<Options>();
  options->add_to(*command, "DATA", "CSV or TSV file with the target column");
  command->add_option("--level", options->level, "level of the bounds; default: the one the model was fitted for");
  command->callback([options] { run(*options); });
}

}  // namespace nomu::cli
