#include "models/archive/archive_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "core/text/json_numbers.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

using nlohmann::json;

constexpr std::array<const char*, 4> source_names = {"none", "folds", "hold_out", "given"};
constexpr std::array<const char*, 4> split_names = {"", "random", "group", "time"};

[[noreturn]] void refuse(const std::string& what) { throw DataError("models/archive", what); }

CalibrationSource source_named(const std::string& name) {
  const auto found = std::ranges::find_if(source_names, [&](const char* known) { return name == known; });
  if (found == source_names.end()) refuse(fmt::format("unknown source of calibration rows '{}'", name));
  return static_cast<CalibrationSource>(found - source_names.begin());
}

HeldOutSplit split_named(const std::string& name) {
  const auto found = std::ranges::find_if(split_names, [&](const char* known) { return name == known; });
  if (found == split_names.end()) refuse(fmt::format("unknown split of calibration rows '{}'", name));
  return static_cast<HeldOutSplit>(found - split_names.begin());
}

CalibrationKind kind_named(const std::string& name) {
  for (std::size_t i = 0; i <= static_cast<std::size_t>(CalibrationKind::isotonic); ++i) {
    if (name == to_text(static_cast<CalibrationKind>(i))) return static_cast<CalibrationKind>(i);
  }
  refuse(fmt::format("this version does not know the calibration '{}'", name));
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

/// The names of the held-out rows, of which the file holds the places in a list.
std::vector<std::string> names_of(std::span<const std::size_t> places, std::span<const std::string> strata) {
  // A long name of many rows would take far more memory than the file.
  std::size_t room = (std::size_t{16} << 20U) + 256 * places.size();
  std::vector<std::string> names;
  for (const std::size_t place : places) {
    if (place >= strata.size()) refuse("a held-out row of a name that does not exist");
    if (strata[place].size() > room) refuse("the names of held-out rows are too long");
    room -= strata[place].size();
    names.push_back(strata[place]);
  }
  return names;
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

json held_out_facts(const HeldOut& held) {
  return {{"source", source_names.at(static_cast<std::size_t>(held.source))},
          {"split", split_names.at(static_cast<std::size_t>(held.split))},
          {"refitted", held.refitted}};
}

void add_held_out(const HeldOut& held, const Calibration& calibration, BlockWriter& blocks) {
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
    const auto place = std::ranges::lower_bound(calibration.strata, name);
    strata.push_back(static_cast<std::size_t>(place - calibration.strata.begin()));
  }
  blocks.add("held_out/strata", std::span<const std::size_t>(strata));
}

HeldOut read_held_out(const json& facts, const BlockReader& blocks, const Calibration& calibration) {
  HeldOut held{.source = source_named(facts.at("source")),
               .split = split_named(facts.at("split")),
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
  held.strata = names_of(blocks.counts("held_out/strata"), calibration.strata);
  if (!fits(held.strata.size(), true)) refuse("the numbers of held-out rows do not match");
  return held;
}

}  // namespace nomu
