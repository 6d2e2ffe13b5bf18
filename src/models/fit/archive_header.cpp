#include "models/fit/archive_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "core/json_numbers.hpp"
#include "data/stand_ins.hpp"
#include "models/attached/fitted_attached.hpp"
#include "models/fit/archive_columns.hpp"
#include "models/network/fitted_network.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

using nlohmann::json;

constexpr std::array<const char*, 4> source_names = {"none", "folds", "hold_out", "given"};
[[noreturn]] void refuse(const std::string& what) { throw DataError("models/archive", what); }

CalibrationSource source_named(const std::string& name) {
  const auto found = std::ranges::find_if(source_names, [&](const char* known) { return name == known; });
  if (found == source_names.end()) refuse(fmt::format("unknown source of calibration rows '{}'", name));
  return static_cast<CalibrationSource>(found - source_names.begin());
}

CalibrationKind kind_named(const std::string& name) {
  for (std::size_t i = 0; i <= static_cast<std::size_t>(CalibrationKind::isotonic); ++i) {
    if (name == to_text(static_cast<CalibrationKind>(i))) return static_cast<CalibrationKind>(i);
  }
  refuse(fmt::format("this version does not know the calibration '{}'", name));
}

/// Losses of a fit that went wrong are not finite; JSON has null for them.
double number_or_nan(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

json settings_of(const FitSpec& spec) {
  FitSpec copy = spec;  // fields are bound for writing too
  json settings = json::object();
  const Fields fields = fields_of(copy);
  for (const Field& field : fields.list()) settings[field.name] = to_text(field.get());
  return settings;
}

json reports_of(const FittedCohort& fitted) {
  json list = json::array();
  for (const FitReport& report : fitted.reports()) {
    list.push_back({{"seed", report.seed},
                    {"epochs", report.epochs},
                    {"first_loss", report.first_loss},
                    {"best_loss", report.best_loss},
                    {"last_loss", report.last_loss},
                    {"diverged", report.diverged},
                    {"stopped_early", report.stopped_early},
                    {"restarts", report.restarts},
                    {"dropped", report.dropped}});
  }
  return list;
}

std::string history_name(std::size_t member) { return fmt::format("history/{}", member); }
std::string state_name(const std::string& block) { return "state/" + block; }

FitSpec read_spec(const json& header) {
  FitSpec spec;
  spec.method = method_named(header.at("method").get<std::string>());
  const Fields fields = fields_of(spec);
  for (const auto& [name, text] : header.at("settings").items()) fields.set_text(name, text.get<std::string>());
  return spec;
}

/// Files before format 1.2 hold neither kinds of columns nor stand-ins for missing cells.
bool holds_kinds(const json& columns) {
  return std::ranges::any_of(columns, [](const json& column) { return column.contains("kind"); });
}

DataSet read_data(const json& header, const BlockReader& blocks) {
  DataSet data;
  const json& facts = header.at("data");
  data.inputs = blocks.doubles("data/inputs");
  data.targets = blocks.doubles("data/targets");
  data.row_weight = blocks.doubles("data/weight");
  data.noise = blocks.doubles("data/noise");
  data.target_name = facts.at("target");
  data.noise_name = facts.at("noise");
  if (facts.contains("coverage_by")) data.strata_name = facts.at("coverage_by");
  data.input_names = facts.at("inputs").get<std::vector<std::string>>();
  data.features = read_columns(facts.at("columns"));
  data.report.dropped_lines = whole_numbers(facts.at("dropped_lines"));
  data.report.constant_columns = facts.at("constant_columns").get<std::vector<std::string>>();
  read_table_facts(facts, data);
  return data;
}

EngineInfo read_engine(const json& facts) {
  EngineInfo info;
  info.name = facts.at("name");
  info.provider = facts.at("provider");
  info.isa = facts.at("isa");
  info.device = facts.at("device");
  return info;
}

CalibrationUnit unit_named(const std::string& name) {
  for (std::size_t i = 0; i <= static_cast<std::size_t>(CalibrationUnit::later_rows); ++i) {
    if (name == to_text(static_cast<CalibrationUnit>(i))) return static_cast<CalibrationUnit>(i);
  }
  refuse(fmt::format("this version does not know calibration by '{}'", name));
}

/// Units and strata; files before 1.2 have none, nor have those of models that need none.
void read_units(const json& facts, const BlockReader& blocks, Calibration& calibration) {
  if (facts.contains("unit")) {
    calibration.unit = unit_named(facts.at("unit"));
    calibration.units = whole_number(facts.at("units"));
  }
  calibration.score_units = blocks.counts("calibration/units");
  if (facts.contains("strata")) calibration.strata = facts.at("strata").get<std::vector<std::string>>();
  calibration.score_strata = blocks.counts("calibration/strata");
}

HeldOut read_held_out(const json& facts, const BlockReader& blocks, const Calibration& calibration) {
  HeldOut held{.source = source_named(facts.at("source")),
               .split = facts.at("split"),
               .refitted = facts.at("refitted"),
               .rows = blocks.counts("held_out/rows"),
               .folds = blocks.counts("held_out/folds"),
               .predicted = {.mean = blocks.doubles("held_out/mean"),
                             .sigma_model = blocks.doubles("held_out/sigma_model"),
                             .sigma_noise = blocks.doubles("held_out/sigma_noise"),
                             .sigma_below = blocks.doubles("held_out/sigma_below")},
               .targets = blocks.doubles("held_out/targets"),
               .units = blocks.counts("held_out/units")};
  const std::size_t count = held.targets.size();
  const auto fits = [&](std::size_t size, bool may_lack) { return size == count || (may_lack && size == 0); };
  const PredictedRows& p = held.predicted;
  if (!fits(p.mean.size(), false) || !fits(p.sigma_model.size(), false) || !fits(p.sigma_noise.size(), true) ||
      !fits(p.sigma_below.size(), true) || !fits(held.rows.size(), true) || !fits(held.folds.size(), true) ||
      !fits(held.units.size(), true)) {
    refuse("the numbers of held-out rows do not match");
  }
  for (const std::size_t stratum : blocks.counts("held_out/strata")) {
    if (stratum >= calibration.strata.size()) refuse("a held-out row of a name that does not exist");
    held.strata.push_back(calibration.strata[stratum]);
  }
  if (!fits(held.strata.size(), true)) refuse("the numbers of held-out rows do not match");
  return held;
}

std::vector<MemberScaling> read_scalings(const BlockReader& blocks, std::size_t members, std::size_t cols) {
  const std::vector<double> numbers = blocks.doubles("scaling");
  const std::size_t each = 2 * cols + 2;
  if (numbers.size() != members * each) refuse("there is not one scaling per member");
  std::vector<MemberScaling> scalings;
  for (std::size_t m = 0; m < members; ++m) {
    const auto part = [&](std::size_t first, std::size_t count) {
      const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(m * each + first);
      return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
    };
    scalings.push_back({.inputs = {.shift = part(0, cols), .factor = part(cols, cols)},
                        .target = {.shift = part(2 * cols, 1), .factor = part(2 * cols + 1, 1)}});
  }
  // Files before 1.2 have no warps, and neither have files of models that need none.
  const std::vector<double> warps = blocks.doubles("warps");
  if (!warps.empty() && warps.size() != 3 * members) refuse("there is not one warp per member");
  for (std::size_t m = 0; m < members && !warps.empty(); ++m) {
    scalings[m].inputs.reach = warps[3 * m];
    scalings[m].warp = {.centre = warps[3 * m + 1], .scale = warps[3 * m + 2]};
  }
  return scalings;
}

std::int64_t count_of(const json& value) {
  return static_cast<std::int64_t>(
      std::min<std::uint64_t>(whole_number(value), std::numeric_limits<std::int64_t>::max()));
}

std::vector<FitReport> read_reports(const json& list, const BlockReader& blocks) {
  std::vector<FitReport> reports;
  for (const json& item : list) {
    reports.push_back({.seed = whole_number(item.at("seed")),
                       .epochs = count_of(item.at("epochs")),
                       .first_loss = number_or_nan(item.at("first_loss")),
                       .best_loss = number_or_nan(item.at("best_loss")),
                       .last_loss = number_or_nan(item.at("last_loss")),
                       .diverged = item.at("diverged"),
                       .stopped_early = item.at("stopped_early"),
                       .restarts = count_of(item.at("restarts")),
                       .dropped = item.contains("dropped") ? count_of(item.at("dropped")) : 0,  // not in format 1.0
                       .history = blocks.floats(history_name(reports.size()))});
  }
  return reports;
}

}  // namespace

json calibration_facts(const Calibration& calibration) {
  json facts{{"kind", to_text(calibration.kind)},
             {"c_model", calibration.c_model},
             {"c_noise", calibration.c_noise},
             {"level", calibration.level},
             {"rows", calibration.rows}};
  if (calibration.unit != CalibrationUnit::rows)
    facts.update({{"unit", to_text(calibration.unit)}, {"units", calibration.units}});
  if (!calibration.strata.empty()) facts["strata"] = calibration.strata;
  return facts;
}

void add_calibration(const Calibration& calibration, BlockWriter& blocks) {
  blocks.add("calibration/scores", std::span<const double>(calibration.scores));
  blocks.add("calibration/folds", std::span<const std::size_t>(calibration.score_folds));
  blocks.add("calibration/knots", std::span<const double>(calibration.knots));
  blocks.add("calibration/units", std::span<const std::size_t>(calibration.score_units));
  blocks.add("calibration/strata", std::span<const std::size_t>(calibration.score_strata));
}

Calibration read_calibration(const json& facts, const BlockReader& blocks) {
  Calibration calibration{.kind = kind_named(facts.at("kind")),
                          .c_model = facts.at("c_model"),
                          .c_noise = facts.at("c_noise"),
                          .level = facts.at("level"),
                          .rows = whole_number(facts.at("rows")),
                          .scores = blocks.doubles("calibration/scores"),
                          .score_folds = blocks.counts("calibration/folds"),
                          .knots = blocks.doubles("calibration/knots")};
  read_units(facts, blocks, calibration);
  return calibration;
}

namespace {

constexpr const char* network_means = "network/mean";
constexpr const char* network_features = "network/features";

/// Rows on which outputs distinguish one network from another.
constexpr std::size_t checked_rows = 8;

const FittedAttached* attached_to_network(const Model& model) {
  return dynamic_cast<const FittedAttached*>(&model.fitted());
}

/// A network's outputs for the first rows a model was made with.
ForeignNetwork::Evaluation answers_of(const ForeignNetwork& network, const DataSet& data) {
  Tensor<float> x(1, std::min(checked_rows, data.rows()), data.cols());
  std::transform(data.inputs.begin(), data.inputs.begin() + static_cast<std::ptrdiff_t>(x.size()), x.flat().begin(),
                 [](double value) { return static_cast<float>(value); });
  return evaluated(network, x);
}

/// Engines and compilers round differently, so equal networks agree only approximately.
bool agree(const Tensor<float>& a, const Tensor<float>& b) {
  constexpr float tolerance = 1e-4F;
  if (a.members() != b.members() || a.rows() != b.rows() || a.cols() != b.cols()) return false;
  return std::ranges::equal(a.flat(), b.flat(), [](float u, float v) {
    return std::abs(u - v) <= tolerance * std::max({1.0F, std::abs(u), std::abs(v)});
  });
}

void check_network(const json& facts, const BlockReader& blocks, const ForeignNetwork& network, const DataSet& data) {
  if (whole_number(facts.at("inputs")) != network.inputs() || whole_number(facts.at("features")) != network.features())
    refuse(fmt::format("the bounds are for a network with {} inputs and {} features, but this one has {} and {}",
                       whole_number(facts.at("inputs")), whole_number(facts.at("features")), network.inputs(),
                       network.features()));
  const ForeignNetwork::Evaluation now = answers_of(network, data);
  if (!agree(blocks.tensor(network_means), now.mean) || !agree(blocks.tensor(network_features), now.features))
    refuse("this is not the network that the bounds were fitted for: its outputs differ");
}

}  // namespace

json header_of(const Model& model) {
  const ModelParts& parts = model.parts();
  std::vector<std::string> state;
  for (const FittedState::Block& block : model.fitted().state().blocks) state.push_back(block.name);
  json data{{"rows", parts.data.rows()},
            {"target", parts.data.target_name},
            {"noise", parts.data.noise_name},
            {"inputs", parts.data.input_names},
            {"columns", columns_json(parts.data.features)},
            {"dropped_lines", parts.data.report.dropped_lines},
            {"constant_columns", parts.data.report.constant_columns},
            {"fitted_rows", parts.fitted_rows.size()}};
  add_table_facts(parts.data, data);
  json header{{"format", "nomu model"},
              {"library", parts.version},
              {"method", method_name(parts.spec.method)},
              {"settings", settings_of(parts.spec)},
              {"data", std::move(data)},
              {"calibration", calibration_facts(parts.calibration)},
              {"held_out",
               {{"source", source_names.at(static_cast<std::size_t>(parts.held_out.source))},
                {"split", parts.held_out.split},
                {"refitted", parts.held_out.refitted}}},
              {"reports", reports_of(model.fitted())},
              // No threads: they do not change the result, so they must not change the file.
              {"engine",
               {{"name", parts.engine.name},
                {"provider", parts.engine.provider},
                {"isa", parts.engine.isa},
                {"device", parts.engine.device}}},
              {"state", state}};
  if (!parts.data.strata_name.empty()) header["data"]["coverage_by"] = parts.data.strata_name;
  if (const FittedAttached* attached = attached_to_network(model)) {
    header["network"] = {{"inputs", attached->network().inputs()}, {"features", attached->network().features()}};
  }
  return header;
}

BlockWriter blocks_of(const Model& model) {
  const ModelParts& parts = model.parts();
  BlockWriter blocks;
  blocks.add("data/inputs", std::span<const double>(parts.data.inputs));
  blocks.add("data/targets", std::span<const double>(parts.data.targets));
  blocks.add("data/weight", std::span<const double>(parts.data.row_weight));
  blocks.add("data/noise", std::span<const double>(parts.data.noise));
  blocks.add("data/fitted_rows", std::span<const std::size_t>(parts.fitted_rows));
  std::vector<double> scaling;
  for (const MemberScaling& member : parts.scalings) {
    for (const std::vector<double>* part :
         {&member.inputs.shift, &member.inputs.factor, &member.target.shift, &member.target.factor}) {
      scaling.insert(scaling.end(), part->begin(), part->end());
    }
  }
  blocks.add("scaling", std::span<const double>(scaling));
  const auto curved = [](const MemberScaling& member) { return member.inputs.reach != 0.0 || member.warp.active(); };
  if (std::ranges::any_of(parts.scalings, curved)) {
    std::vector<double> warps;
    for (const MemberScaling& member : parts.scalings)
      warps.insert(warps.end(), {member.inputs.reach, member.warp.centre, member.warp.scale});
    blocks.add("warps", std::span<const double>(warps));
  }
  add_calibration(parts.calibration, blocks);
  const HeldOut& held = parts.held_out;
  blocks.add("held_out/rows", std::span<const std::size_t>(held.rows));
  blocks.add("held_out/folds", std::span<const std::size_t>(held.folds));
  blocks.add("held_out/mean", std::span<const double>(held.predicted.mean));
  blocks.add("held_out/sigma_model", std::span<const double>(held.predicted.sigma_model));
  blocks.add("held_out/sigma_noise", std::span<const double>(held.predicted.sigma_noise));
  blocks.add("held_out/sigma_below", std::span<const double>(held.predicted.sigma_below));
  blocks.add("held_out/targets", std::span<const double>(held.targets));
  blocks.add("held_out/units", std::span<const std::size_t>(held.units));
  std::vector<std::size_t> strata;
  for (const std::string& name : held.strata) {
    const auto place = std::ranges::lower_bound(parts.calibration.strata, name);
    strata.push_back(static_cast<std::size_t>(place - parts.calibration.strata.begin()));
  }
  blocks.add("held_out/strata", std::span<const std::size_t>(strata));
  for (std::size_t m = 0; m < model.fitted().reports().size(); ++m) {
    blocks.add(history_name(m), std::span<const float>(model.fitted().reports()[m].history));
  }
  for (const FittedState::Block& block : model.fitted().state().blocks)
    blocks.add(state_name(block.name), block.values);
  if (const FittedAttached* attached = attached_to_network(model)) {
    const ForeignNetwork::Evaluation answers = answers_of(attached->network(), parts.data);
    blocks.add(network_means, answers.mean);
    blocks.add(network_features, answers.features);
  }
  return blocks;
}

Model model_from(const json& header, const BlockReader& blocks, std::shared_ptr<const ForeignNetwork> network,
                 std::shared_ptr<Engine> engine) {
  ModelParts parts{.spec = read_spec(header),
                   .data = read_data(header, blocks),
                   .fitted_rows = blocks.counts("data/fitted_rows"),
                   .scalings = {},
                   .calibration = read_calibration(header.at("calibration"), blocks),
                   .held_out = {},
                   .engine = read_engine(header.at("engine")),
                   .version = header.at("library")};
  parts.held_out = read_held_out(header.at("held_out"), blocks, parts.calibration);
  check_dataset(parts.data);
  if (!holds_kinds(header.at("data").at("columns"))) add_stand_ins(parts.data);
  // TUBE of format 1.0 left its networks to be chosen.
  parts.spec.method = resolved_for(parts.spec.method, parts.data.rows(), parts.data.cols());
  FittedState state{.inputs = parts.data.cols(), .blocks = {}};
  for (const json& name : header.at("state")) {
    state.blocks.push_back({name.get<std::string>(), blocks.tensor(state_name(name.get<std::string>()))});
  }
  std::vector<FitReport> reports = read_reports(header.at("reports"), blocks);
  parts.scalings = read_scalings(blocks, reports.size(), parts.data.cols());
  if (header.contains("network") != (network != nullptr)) {
    refuse(network
               ? "this model needs no network: read it without one (load_model, or no --network on the command line)"
               : "these are bounds for a network, which the file does not contain; read them together with it "
                 "(load_bounds, or --network on the command line)");
  }
  std::shared_ptr<const FittedCohort> fitted;
  if (network) {
    const auto* method = std::get_if<NomuSpec>(&parts.spec.method);
    if (method == nullptr) refuse("bounds for a network must be of method 'nomu'");
    check_network(header.at("network"), blocks, *network, parts.data);
    fitted = restore_sigma(*method, std::move(network), state, std::move(reports), *engine);
  } else {
    fitted = row_by_row(restore(parts.spec.method, state, std::move(reports), *engine));
  }
  return {std::move(parts), std::move(fitted), std::move(engine)};
}

}  // namespace nomu
