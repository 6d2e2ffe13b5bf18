#pragma once
/// A study over HTTP: JSON requests and responses for programs in any language, and a page that follows the search.

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "nomu/bo/study.hpp"
#include "nomu/core/fields.hpp"

namespace nomu {

struct ServeSpec {
  std::string host = "127.0.0.1";  ///< name or address to listen on; without a token only loopback is allowed
  std::int64_t port = 8080;        ///< 0: any free one
  std::string token = {};          ///< that clients must send; empty: none
  bool read_only = false;          ///< the study can be watched, not changed
  std::int64_t body = 4 << 20;     ///< largest body of a request, in bytes
  std::int64_t connections = 256;  ///< largest number of open connections; further ones wait. An open page uses two
  std::int64_t watchers = 64;      ///< pages that are notified of changes as they happen; others poll every few seconds
  std::optional<double> optimum = {};  ///< if known, the page draws regret
};

[[nodiscard]] Fields fields_of(ServeSpec& spec);

/// Opens one more connection to the study. Called several times, from several threads.
using OpenStudy = std::function<Study()>;

/// Serves the study until `stop` is requested; `ready` is called with the address of the page,
/// "http://127.0.0.1:8080/", as soon as requests are accepted. Any number of servers and workers may use one study at
/// the same time.
///
/// Requests that ask for trials while a model is being fitted wait for it and get different points from it; results
/// that arrive together are recorded in one transaction.
///
/// Throws ConfigError for an address beyond loopback without a token and for a token that is too short, DataError if
/// the address cannot be used or the study cannot be opened, Error if this nomu was built without a server.
void serve_study(const OpenStudy& open, const ServeSpec& spec, const std::function<void(const std::string& url)>& ready,
                 const std::stop_token& stop);

}  // namespace nomu
