#include "models/archive/archive_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <utility>

#include "core/text/json_numbers.hpp"
#include "data/stand_ins.hpp"
#include "models/archive/archive_calibration.hpp"
#include "models/archive/archive_columns.hpp"
#include "models/archive/archive_network.hpp"
#include "models/network/fitted_network.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& what) { throw DataError("models/archive", what); }

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
  info.threads = 0;  // not known
  info.name = facts.at("name");
  info.provider = facts.at("provider");
  info.isa = facts.at("isa");
  info.device = facts.at("device");
  return info;
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
  // Files before 1.2 have no warps, and neither have files of models that need none. Older files than today's draw in
  // all values, so that they need no fourth number.
  const std::vector<double> warps = blocks.doubles("warps");
  const std::size_t numbers_each = warps.size() == 3 * members ? 3 : 4;
  if (!warps.empty() && warps.size() != numbers_each * members) refuse("there is not one warp per member");
  for (std::size_t m = 0; m < members && !warps.empty(); ++m) {
    const auto own = std::span(warps).subspan(numbers_each * m, numbers_each);
    scalings[m].inputs.reach = own[0];
    scalings[m].warp = {.centre = own[1], .scale = own[2]};
    if (numbers_each == 4) scalings[m].inputs.straight = own[3];
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
              {"held_out", held_out_facts(parts.held_out)},
              {"reports", reports_of(model.fitted())},
              // No threads: they do not change the result, so they must not change the file.
              {"engine",
               {{"name", parts.engine.name},
                {"provider", parts.engine.provider},
                {"isa", parts.engine.isa},
                {"device", parts.engine.device}}},
              {"state", state}};
  if (!parts.data.strata_name.empty()) header["data"]["coverage_by"] = parts.data.strata_name;
  if (const ForeignNetwork* network = network_of(model)) header["network"] = network_facts(*network);
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
    const bool straight = std::ranges::any_of(parts.scalings, [](const auto& s) { return s.inputs.straight != 0.0; });
    std::vector<double> warps;
    for (const MemberScaling& member : parts.scalings) {
      warps.insert(warps.end(), {member.inputs.reach, member.warp.centre, member.warp.scale});
      if (straight) warps.push_back(member.inputs.straight);
    }
    blocks.add("warps", std::span<const double>(warps));
  }
  add_calibration(parts.calibration, blocks);
  add_held_out(parts.held_out, parts.calibration, blocks);
  for (std::size_t m = 0; m < model.fitted().reports().size(); ++m) {
    blocks.add(history_name(m), std::span<const float>(model.fitted().reports()[m].history));
  }
  for (const FittedState::Block& block : model.fitted().state().blocks)
    blocks.add(state_name(block.name), block.values);
  if (const ForeignNetwork* network = network_of(model)) add_network_answers(*network, parts.data, blocks);
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
  FittedState state{.inputs = parts.data.cols(), .blocks = {}, .data_rows = parts.data.rows()};
  std::set<std::string> names;  // each is read once, so that what is read is no more than the file holds
  for (const json& item : header.at("state")) {
    const auto name = item.get<std::string>();
    if (!names.insert(name).second) refuse(fmt::format("block '{}' is listed twice in the state", name));
    state.blocks.push_back({name, blocks.tensor(state_name(name))});
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
