#include "bo/database/postgres_connection.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "bo/database/database.hpp"
#include "core/text/utf8.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr Oid int8_type = 20;
constexpr Oid float8_type = 701;
constexpr Oid text_type = 25;
constexpr std::size_t longest_queue = 256;
constexpr int slice_ms = 100;  // after which a request to stop is looked for

std::string big_endian(std::uint64_t bits) {
  std::string bytes(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(bits >> (56 - 8 * i));
  return bytes;
}

std::uint64_t from_big_endian(const char* bytes, int length) {
  std::uint64_t bits = 0;
  for (int i = 0; i < length; ++i) bits = bits << 8U | static_cast<unsigned char>(bytes[i]);
  return bits;
}

/// libpq's messages end with a line break and may have several lines.
std::string one_line(const char* message) {
  std::string text = message == nullptr ? "" : message;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return made_utf8(with_word(with_word(std::move(text), "\t", ""), "\n", "; "));
}

/// Whether libpq can read the address. If not, its message repeats parts of it, and those may be of a password.
bool readable(const std::string& address) {
  char* message = nullptr;
  PQconninfoOption* options = PQconninfoParse(address.c_str(), &message);
  const bool read = options != nullptr;
  PQconninfoFree(options);
  PQfreemem(message);
  return read;
}

/// What the server says when it goes away, or when it ended a transaction whose client was silent.
bool means_lost(std::string_view state) {
  return state.starts_with("08") || state == "57P01" || state == "57P02" || state == "57P03" || state == "25P03";
}

}  // namespace

PostgresQuery::Parameter postgres_parameter(std::int64_t value) {
  return {int8_type, big_endian(static_cast<std::uint64_t>(value))};
}
PostgresQuery::Parameter postgres_parameter(double value) {
  return {float8_type, big_endian(std::bit_cast<std::uint64_t>(value))};
}
PostgresQuery::Parameter postgres_parameter(std::string_view value) {
  std::string text = made_utf8(value);
  return {text_type, with_word(std::move(text), std::string_view("\0", 1), "\xEF\xBF\xBD")};
}

std::int64_t postgres_integer(const PGresult* result, int row, int column) {
  if (PQgetisnull(result, row, column) != 0) return 0;
  const int length = PQgetlength(result, row, column);
  const std::uint64_t bits = from_big_endian(PQgetvalue(result, row, column), length);
  return length == 4 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(bits)) : static_cast<std::int64_t>(bits);
}

double postgres_real(const PGresult* result, int row, int column) {
  if (PQgetisnull(result, row, column) != 0) return 0.0;
  return std::bit_cast<double>(from_big_endian(PQgetvalue(result, row, column), PQgetlength(result, row, column)));
}

void PostgresConnection::drop() {
  connection_.reset();
  forget();
}

struct PostgresConnection::Options {
  std::vector<const char*> keys = {};
  std::vector<const char*> values = {};

  void add(const char* key, const char* value) {
    keys.push_back(key);
    values.push_back(value);
  }
};

/// What comes before dbname gives way to the address, what comes after it does not.
PostgresConnection::Options PostgresConnection::options() const {
  Options options;
  options.add("fallback_application_name", "nomu");
  options.add("keepalives_idle", "20");
  options.add("keepalives_interval", "5");
  options.add("tcp_user_timeout", "60000");
  if (std::getenv("PGCONNECT_TIMEOUT") == nullptr) options.add("connect_timeout", "10");
  options.add("dbname", address_.connection.c_str());
  if (longest_silence_ < patience_with_servers) options.add("connect_timeout", "5");
  options.add("client_encoding", "UTF8");
  options.add(nullptr, nullptr);
  return options;
}

/// Throws ConnectionLost if the server is away or not ready, which may change; DataError if it answers and refuses us,
/// which will not.
void PostgresConnection::refuse(const Options& options) {
  PGconn* connection = connection_.get();
  std::string why = readable(address_.connection)
                        ? one_line(PQerrorMessage(connection))
                        : "the address cannot be read; in a user name and a password write % as %25 and & as %26; "
                          "PostgreSQL's documentation lists the parameters that there are";
  const bool wanted = PQconnectionNeedsPassword(connection) != 0;
  if (wanted) why += "; put the password into ~/.pgpass or PGPASSWORD";
  const bool answered = wanted || PQconnectionUsedPassword(connection) != 0;
  drop();
  const std::string text = fmt::format("cannot connect to '{}': {}", address_.name, why);
  if (was_connected_) throw ConnectionLost("bo/study", text);
  const PGPing ping = answered ? PQPING_OK : PQpingParams(options.keys.data(), options.values.data(), 1);
  if (ping == PQPING_NO_RESPONSE || ping == PQPING_REJECT) throw ConnectionLost("bo/study", text);
  throw DataError("bo/study", text);
}

void PostgresConnection::require() {
  if (connection_ && PQstatus(connection_.get()) == CONNECTION_OK) return;
  drop();
  if (stopped()) {
    throw ConnectionLost("bo/study",
                         fmt::format("stopped on request before '{}' was connected to again", address_.name));
  }
  const Options all = options();
  connection_.reset(PQconnectdbParams(all.keys.data(), all.values.data(), 1));
  if (PQstatus(connection_.get()) != CONNECTION_OK) refuse(all);
  was_connected_ = true;
  PQsetNoticeProcessor(
      connection_.get(), [](void*, const char*) {}, nullptr);  // it would print them
  PQsetnonblocking(connection_.get(), 1);
  PQenterPipelineMode(connection_.get());
}

void PostgresConnection::lost(const std::string& why) {
  drop();
  throw ConnectionLost("bo/study", fmt::format("the connection to '{}' was lost ({})", address_.name, why));
}

void PostgresConnection::fail(const PGresult* result) {
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  if (PQstatus(connection_.get()) != CONNECTION_OK || state == nullptr || means_lost(state))
    lost(one_line(PQresultErrorMessage(result)));
  throw PostgresError(one_line(PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY)), state);
}

void PostgresConnection::wait_for_socket(short events) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  while (true) {
    pollfd socket{.fd = PQsocket(connection_.get()), .events = events, .revents = 0};
    const int ready = ::poll(&socket, 1, slice_ms);
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) lost("it was closed");
    if (stopped()) lost("stopped on request while the server was silent");
    if (Clock::now() - begin > std::chrono::duration<double>(longest_silence_))
      lost(fmt::format("no answer for {} s", longest_silence_));
  }
}

/// The next answer. It must be one that has been asked for.
PostgresResult PostgresConnection::answer() {
  PGconn* connection = connection_.get();
  while (true) {
    const int unsent = PQflush(connection);
    if (unsent < 0) lost(one_line(PQerrorMessage(connection)));
    if (PQisBusy(connection) == 0) break;
    wait_for_socket(static_cast<short>(unsent > 0 ? POLLIN | POLLOUT : POLLIN));
    if (PQconsumeInput(connection) == 0) lost(one_line(PQerrorMessage(connection)));
  }
  return PostgresResult(PQgetResult(connection));
}

void PostgresConnection::send() {
  PGconn* connection = connection_.get();
  if (connection == nullptr || PQstatus(connection) != CONNECTION_OK) lost("it was closed");
  for (const PostgresQuery& query : queue_) {
    std::vector<Oid> types;
    std::vector<const char*> values;
    std::vector<int> lengths;
    for (const PostgresQuery::Parameter& parameter : query.parameters) {
      types.push_back(parameter.type);
      values.push_back(parameter.bytes.data());
      lengths.push_back(static_cast<int>(parameter.bytes.size()));
    }
    const std::vector<int> binary(values.size(), 1);
    int sent = PQsendQueryParams(connection, query.sql.c_str(), static_cast<int>(values.size()), types.data(),
                                 values.data(), lengths.data(), binary.data(), 1);
    if (sent == 1 && query.ends_batch) sent = PQpipelineSync(connection);
    if (sent != 1) lost(one_line(PQerrorMessage(connection)));
  }
}

/// Reads the answers to everything sent and returns the last one; of several errors it throws the first.
PostgresResult PostgresConnection::answers() {
  PostgresResult last;
  PostgresResult failed;
  const std::vector<PostgresQuery> sent = std::exchange(queue_, {});
  for (const PostgresQuery& query : sent) {
    PostgresResult result = answer();
    if (!result) lost("an answer is missing");
    const ExecStatusType status = PQresultStatus(result.get());
    const bool good = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
    if (!good && status != PGRES_PIPELINE_ABORTED && !failed) failed = std::move(result);
    if (good) (query.keep ? kept_ : last) = std::move(result);
    if (failed && PQstatus(connection_.get()) != CONNECTION_OK) fail(failed.get());
    (void)answer();  // the end of this statement's answers
    if (query.ends_batch) (void)answer();
  }
  if (failed) fail(failed.get());
  return last;
}

void PostgresConnection::defer(PostgresQuery query) {
  queue_.push_back(std::move(query));
  if (queue_.size() >= longest_queue) settle();
}

PostgresResult PostgresConnection::ask(PostgresQuery query) {
  queue_.push_back(std::move(query));
  queue_.back().ends_batch = true;
  send();
  return answers();
}

void PostgresConnection::settle() {
  if (queue_.empty()) return;
  queue_.back().ends_batch = true;
  send();
  (void)answers();
}

}  // namespace nomu
