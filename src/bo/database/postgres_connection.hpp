#pragma once
// One connection to PostgreSQL by libpq. Statements are sent in batches whose answers are read together, with
// parameters apart from their text, and no call waits forever for a server that no longer answers.

#include <libpq-fe.h>

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "bo/database/database.hpp"
#include "bo/database/postgres_address.hpp"
#include "nomu/core/error.hpp"

namespace nomu {

/// An error that the server reported.
class PostgresError : public Error {
 public:
  PostgresError(const std::string& what, std::string state) : Error("bo/study", what), state_(std::move(state)) {}
  /// SQLSTATE, five characters.
  [[nodiscard]] const std::string& state() const { return state_; }

 private:
  std::string state_;
};

struct PostgresQuery {
  struct Parameter {
    Oid type = 0;
    std::string bytes = {};  ///< in PostgreSQL's binary format
  };
  std::string sql;
  std::vector<Parameter> parameters = {};
  bool ends_batch = false;  ///< an error after it does not undo it
  bool keep = false;        ///< its answer is for `kept`
};

struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using PostgresResult = std::unique_ptr<PGresult, ClearResult>;

[[nodiscard]] PostgresQuery::Parameter postgres_parameter(std::int64_t value);
[[nodiscard]] PostgresQuery::Parameter postgres_parameter(double value);
/// Zero bytes and what is not UTF-8, which the server refuses, are replaced.
[[nodiscard]] PostgresQuery::Parameter postgres_parameter(std::string_view value);

[[nodiscard]] std::int64_t postgres_integer(const PGresult* result, int row, int column);
[[nodiscard]] double postgres_real(const PGresult* result, int row, int column);

class PostgresConnection {
 public:
  explicit PostgresConnection(PostgresAddress address) : address_(std::move(address)) {}

  [[nodiscard]] const PostgresAddress& address() const { return address_; }

  /// See `Database::wait_for`. An attempt to connect cannot be cut short; it takes ten seconds at most.
  void wait_for(double seconds, const std::stop_token& stop) {
    longest_silence_ = seconds;
    stop_ = stop;
  }
  [[nodiscard]] bool stopped() const { return stop_.stop_requested(); }

  /// Connects if there is no connection; never inside a transaction. Throws ConnectionLost if the server is away or
  /// starting, after a request to stop, and always if there was a connection before; DataError if the address is wrong
  /// or the server refuses us.
  void require();
  /// Throws away the connection and what waits to be sent.
  void drop();
  /// Throws away what waits to be sent, and what was kept.
  void forget() {
    queue_.clear();
    kept_.reset();
  }

  /// Queues a statement; it is sent with the next one that is waited for.
  void defer(PostgresQuery query);
  /// Sends everything queued and this, and returns its answer. Throws PostgresError and ConnectionLost.
  [[nodiscard]] PostgresResult ask(PostgresQuery query);
  /// Sends everything queued and waits for the answers.
  void settle();
  /// The answer to the last statement that was to be kept.
  [[nodiscard]] const PGresult* kept() const { return kept_.get(); }

 private:
  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  struct Options;
  [[nodiscard]] Options options() const;
  [[noreturn]] void refuse(const Options& options);
  void send();
  void wait_for_socket(short events);
  [[nodiscard]] PostgresResult answer();
  [[nodiscard]] PostgresResult answers();
  [[noreturn]] void lost(const std::string& why);
  [[noreturn]] void fail(const PGresult* result);

  PostgresAddress address_;
  std::unique_ptr<PGconn, Finish> connection_;
  std::vector<PostgresQuery> queue_;
  PostgresResult kept_;
  bool was_connected_ = false;
  double longest_silence_ = patience_with_servers;
  std::stop_token stop_;
};

}  // namespace nomu
