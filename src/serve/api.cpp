#include "serve/api.hpp"

#include <fmt/format.h>

#include <limits>

#include "nomu/core/error.hpp"
#include "serve/api_json.hpp"
#include "serve/openapi.hpp"

namespace nomu {
namespace {

using nlohmann::json;

constexpr std::int64_t most_asked = 1000;
constexpr std::int64_t most_listed = 1000;
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

std::string parameter(const ApiRequest& request, const char* name) {
  const auto found = request.parameters.find(name);
  return found == request.parameters.end() ? std::string() : found->second;
}

/// Trials of `state` are listed, of every state if it is empty.
bool listed(const Trial& trial, const std::string& state) { return state.empty() || state == state_name(trial.state); }

}  // namespace

std::string error_json(const std::string& message) { return text_of({{"error", message}}); }

ApiAnswer Api::answer(const ApiRequest& request) {
  try {
    return {200, dispatch(request)};
  } catch (const NotThere& error) {
    return {404, error_json(error.what())};
  } catch (const NotNow& error) {
    return {409, error_json(error.what())};
  } catch (const ConnectionLost& error) {
    return {503, error_json(error.what())};
  } catch (const DataError& error) {
    return {400, error_json(error.what())};
  } catch (const ConfigError& error) {
    return {400, error_json(error.what())};
  } catch (const Cancelled& error) {
    return {503, error_json(error.what())};
  } catch (const std::exception& error) {
    return {500, error_json(error.what())};
  }
}

std::string Api::dispatch(const ApiRequest& request) {
  const std::string& path = request.path;
  if (request.method == "GET") {
    if (path == "/api/study") return study();
    if (path == "/api/status") return status();
    if (path == "/api/best") return best();
    if (path == "/api/trials") return trials(request);
    if (path.starts_with("/api/trials/")) return trial(path.substr(12));
    if (path == "/api/workers") return workers();
    if (path == "/api/model") return model(request);
    if (path == "/openapi.json") return openapi_json();
  }
  if (request.method == "POST") {
    if (read_only_) throw NotNow("serve", "this server was started with --read-only");
    if (path == "/api/ask") return ask(request);
    if (path == "/api/tell") return tell(request);
    if (path == "/api/enqueue") return enqueue(request);
    if (path == "/api/renew") return renew(request);
    if (path == "/api/release") return release(request);
    if (path == "/api/budget") return budget(request);
    if (path == "/api/stop") return stop(request);
  }
  throw NotThere("serve",
                 fmt::format("there is no {} {}; /docs lists what there is", request.method, path.substr(0, 100)));
}

std::string Api::study() const {
  const Space& space = desk_.space();
  json variables = json::array();
  for (const Variable& v : space.variables()) {
    json one{{"name", v.name}};
    if (v.kind == Variable::Kind::categorical) {
      one.update({{"type", "categorical"}, {"choices", v.choices}});
    } else {
      one.update({{"type", v.kind == Variable::Kind::integer ? "integer" : "real"},
                  {"low", v.low},
                  {"high", v.high},
                  {"scale", v.log ? "log" : "linear"}});
    }
    if (!v.unit.empty()) one["unit"] = v.unit;
    variables.push_back(std::move(one));
  }
  OptimizeSpec spec = desk_.study().spec();
  json settings = json::object();
  const Fields fields = fields_of(spec);
  for (const Field& field : fields.list()) settings[field.name] = to_text(field.get());
  return text_of({{"name", desk_.study().name()}, {"variables", variables}, {"settings", settings}});
}

std::string Api::status() const {
  const Study& study = desk_.study();
  const StudyStatus status = study.status();
  json all{{"trials", status.trials},   {"finished", status.finished}, {"failed", status.failed},
           {"pending", status.pending}, {"expired", status.expired},   {"budget", study.budget()},
           {"done", study.finished()}};
  if (status.best_result) {
    // With noise, the best trial is the model's choice (/api/best).
    all[study.spec().noisy ? "best_result" : "best"] = json_of(desk_.space(), *status.best_result);
  }
  return text_of(all);
}

std::string Api::best() const {
  const std::optional<Trial> best = desk_.study().best();
  if (!best) throw NotNow("serve", "no trial has a result yet");
  return trial_to_json(desk_.space(), *best);
}

std::string Api::trials(const ApiRequest& request) {
  const std::int64_t after = whole_of(parameter(request, "after"), "after", 0, 0, largest);
  const auto limit = static_cast<std::size_t>(whole_of(parameter(request, "limit"), "limit", 100, 1, most_listed));
  const std::string state = parameter(request, "state");
  if (!state.empty() && state != "pending" && state != "finished" && state != "failed")
    throw DataError("serve", "state must be pending, finished or failed");
  view_.refresh();
  return view_.read([&](const StudyView::State& all) {
    std::string page;
    std::size_t count = 0;
    std::int64_t last = after;
    bool more = false;
    for (auto i = static_cast<std::size_t>(after); i < all.trials.size() && !more; ++i) {
      if (!listed(all.trials[i], state)) continue;
      more = count == limit;
      if (more) break;
      page += (count == 0 ? "" : ",") + trial_to_json(desk_.space(), all.trials[i]);
      last = all.trials[i].id;
      ++count;
    }
    return fmt::format(R"({{"trials":[{}]{}}})", page, more ? fmt::format(R"(,"next":{})", last) : "");
  });
}

std::string Api::trial(const std::string& number) const {
  const std::int64_t id = whole_of(number, "the number of a trial", -1, 1, largest);
  if (id < 0) throw NotThere("serve", "the number of the trial is missing");
  try {
    return trial_to_json(desk_.space(), desk_.study().trial(id));
  } catch (const DataError& error) {
    throw NotThere("serve", error.what());
  }
}

std::string Api::workers() const {
  const Study& study = desk_.study();
  const double now = study.now();
  json all = json::array();
  for (const Trial& trial : study.pending()) {
    if (is_waiting(trial)) continue;
    all.push_back({{"worker", trial.worker},
                   {"trial", trial.id},
                   {"seconds", now - trial.asked},
                   {"lease_left", trial.lease_until - now}});
  }
  return text_of({{"workers", all}});
}

std::string Api::ask(const ApiRequest& request) {
  const json body = body_of(request.body, {"count", "worker"});
  const std::int64_t count = body.contains("count") ? whole_of(body["count"], "count", 1, most_asked) : 1;
  const std::vector<Trial> asked = desk_.ask(static_cast<std::size_t>(count), worker_of(body));
  json list = json::array();
  for (const Trial& trial : asked) list.push_back(json_of(desk_.space(), trial));
  json all{{"trials", list}};
  if (asked.empty()) all["why"] = desk_.study().why_finished();
  return text_of(all);
}

std::string Api::tell(const ApiRequest& request) {
  const json body = body_of(request.body, {"id", "value", "failed", "point", "cost", "results", "repeated"});
  Repeated repeated = Repeated::refuse;
  if (body.contains("repeated")) {
    if (body["repeated"] == "accept_equal")
      repeated = Repeated::accept_equal;
    else if (body["repeated"] == "replace")
      repeated = Repeated::replace;
    else if (body["repeated"] != "refuse")
      throw DataError("serve", "repeated must be refuse, accept_equal or replace");
  }
  json lines = json::array();
  if (body.contains("results")) {
    lines = body["results"];
    if (!lines.is_array() || lines.empty()) throw DataError("serve", "results must be a list of results");
    if (body.size() > (body.contains("repeated") ? 2U : 1U))
      throw DataError("serve", "give either one result or a list of them as 'results', not both");
  } else {
    json one = body;
    one.erase("repeated");
    lines.push_back(std::move(one));
  }
  std::vector<TrialResult> results;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    results.push_back(result_from_json(desk_.space(), lines[i].dump()));
    if (results.back().id <= 0 && results.back().point.empty())
      throw NotThere("serve", fmt::format("there is no trial {}", results.back().id));
    if (lines.size() > 1) results.back().label = fmt::format("result {}", i + 1);
  }
  const std::vector<TrialResult> kept = results;
  try {
    return text_of({{"ids", desk_.tell(std::move(results), repeated)}});
  } catch (const DataError& error) {
    // Which of the rules it was: a trial that does not exist, or one that has a result.
    for (const TrialResult& result : kept) {
      if (result.id == 0) continue;
      try {
        if (desk_.study().trial(result.id).state != TrialState::pending) throw NotNow("serve", error.what());
      } catch (const DataError&) {
        throw NotThere("serve", error.what());
      }
    }
    throw;
  }
}

std::string Api::enqueue(const ApiRequest& request) {
  const json body = body_of(request.body, {"point", "points"});
  if (body.contains("point") == body.contains("points"))
    throw DataError("serve", "give either point or points, a list of them");
  const json list = body.contains("point") ? json::array({body["point"]}) : body["points"];
  if (!list.is_array() || list.empty() || list.size() > most_asked)
    throw DataError("serve", fmt::format("points must be a list of 1 to {} points", most_asked));
  std::vector<Point> points;
  for (const json& point : list) points.push_back(point_from_json(desk_.space(), text_of(point)));
  return text_of({{"ids", desk_.study().enqueue(points)}});
}

std::string Api::renew(const ApiRequest& request) {
  const json body = body_of(request.body, {"ids", "worker"});
  // Nobody else changes the study meanwhile, so there is a limit.
  if (!body.contains("ids") || !body["ids"].is_array() || body["ids"].size() > most_asked)
    throw DataError("serve", fmt::format("ids must be a list of at most {} trials", most_asked));
  std::vector<std::int64_t> ids;
  for (const json& id : body["ids"]) ids.push_back(whole_of(id, "the number of a trial", 1, largest));
  return text_of({{"ids", desk_.study().renew(ids, worker_of(body))}});
}

std::string Api::release(const ApiRequest& request) {
  const json body = body_of(request.body, {"worker"});
  const std::string name = worker_of(body);
  if (name.empty()) throw DataError("serve", "worker must be the name of the worker whose trials are given back");
  return text_of({{"released", desk_.study().release([&](const std::string& worker) { return worker == name; })}});
}

std::string Api::budget(const ApiRequest& request) {
  const json body = body_of(request.body, {"budget"});
  if (!body.contains("budget")) throw DataError("serve", "budget is missing: a number of trials, or 0 for no limit");
  desk_.study().set_budget(whole_of(body["budget"], "budget", 0, std::int64_t{1} << 53));
  return status();
}

/// Hands out no new trials; those that are running or waiting are still evaluated, and a larger budget resumes the
/// study.
std::string Api::stop(const ApiRequest& request) {
  (void)body_of(request.body, {});
  const std::int64_t trials = desk_.study().status().trials;
  if (trials == 0) throw NotNow("serve", "there is no trial yet, so there is nothing to stop");
  desk_.study().set_budget(trials);
  return status();
}

}  // namespace nomu
