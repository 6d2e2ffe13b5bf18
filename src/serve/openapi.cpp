#include "serve/openapi.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "nomu/core/version.hpp"
#include "report/page/html.hpp"

namespace nomu {
namespace {

using nlohmann::json;

struct Parameter {
  const char* name;
  const char* type;
  const char* what;
};

/// One thing that can be asked. The document, the page and its examples are made from this list.
struct Operation {
  const char* method;
  const char* path;
  const char* what;
  std::vector<Parameter> parameters;  ///< of the address for get, of the body for post
  const char* body;                   ///< an example
  const char* answer;                 ///< an example
};

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all{
      {"post",
       "/api/ask",
       "Hands out trials. Trials that were queued, or whose lease has expired, come first. An empty list means that "
       "none is left; 'why' "
       "gives the reason.",
       {{"count", "integer", "number of trials, 1 unless given"},
        {"worker", "string", "name of the worker that evaluates them"}},
       R"({"count":2,"worker":"node7"})",
       R"({"trials":[{"asked":1790000000.0,"id":3,"lease_until":1790003600.0,"origin":"model","point":{"x":0.5},"state":"pending","worker":"node7"}]})"},
      {"post",
       "/api/tell",
       "Records a result, a failure, or a result of a point that was no trial; several at once as 'results'. It is on "
       "disk "
       "when the answer comes, and either all are recorded or none.",
       {{"id", "integer", "the trial"},
        {"value", "number", "its result"},
        {"failed", "string", "instead of a value: why there is none"},
        {"point", "object", "instead of a trial: the point"},
        {"cost", "number", "what the evaluation took, in any unit, above 0; may be left out"},
        {"results", "array", "instead of all of these: a list of such results"},
        {"repeated", "string", "what to do if there is a result already: refuse, accept_equal or replace"}},
       R"({"id":3,"value":0.25})",
       R"({"ids":[3]})"},
      {"post",
       "/api/enqueue",
       "Adds points without results: whoever asks next gets them, before anything is suggested.",
       {{"point", "object", "the point"}, {"points", "array", "instead of it: a list of points"}},
       R"({"point":{"x":0.75}})",
       R"({"ids":[4]})"},
      {"post",
       "/api/renew",
       "Extends the leases of trials that are still being evaluated. The answer lists those that were extended: a "
       "trial "
       "that is missing there has a result, or was given back.",
       {{"ids", "array", "numbers of the trials, 1000 at most"},
        {"worker", "string", "who evaluates them; trials of others are left alone then"}},
       R"({"ids":[3]})",
       R"({"ids":[3]})"},
      {"post",
       "/api/release",
       "Takes back the trials of a worker, to be handed out again.",
       {{"worker", "string", "its name"}},
       R"({"worker":"node7"})",
       R"({"released":1})"},
      {"post",
       "/api/budget",
       "Changes the total number of trials; 0 means no limit.",
       {{"budget", "integer", "number of trials, those so far included"}},
       R"({"budget":100})",
       R"({"budget":100,"done":false,"failed":0,"finished":3,"pending":0,"trials":3})"},
      {"post",
       "/api/stop",
       "Hands out no new trials: the budget becomes the number of trials so far. Those that are running or waiting are "
       "still evaluated. A larger budget resumes the study.",
       {},
       R"({})",
       R"({"budget":3,"done":true,"failed":0,"finished":3,"pending":0,"trials":3})"},
      {"get",
       "/api/study",
       "The variables and settings of the study.",
       {},
       nullptr,
       R"({"name":"yield.db","settings":{"method":"nomu"},"variables":[{"high":1.0,"low":0.0,"name":"x","scale":"linear","type":"real"}]})"},
      {"get",
       "/api/status",
       "Numbers of trials, and the best one; of a noisy study the best result (best_result).",
       {},
       nullptr,
       R"({"budget":60,"done":false,"expired":0,"failed":0,"finished":2,"pending":1,"trials":3})"},
      {"get",
       "/api/best",
       "The best trial so far; of a noisy study the one whose expected value is the best.",
       {},
       nullptr,
       R"({"id":2,"point":{"x":0.25},"state":"finished","value":0.125})"},
      {"get",
       "/api/trials",
       "Trials in the order of their numbers, page by page: 'next', if there is one, is the 'after' of the next page.",
       {{"after", "integer", "number of the trial after which the page begins, 0 unless given"},
        {"limit", "integer", "length of the page, 100 unless given, 1000 at most"},
        {"state", "string", "only trials that are pending, finished or failed"}},
       nullptr,
       R"({"next":100,"trials":[{"id":1,"point":{"x":0.5},"state":"finished","value":0.25}]})"},
      {"get",
       "/api/trials/{id}",
       "One trial.",
       {{"id", "integer", "its number"}},
       nullptr,
       R"({"id":1,"point":{"x":0.5},"state":"finished","value":0.25})"},
      {"get",
       "/api/workers",
       "Who is evaluating which trial, and since when.",
       {},
       nullptr,
       R"({"workers":[{"lease_left":3500.0,"seconds":100.0,"trial":3,"worker":"node7"}]})"},
      {"get",
       "/api/model",
       "The model of the results so far along each variable, with the uncertainty that the search adds, and what "
       "models "
       "predicted for results that they had not seen.",
       {{"variable", "string", "only along this one"},
        {"at", "string", "a point as JSON through which the slices go; the best point unless given"}},
       nullptr,
       R"({"at":{"x":0.5},"results":20,"slices":[{"mean":[0.1,0.2],"sigma":[0.01,0.02],"values":[0.0,1.0],"variable":"x"}]})"},
      {"get",
       "/api/events",
       "A stream of server-sent events, one for each change of the study.",
       {},
       nullptr,
       R"(data: {"event":12,"model":1})"},
  };
  return all;
}

json parameters_of(const Operation& operation) {
  json list = json::array();
  if (operation.body != nullptr) return list;
  for (const Parameter& parameter : operation.parameters) {
    const bool in_path =
        std::string_view(operation.path).find(fmt::format("{{{}}}", parameter.name)) != std::string_view::npos;
    list.push_back({{"name", parameter.name},
                    {"in", in_path ? "path" : "query"},
                    {"required", in_path},
                    {"description", parameter.what},
                    {"schema", {{"type", parameter.type}}}});
  }
  return list;
}

json request_of(const Operation& operation) {
  json properties = json::object();
  for (const Parameter& parameter : operation.parameters)
    properties[parameter.name] = {{"type", parameter.type}, {"description", parameter.what}};
  return {{"required", true},
          {"content",
           {{"application/json",
             {{"schema", {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}}},
              {"example", json::parse(operation.body)}}}}}};
}

json answers_of(const Operation& operation) {
  const json example = json::parse(operation.answer, nullptr, false);
  const json content = example.is_discarded()
                           ? json{{"text/event-stream", {{"example", operation.answer}}}}
                           : json{{"application/json", {{"schema", {{"type", "object"}}}, {"example", example}}}};
  json all{{"200", {{"description", "done"}, {"content", content}}}};
  for (const auto& [status, what] :
       {std::pair("400", "the request is wrong"), std::pair("401", "the token is missing or wrong"),
        std::pair("404", "there is no such trial"), std::pair("409", "the study does not allow this now"),
        std::pair("413", "the body is too large"), std::pair("503", "the database cannot be reached")})
    all[status] = {{"description", what},
                   {"content", {{"application/json", {{"schema", {{"$ref", "#/components/schemas/Error"}}}}}}}};
  return all;
}

}  // namespace

std::string openapi_json() {
  json paths = json::object();
  for (const Operation& operation : operations()) {
    json entry{
        {"summary", operation.what}, {"parameters", parameters_of(operation)}, {"responses", answers_of(operation)}};
    if (operation.body != nullptr) entry["requestBody"] = request_of(operation);
    paths[operation.path][operation.method] = std::move(entry);
  }
  const json error{{"type", "object"}, {"properties", {{"error", {{"type", "string"}}}}}};
  return json{
      {"openapi", "3.0.3"},
      {"info", {{"title", "nomu serve"}, {"version", version()}, {"description", "One study of optimisation."}}},
      {"paths", paths},
      // With the token, or without where the server has none.
      {"security", json::array({json{{"token", json::array()}}, json::object()})},
      {"components",
       {{"schemas", {{"Error", error}}}, {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}}}
      .dump();
}

std::string openapi_page() {
  std::string body = "<header><h1>The interface for programs</h1></header>\n";
  body += html_paragraph(
      "Requests and answers are JSON. What goes wrong is answered with a status of 400 or more and {\"error\": "
      "\"...\"}. With "
      "a token, every request carries the header Authorization: Bearer TOKEN.");
  body +=
      "<p><a href=\"openapi.json\">openapi.json</a> is the same for tools; <a href=\"./\">the study</a> is back "
      "there.</p>\n";
  for (const Operation& operation : operations()) {
    const bool post = operation.body != nullptr;
    std::string text = html_paragraph(operation.what);
    HtmlTable table{.head = {post ? "key" : "parameter", "type", "meaning"}};
    for (const Parameter& parameter : operation.parameters)
      table.rows.push_back({parameter.name, parameter.type, parameter.what});
    if (!table.rows.empty()) text += html_table(table);
    text += post ? fmt::format("<pre>curl -H 'Content-Type: application/json' -d '{}' http://localhost:8080{}</pre>\n",
                               html_text(operation.body), html_text(operation.path))
                 : fmt::format("<pre>curl http://localhost:8080{}</pre>\n", html_text(operation.path));
    text += fmt::format("<pre>{}</pre>\n", html_text(operation.answer));
    body += html_section(fmt::format("{} {}", post ? "POST" : "GET", operation.path), text);
  }
  return html_page("nomu serve: the interface for programs", body);
}

}  // namespace nomu
