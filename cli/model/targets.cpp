#include "model/targets.hpp"

#include <filesystem>
#include <set>
#include <utility>

#include "model/evaluate.hpp"
#include "nomu/core/counted.hpp"
#include "terminal.hpp"

namespace nomu::cli {

std::vector<std::string> target_list(const std::string& text, const Table& table) {
  std::vector<std::string> names{""};
  if (table.has_column(text)) return {text};
  for (const char c : text) {
    if (c == ',') {
      names.emplace_back();
    } else {
      names.back() += c;
    }
  }
  return names;
}

nlohmann::json targets_json(const TargetModels& models) {
  nlohmann::json json;
  for (const Model& model : models.models()) {
    json["targets"][model.data().target_name] = {{"calibration", calibration_json(model)},
                                                 {"loss", model.report().best_loss}};
    if (const std::optional<Trustworthiness> trust = judge_trust(model))
      json["targets"][model.data().target_name]["trust"] = trust_json(*trust);
  }
  const std::optional<double> level = models.default_level();
  if (level && models.joint().kind != CalibrationKind::none) {
    json["joint"] = {{"level", *level},
                     {"guaranteed_coverage", guaranteed_coverage(models.joint(), *level)},
                     {"guarantee", models.joint_guarantee(*level)}};
  }
  return json;
}

void print_targets_fit(const TargetModels& models, const std::string& out, double seconds, bool json) {
  const Model& first = models.models().front();
  if (json) {
    nlohmann::json line = targets_json(models);
    line.update({{"model", out},
                 {"method", method_name(first.spec().method)},
                 {"rows", first.data().rows()},
                 {"inputs", first.data().cols()},
                 {"table", table_json(first.data())},
                 {"seconds", seconds}});
    return print_json(line);
  }
  print("{}", models.describe());
  for (const Model& model : models.models()) {
    if (const std::optional<MetricsReport> held = held_out_metrics(model)) {
      print("held-out rows of '{}': RMSE {:.4g}, NLL {:.4g}, sharpness {:.4g}\n", model.data().target_name, held->rmse,
            held->nll, held->sharpness);
    }
    if (const std::optional<Trustworthiness> trust = judge_trust(model)) {
      for (const std::string& line : trust_lines(*trust)) print("  {}\n", line);
    }
  }
  print("{:.1f} s with {}\nmodel: {}\n", seconds, counted(first.parts().engine.threads, "thread"), out);
}

namespace {

/// The name without what leads to another folder, what hides a file, and control characters.
std::string part_of_file_name(std::string name) {
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte == 0x7f || c == '/' || c == '\\') c = '_';
  }
  if (name.empty() || name.front() == '.') name.insert(0, "_");
  return name;
}

}  // namespace

std::vector<ReportOutput> reports_of(const ReportOutput& all, const std::vector<std::string>& targets) {
  std::vector<ReportOutput> outputs;
  std::set<std::string> taken;
  for (const std::string& target : targets) {
    std::string name = part_of_file_name(target);
    while (!taken.insert(name).second) name += "_";
    ReportOutput one = all;
    if (!one.page.empty()) {
      const std::filesystem::path page(one.page);
      one.page = (page.parent_path() / (page.stem().string() + "." + name + page.extension().string())).string();
    }
    if (!one.plots.empty()) one.plots = (std::filesystem::path(one.plots) / name).string();
    outputs.push_back(std::move(one));
  }
  return outputs;
}

void print_evaluation(const TargetModels& models, const TargetsEvaluation& result, const std::vector<DataSet>& rows,
                      bool json) {
  const std::vector<std::string> names = models.names();
  std::vector<std::size_t> seen;
  for (std::size_t t = 0; t < names.size(); ++t) seen.push_back(seen_rows(models.models()[t], rows[t]));
  if (json) {
    nlohmann::json line;
    for (std::size_t t = 0; t < names.size(); ++t)
      line["targets"][names[t]] = evaluation_json(result.targets[t], seen[t]);
    if (result.targets.front().level > 0.0) line["all_inside"] = result.all_inside;
    if (result.joint_coverage) line["joint_coverage"] = *result.joint_coverage;
    return print_json(line);
  }
  for (std::size_t t = 0; t < names.size(); ++t) {
    print("{}'{}': ", t > 0 ? "\n" : "", names[t]);
    print_evaluation(result.targets[t], seen[t]);
  }
  if (result.targets.front().level <= 0.0) return;
  print("\nall targets inside their own bounds: {:.4g} % of rows\n", 100.0 * result.all_inside);
  if (result.joint_coverage) print("inside the joint bounds: {:.4g} % of rows\n", 100.0 * *result.joint_coverage);
}

}  // namespace nomu::cli
