// The study over HTTP, by cpp-httplib. This file handles requests, headers and sockets; what the answers are is decided
// elsewhere.

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <string_view>
#include <thread>

#include "nomu/core/error.hpp"
#include "nomu/serve/serve.hpp"
#include "serve/api.hpp"
#include "serve/api_json.hpp"
#include "serve/http/guard.hpp"
#include "serve/http/limited_server.hpp"
#include "serve/live_page.hpp"
#include "serve/live_parts.hpp"
#include "serve/openapi.hpp"
#include "serve/serve_check.hpp"

namespace nomu {
namespace {

constexpr auto follow_every = std::chrono::milliseconds(250);
constexpr double heartbeat_s = 10.0;  // a stream without news says that it is alive
constexpr int longest_queue = 512;
constexpr const char* html_type = "text/html; charset=utf-8";
constexpr const char* json_type = "application/json";
// Nothing runs or loads but what this server sends, and no other page shows it in a frame.
constexpr const char* page_policy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src data:; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// Answers, and closes the connection. A body that nobody reads would otherwise be taken for the next request, which
/// would then seem to come from nowhere: a page of another site could change the study like that.
void last_answer(httplib::Response& response, std::string text, const char* type) {
  response.set_header("Connection", "close");
  const auto kept = std::make_shared<const std::string>(std::move(text));
  response.set_content_provider(
      kept->size(), type, [kept](std::size_t offset, std::size_t size, httplib::DataSink& sink) {
        const std::string_view rest = std::string_view(*kept).substr(std::min(offset, kept->size()), size);
        sink.write(rest.data(), rest.size());
        return false;  // as if writing had failed, which is what ends a connection
      });
}

Framing framing_of(const httplib::Request& request) {
  Framing framing{.method = request.method,
                  .chunked = request.has_header("Transfer-Encoding"),
                  .compressed = request.has_header("Content-Encoding"),
                  .ranges = request.ranges.size()};
  for (std::size_t i = 0; i < request.get_header_value_count("Content-Length"); ++i)
    framing.lengths.push_back(request.get_header_value("Content-Length", i));
  return framing;
}

class HttpServer {
 public:
  HttpServer(const OpenStudy& open, const ServeSpec& spec, const std::stop_token& stop)
      : spec_(spec),
        desk_(open, stop),
        view_(open()),
        models_(open(), view_),
        parts_(desk_, view_, models_, spec.optimum),
        api_(desk_, view_, models_, spec.read_only) {
    configure();
    routes();
  }

  void run(const std::function<void(const std::string& url)>& ready, const std::stop_token& stop) {
    const int port = listen();
    std::jthread follower([this](const std::stop_token& ended) {
      while (!ended.stop_requested()) {
        view_.follow();
        std::this_thread::sleep_for(follow_every);
      }
    });
    const std::stop_callback ending(stop, [this] {
      ending_ = true;
      server_->stop();
    });
    if (ready)
      ready(fmt::format("http://{}:{}/",
                        spec_.host.find(':') == std::string::npos ? spec_.host : "[" + spec_.host + "]", port));
    // A stop that was requested before there was anything to stop.
    if (!stop.stop_requested()) server_->listen_after_bind();
    ending_ = true;
  }

 private:
  void configure() {
    const auto threads = static_cast<std::size_t>(spec_.connections);
    server_->new_task_queue = [threads] { return new httplib::ThreadPool(threads); };
    server_->set_payload_max_length(static_cast<std::size_t>(spec_.body));
    server_->set_read_timeout(10);
    server_->set_write_timeout(10);
    server_->set_keep_alive_timeout(5);
    server_->set_keep_alive_max_count(100000);
    server_->set_tcp_nodelay(true);
    // By default two servers could share a port, each with half of the requests.
    server_->set_socket_options([this](int socket) {
      const int yes = 1;
      (void)::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
      socket_ = socket;
    });
    server_->set_default_headers({{"X-Content-Type-Options", "nosniff"},
                                  {"Referrer-Policy", "no-referrer"},
                                  {"Cache-Control", "no-store"},
                                  {"Content-Security-Policy", page_policy}});
    server_->set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      return admit(request, response) ? httplib::Server::HandlerResponse::Unhandled
                                      : httplib::Server::HandlerResponse::Handled;
    });
    server_->set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (!response.body.empty() || response.has_header("Connection")) return;
      const char* why = response.status == 413   ? "the body is too large"
                        : response.status == 404 ? "there is nothing here; /docs lists what there is"
                                                 : "the request cannot be understood";
      last_answer(response, error_json(why), json_type);
    });
    server_->set_exception_handler(
        [](const httplib::Request&, httplib::Response& response, const std::exception_ptr& failure) {
          std::string why = "something unexpected happened";
          try {
            std::rethrow_exception(failure);
          } catch (const std::exception& error) {
            why = error.what();
          }
          response.status = 500;
          response.set_content(error_json(why), json_type);
        });
  }

  int listen() {
    const int wanted = static_cast<int>(spec_.port);
    const int port = wanted == 0                                 ? server_->bind_to_any_port(spec_.host)
                     : server_->bind_to_port(spec_.host, wanted) ? wanted
                                                                 : -1;
    if (port < 0) {
      throw DataError("serve",
                      fmt::format("cannot listen on {} port {}: another program may be using it, or the address is "
                                  "not one of this machine; choose with --port and --host",
                                  spec_.host, spec_.port));
    }
    (void)::listen(socket_, longest_queue);  // many workers may come at once; the library lets five wait
    return port;
  }

  /// Whether the request goes on; otherwise it is answered.
  [[nodiscard]] bool admit(const httplib::Request& request, httplib::Response& response) const {
    const auto turn_away = [&](int status, const std::string& why) {
      response.status = status;
      const bool person = request.get_header_value("Accept").find("text/html") != std::string::npos;
      const bool login = status == 401 && person;
      last_answer(response, login ? login_page(false) : error_json(why), login ? html_type : json_type);
      return false;
    };
    const Refusal wrong = refusal_of(framing_of(request), spec_.body);
    if (wrong.status != 0) return turn_away(wrong.status, wrong.why);
    if (request.path == "/live.css" || (request.path == "/login" && !spec_.token.empty())) return true;
    const Refusal refusal = refusal_of({.host = request.get_header_value("Host"),
                                        .origin = request.get_header_value("Origin"),
                                        .authorization = request.get_header_value("Authorization"),
                                        .cookie = request.get_header_value("Cookie"),
                                        .changes = request.method == "POST",
                                        .content_type = request.get_header_value("Content-Type")},
                                       spec_.token);
    return refusal.status == 0 || turn_away(refusal.status, refusal.why);
  }

  void routes() {
    const auto api = [this](const httplib::Request& request, httplib::Response& response) {
      ApiRequest asked{.method = request.method, .path = request.path, .parameters = {}, .body = request.body};
      for (const auto& [key, value] : request.params) asked.parameters.emplace(key, value);
      const ApiAnswer answer = api_.answer(asked);
      response.status = answer.status;
      if (answer.status == 503) response.set_header("Retry-After", "1");
      response.set_content(answer.json, json_type);
    };
    server_->Get("/", [this](const httplib::Request&, httplib::Response& response) {
      view_.follow();
      response.set_content(live_page({title(), spec_.read_only}, desk_.space(), parts_.all()), html_type);
    });
    server_->Get("/parts",
                 [this](const httplib::Request& request, httplib::Response& response) { parts(request, response); });
    server_->Get("/live.css", [](const httplib::Request&, httplib::Response& response) {
      response.set_content(std::string(live_style()), "text/css; charset=utf-8");
    });
    server_->Get("/live.js", [](const httplib::Request&, httplib::Response& response) {
      response.set_content(std::string(live_script()), "text/javascript; charset=utf-8");
    });
    server_->Get("/docs", [](const httplib::Request&, httplib::Response& response) {
      response.set_content(openapi_page(), html_type);
    });
    server_->Post("/login",
                  [this](const httplib::Request& request, httplib::Response& response) { login(request, response); });
    server_->Get("/api/events", [this](const httplib::Request&, httplib::Response& response) { stream(response); });
    server_->Get("/openapi.json", api);
    server_->Get("/api/.*", api);
    server_->Post("/api/.*", api);
  }

  /// The name of a file without its folder; an address as it is.
  [[nodiscard]] std::string title() {
    const std::string name = desk_.study().name();
    return name.find("://") == std::string::npos ? std::filesystem::path(name).filename().string() : name;
  }

  void parts(const httplib::Request& request, httplib::Response& response) {
    const auto number = [&](const char* name) {
      return whole_of(request.get_param_value(name), name, -1, -1, std::int64_t{1} << 53);
    };
    try {
      const LiveParts::Drawn drawn = parts_.since(number("event"), number("model"));
      response.set_content(text_of({{"event", drawn.event}, {"model", drawn.model}, {"parts", drawn.parts}}),
                           json_type);
    } catch (const DataError& error) {
      response.status = 400;
      response.set_content(error_json(error.what()), json_type);
    }
  }

  void login(const httplib::Request& request, httplib::Response& response) const {
    if (!same_secret(spec_.token, request.get_param_value("token"))) {
      response.status = 401;
      return response.set_content(login_page(true), html_type);
    }
    response.set_header("Set-Cookie", fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000",
                                                  token_cookie(request.get_header_value("Host")), spec_.token));
    response.set_redirect("./", 303);
  }

  /// Says that there is news; the page asks for it. Each stream takes a connection for itself.
  void stream(httplib::Response& response) {
    if (++watchers_ > spec_.watchers) {
      --watchers_;
      response.status = 503;
      response.set_header("Retry-After", "10");
      return response.set_content(error_json("too many pages follow this study; ask every few seconds"), json_type);
    }
    struct Sent {
      std::int64_t event = -1;
      std::int64_t model = -1;
      std::string trouble = {};
      std::chrono::steady_clock::time_point at = {};
    };
    const auto sent = std::make_shared<Sent>();
    response.set_chunked_content_provider(
        "text/event-stream",
        [this, sent](std::size_t, httplib::DataSink& sink) {
          const auto now = std::chrono::steady_clock::now();
          const std::int64_t event = view_.event();
          const std::int64_t model = models_.number();
          const std::string trouble = view_.trouble();
          const bool news = event != sent->event || model != sent->model || trouble != sent->trouble;
          const bool quiet = now - sent->at >= std::chrono::duration<double>(heartbeat_s);
          if (ending_) return false;
          if (!news && !quiet) {
            view_.wait(event, trouble, 0.5);
            return true;
          }
          *sent = {event, model, trouble, now};
          const std::string text =
              news ? fmt::format("data: {{\"event\":{},\"model\":{}}}\n\n", event, model) : std::string(": alive\n\n");
          return sink.write(text.data(), text.size());
        },
        [this](bool) { --watchers_; });
  }

  ServeSpec spec_;
  StudyDesk desk_;
  StudyView view_;
  ModelWatch models_;
  LiveParts parts_;
  Api api_;
  std::unique_ptr<httplib::Server> server_ = limited_server();
  int socket_ = -1;  // that listens
  std::atomic<bool> ending_ = false;
  std::atomic<std::int64_t> watchers_ = 0;
};

}  // namespace

void serve_study(const OpenStudy& open, const ServeSpec& spec, const std::function<void(const std::string& url)>& ready,
                 const std::stop_token& stop) {
  check_serve_spec(spec);
  HttpServer(open, spec, stop).run(ready, stop);
}

}  // namespace nomu
