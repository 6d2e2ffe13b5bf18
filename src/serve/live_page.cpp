#include "serve/live_page.hpp"

#include <fmt/format.h>

#include "nomu/core/version.hpp"
#include "report/page/html.hpp"
#include "report/page/view.hpp"

namespace nomu {
namespace {

/// A section whose content is replaced as the study goes on.
std::string part(const LiveParts::Drawn& drawn, const std::string& id, std::string_view heading) {
  const auto found = drawn.parts.find(id);
  const std::string& html = found == drawn.parts.end() ? std::string() : found->second;
  const std::string title = heading.empty() ? "" : fmt::format("<h2>{}</h2>\n", html_text(heading));
  return fmt::format("<section>{}<div id=\"{}\">{}</div></section>\n", title, id, html);
}

std::string input_of(const Variable& v, std::size_t number) {
  const std::string name = html_text(short_name(label_of(v)));
  const bool conditional = !v.when.empty();
  const std::string attributes =
      fmt::format(R"(id="v{}" data-variable="{}"{})", number, html_text(v.name), conditional ? "" : " required");
  if (v.kind == Variable::Kind::categorical) {
    std::string options = conditional ? "<option value=\"\">not set</option>" : "";
    for (const std::string& choice : v.choices) options += fmt::format("<option>{}</option>", html_text(choice));
    return fmt::format("<label>{}<select {} data-kind=\"text\">{}</select></label>\n", name, attributes, options);
  }
  return fmt::format(
      "<label>{}<input {} data-kind=\"number\" type=\"number\" step=\"{}\" placeholder=\"{} to {}{}\"></label>\n", name,
      attributes, v.kind == Variable::Kind::integer ? "1" : "any", number_text(v.low), number_text(v.high),
      conditional ? ", or not set" : "");
}

std::string forms(const Space& space) {
  std::string out =
      "<section><h2>Steer</h2>\n<p id=\"message\" role=\"status\" aria-live=\"polite\"></p>\n<div class=\"forms\">\n";
  out +=
      "<form id=\"add\"><h3>Add a point</h3><p class=\"soft\">With a value it is a result from elsewhere. "
      "Without one, whoever asks next evaluates it.</p>\n";
  for (std::size_t j = 0; j < space.size(); ++j) out += input_of(space.variables()[j], j);
  out +=
      "<label>value<input id=\"value\" type=\"number\" step=\"any\" placeholder=\"none "
      "yet\"></label>\n<button>Add</button></form>\n";
  out +=
      "<form id=\"budget\"><h3>Budget</h3><p class=\"soft\">The total number of trials, those so far included; 0 for "
      "no "
      "limit. A larger one continues a study that has ended.</p>\n"
      "<label>trials<input id=\"trials\" type=\"number\" min=\"0\" step=\"1\" "
      "required></label>\n<button>Set</button></form>\n";
  out +=
      "<form id=\"stop\"><h3>Stop</h3><p class=\"soft\">No new trials are handed out; those that are running or "
      "waiting "
      "are still evaluated. A larger budget resumes the study.</p>\n<button>Stop</button></form>\n";
  return out + "</div></section>\n";
}

constexpr std::string_view resources =
    "<link rel=\"stylesheet\" href=\"live.css\">\n<script src=\"live.js\" defer></script>\n<link rel=\"icon\" "
    "href=\"data:,\">\n";

}  // namespace

std::string live_page(const LivePageSpec& spec, const Space& space, const LiveParts::Drawn& drawn) {
  std::string body = fmt::format(
      "<header><h1>{}</h1><p class=\"soft\"><span id=\"live\" class=\"off\">not connected</span> "
      "<a href=\"docs\">interface for programs</a> nomu {}</p></header>\n<noscript><p class=\"note\">Without "
      "scripts this page shows the study as it was when it was loaded.</p></noscript>\n",
      html_text(short_name(spec.title, 60.0)), html_text(version()));
  body += fmt::format("<div id=\"state\" data-event=\"{}\" data-model=\"{}\"></div>\n", drawn.event, drawn.model);
  body += part(drawn, "trouble", "");
  body += part(drawn, "summary", "");
  body += part(drawn, "progress", "How the search goes");
  body += part(drawn, "model", "What the model predicts");
  body += part(drawn, "running", "Running");
  body += part(drawn, "failed", "Failed");
  body += part(drawn, "latest", "Latest trials");
  if (!spec.read_only) body += forms(space);
  return html_page(fmt::format("{} - nomu serve", short_name(spec.title, 60.0)), body, resources);
}

std::string login_page(bool wrong) {
  std::string body = "<header><h1>nomu serve</h1></header>\n";
  body += html_paragraph(wrong ? "That is not the token." : "This study is protected by a token.", wrong ? "note" : "");
  body +=
      "<form method=\"post\" action=\"login\" class=\"forms\"><label>token<input type=\"password\" name=\"token\" "
      "autocomplete=\"current-password\" required></label>\n<button>Open</button></form>\n";
  return html_page("nomu serve", body,
                   "<link rel=\"stylesheet\" href=\"live.css\">\n<link rel=\"icon\" href=\"data:,\">\n");
}

std::string_view live_style() {
  return R"css(
.key{grid-template-columns:repeat(auto-fill,minmax(140px,1fr))}
#live{display:inline-block;padding:0 .7em;border-radius:1em;background:var(--line);margin-right:.6em}
#live.on{background:var(--good);color:var(--card)}
header a{margin-right:.6em}a{color:inherit}
.forms{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,300px),1fr));gap:16px;align-items:start}
.forms form,form.forms{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 14px}
.forms h3{margin:.1em 0 .5em;font-size:1.05rem}
label{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1.4fr);gap:10px;align-items:center;margin:.4em 0}
input,select,button{font:inherit;color:var(--ink);background:var(--ground);border:1px solid var(--line);border-radius:6px;
padding:.35em .6em;min-width:0;width:100%}
button{cursor:pointer;margin-top:.5em}button:disabled{opacity:.5}
#message:empty{display:none}#message{border-left:4px solid var(--line);padding:.5em .9em;background:var(--card)}
#message.bad{border-color:var(--bad)}#message.good{border-color:var(--good);font-weight:400;color:var(--ink)}
pre{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.6em .9em;overflow-x:auto;
white-space:pre-wrap;overflow-wrap:anywhere}
@media(prefers-color-scheme:dark){figure svg{filter:invert(.88) hue-rotate(180deg);mix-blend-mode:lighten}
figure svg [data-part=map]{filter:hue-rotate(180deg) invert(1)}}
)css";
}

std::string_view live_script() {
  return R"js("use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const state = byId("state");
  if (!state) return;
  let event = Number(state.dataset.event), model = Number(state.dataset.model);
  let busy = false, again = false;
  let news = { event: event, model: model };  // what the server says there is; it draws once a second at most

  // The server escapes every name in what it draws, and the policy of the page runs no script but this one.
  async function refresh() {
    if (busy) { again = true; return; }
    busy = true;
    try {
      const answer = await fetch(`parts?event=${event}&model=${model}`);
      if (answer.ok) {
        const drawn = await answer.json();
        for (const [id, html] of Object.entries(drawn.parts)) byId(id).innerHTML = html;
        event = drawn.event;
        model = drawn.model;
      }
    } catch { /* the stream says that the server is away */ }
    busy = false;
    const old = event < news.event || (model < news.model && news.model > 0);
    if (again || old) { again = false; setTimeout(refresh, 500); }
  }

  function connected(yes) {
    const live = byId("live");
    live.textContent = yes ? "live" : "not connected, trying again";
    live.className = yes ? "on" : "off";
  }

  let polling = 0;
  function follow() {
    const stream = new EventSource("api/events");
    stream.onopen = () => { connected(true); clearInterval(polling); polling = 0; refresh(); };
    stream.onmessage = (message) => { news = JSON.parse(message.data); refresh(); };
    stream.onerror = () => {
      connected(false);
      if (stream.readyState !== EventSource.CLOSED) return;
      if (!polling) polling = setInterval(refresh, 5000);  // too many watch; this one asks now and then
      setTimeout(follow, 10000);
    };
  }
  follow();
  setInterval(refresh, 10000);  // leases end without news

  function say(text, good) {
    const message = byId("message");
    message.textContent = text;
    message.className = good ? "good" : "bad";
  }

  async function post(path, body, done) {
    try {
      const answer = await fetch(path, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
      const text = await answer.json();
      if (answer.ok) say(done(text), true); else say(text.error, false);
      if (answer.ok) setTimeout(refresh, 1000);
      return answer.ok;
    } catch (error) {
      say(`the server did not answer (${error.message})`, false);
      return false;
    }
  }

  function submit(id, action) {
    const form = byId(id);
    if (!form) return;
    form.noValidate = true;  // the server says what is wrong
    form.addEventListener("submit", async (happening) => {
      happening.preventDefault();
      const button = form.querySelector("button");
      button.disabled = true;
      await action(form);
      button.disabled = false;
    });
  }

  const number = (input) => (input.value.trim() === "" ? null : Number(input.value));
  submit("add", async (form) => {
    const point = {};
    for (const input of form.querySelectorAll("[data-variable]")) {
      if (input.value.trim() === "" && !input.validity.badInput) continue;  // the server says what is missing
      point[input.dataset.variable] = input.dataset.kind === "number" ? number(input) : input.value;
    }
    if (byId("value").validity.badInput) return say("the value must be a number, or nothing", false);
    const value = number(byId("value"));
    const added = value === null
      ? await post("api/enqueue", { point }, (text) => `queued as trial ${text.ids[0]}`)
      : await post("api/tell", { point, value }, (text) => `added as trial ${text.ids[0]}`);
    if (added) byId("value").value = "";
  });
  submit("budget", () => post("api/budget", { budget: number(byId("trials")) },
    (text) => (text.budget === 0 ? "no limit now" : `the budget is ${text.budget} trials now`)));
  submit("stop", () => post("api/stop", {}, (text) => `stopped after ${text.trials} trials`));
})();
)js";
}

}  // namespace nomu
