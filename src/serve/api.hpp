#pragma once
// The study as JSON: turns requests into answers. Nothing here knows about sockets.

#include <functional>
#include <map>
#include <string>

#include "serve/model_watch.hpp"
#include "serve/study_desk.hpp"
#include "serve/study_view.hpp"

namespace nomu {

struct ApiRequest {
  std::string method = "GET";
  std::string path = {};                               ///< "/api/trials"
  std::map<std::string, std::string> parameters = {};  ///< of the address
  std::string body = {};
};

struct ApiAnswer {
  int status = 200;
  std::string json = {};
};

class Api {
 public:
  /// All must outlive it.
  Api(StudyDesk& desk, StudyView& view, ModelWatch& models, bool read_only)
      : desk_(desk), view_(view), models_(models), read_only_(read_only) {}

  /// Never throws: what goes wrong becomes {"error": "..."} with status 400 for a wrong request, 404 for a trial or a
  /// path that does not exist, 409 for what the study does not allow now, 503 while its database cannot be reached.
  [[nodiscard]] ApiAnswer answer(const ApiRequest& request);

 private:
  [[nodiscard]] std::string dispatch(const ApiRequest& request);
  [[nodiscard]] std::string study() const;
  [[nodiscard]] std::string status() const;
  [[nodiscard]] std::string best() const;
  [[nodiscard]] std::string trials(const ApiRequest& request);
  [[nodiscard]] std::string trial(const std::string& number) const;
  [[nodiscard]] std::string workers() const;
  [[nodiscard]] std::string model(const ApiRequest& request);
  [[nodiscard]] std::string ask(const ApiRequest& request);
  [[nodiscard]] std::string tell(const ApiRequest& request);
  [[nodiscard]] std::string enqueue(const ApiRequest& request);
  [[nodiscard]] std::string renew(const ApiRequest& request);
  [[nodiscard]] std::string release(const ApiRequest& request);
  [[nodiscard]] std::string budget(const ApiRequest& request);
  [[nodiscard]] std::string stop(const ApiRequest& request);

  StudyDesk& desk_;
  StudyView& view_;
  ModelWatch& models_;
  bool read_only_;
};

/// {"error": "..."}
[[nodiscard]] std::string error_json(const std::string& message);

}  // namespace nomu
