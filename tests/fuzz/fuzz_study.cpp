// Any bytes, read as each of the texts that reach a study from outside, are either what they should be, and then
// survive being written and read again, or an Error that says what is wrong. These are lines of results, points, tables
// of results, what a study's file keeps, addresses of databases, settings, commands with placeholders, and headers of
// HTTP.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bo/database/postgres_address.hpp"
#include "bo/store/study_text.hpp"
#include "bo/worker/command_text.hpp"
#include "nomu/bo/trial_io.hpp"
#include "nomu/core/config.hpp"
#include "nomu/models/method.hpp"
#include "nomu/models/nomu.hpp"
#include "refusal.hpp"
#include "serve/http/guard.hpp"

namespace {

constexpr std::string_view hostile = "$(exit 7)";

const nomu::Space& space() {
  static const nomu::Space one(
      {{.name = "x", .low = -1.5, .high = 2.0},
       {.name = "rate", .low = 1e-6, .high = 1.0, .log = true},
       {.name = "n", .kind = nomu::Variable::Kind::integer, .low = -3.0, .high = 9007199254740991.0},
       {.name = "c", .kind = nomu::Variable::Kind::categorical, .choices = {"plain", std::string(hostile), "0.5"}}},
      {{.terms = {{"x", 1.0}, {"rate", 2.0}}, .at_most = 3.0}});
  return one;
}

void expect(bool holds) {
  if (!holds) std::abort();
}

void read_point(std::string_view text) {
  const nomu::Point point = nomu::point_from_json(space(), text);
  expect(nomu::point_from_json(space(), nomu::point_to_json(space(), point)) == point);
  expect(nomu::point_from_text(nomu::point_to_text(point)) == point);
}

void read_result(std::string_view text) {
  const nomu::TrialResult result = nomu::result_from_json(space(), text);
  expect(result.value.has_value() == result.reason.empty() || !result.value);
  if (!result.point.empty()) read_point(nomu::point_to_json(space(), result.point));
}

void read_results(std::string_view text) {
  for (const nomu::TrialResult& result : nomu::results_from_table(space(), nomu::parse_table(text, "fuzz")))
    space().check(result.point);
}

void read_stored_point(std::string_view text) {
  const nomu::Point point = nomu::point_from_text(text);
  expect(nomu::point_from_text(nomu::point_to_text(point)) == point);
}

void read_event(std::string_view text) {
  const std::string written = nomu::event_to_text(nomu::event_from_text(text));
  expect(nomu::event_to_text(nomu::event_from_text(written)) == written);
}

void read_space(std::string_view text) {
  const nomu::Space read = nomu::space_from_text(text);
  expect(nomu::space_from_text(nomu::space_to_text(read)) == read);
}

void read_spec(std::string_view text) {
  const std::string written = nomu::spec_to_text(nomu::spec_from_text(text));
  expect(nomu::spec_to_text(nomu::spec_from_text(written)) == written);
}

template <class Spec>
void read_setting(std::string_view text) {
  const nomu::Setting setting = nomu::parse_setting(text);
  Spec spec;
  const nomu::Fields fields = fields_of(spec);
  nomu::apply_settings(fields, {setting});
  Spec copy;
  const nomu::Fields copied = fields_of(copy);
  for (const nomu::Field& field : fields.list()) copied.set_text(field.name, nomu::to_text(field.get()));
  expect(copied.differences(fields).empty());
}

void read_address(std::string_view text) {
  constexpr std::string_view secret = "hush-hush";
  if (text.find(secret) != std::string_view::npos) return;
  const std::string before = "postgresql://me:" + std::string(secret);
  try {
    const nomu::PostgresAddress address = nomu::read_postgres_address(before + std::string(text));
    expect(address.name.find(secret) == std::string::npos || text.find('@') == std::string_view::npos);
  } catch (const nomu::Error& error) {
    const bool shown = std::string_view(error.what()).find(secret) != std::string_view::npos;
    expect(!shown || text.find('@') == std::string_view::npos);
    throw;
  }
}

std::size_t occurrences(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(hostile); at != text.npos; at = text.find(hostile, at + 1)) ++count;
  return count;
}

void read_command(std::string_view text) {
  const std::string command(text);
  const nomu::Trial trial{.id = 1, .point = {0.5, 0.25, 3.0, 1.0}};
  expect(occurrences(nomu::command_for(command, space(), trial)) <= occurrences(command));
}

void read_headers(std::string_view text) {
  constexpr std::string_view token = "0123456789abcdef";
  const std::string header(text);
  const nomu::Visitor visitor{.host = header, .origin = header, .authorization = header, .cookie = header};
  if (text.find(token) == text.npos) expect(nomu::refusal_of(visitor, token).status == 401);
  (void)nomu::refusal_of({.host = header, .origin = header, .changes = true, .content_type = header}, "");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  for (void (*read)(std::string_view) :
       {read_point, read_result, read_results, read_stored_point, read_event, read_space, read_spec,
        read_setting<nomu::OptimizeSpec>, read_setting<nomu::NomuSpec>, read_address, read_command, read_headers}) {
    (void)read_or_refuse(bytes, size, read);
  }
  return 0;
}
