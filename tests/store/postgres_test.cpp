// What only a server can do to a study.

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "message_of.hpp"
#include "nomu/bo/worker.hpp"
#include "nomu/core/error.hpp"
#include "store/places.hpp"
#include "unit/bo/small_study.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;
using testing::Not;

class Server : public testing::Test {
 protected:
  void SetUp() override { skip_without_server(); }
  [[nodiscard]] static std::string replaced(const std::string& from, const std::string& to) {
    return with_word(server(), from, to) + "&study=any";
  }
  [[nodiscard]] static std::string refusal(const std::string& address) {
    return message_of<DataError>([&] { (void)Study::open(address); });
  }
  static void control(const std::string& what) {
    ASSERT_EQ(std::system((std::string(std::getenv("NOMU_TEST_POSTGRES_CONTROL")) + " " + what).c_str()), 0);
  }
  [[nodiscard]] std::filesystem::path place() { return places_.next("postgresql"); }

 private:
  Places places_;
};

const Space line = Space::box(1, 0.0, 1.0);

TEST_F(Server, WrongAddressesAreNamedWithoutTheirSecrets) {
  const std::string wrong = refusal(replaced("user=nomu", "user=guarded&password=wrong-word"));
  EXPECT_THAT(wrong, HasSubstr("password authentication failed for user \"guarded\""));
  EXPECT_THAT(wrong, Not(HasSubstr("wrong-word")));
  EXPECT_THAT(refusal(replaced("user=nomu", "user=guarded")), HasSubstr("~/.pgpass or PGPASSWORD"));
  EXPECT_THAT(refusal(replaced("///studies", "///no_such_database")), HasSubstr("\"no_such_database\" does not exist"));
  EXPECT_THAT(refusal(server() + "&study=never made"), HasSubstr("nomu optimize new creates it"));
  EXPECT_THAT(refusal("postgresql://a:b:c@:x:/?y&study=z"), Not(HasSubstr("b:c")));
  // The right password, for a role that may not create anything.
  const std::string guarded = replaced("user=nomu", "user=guarded&password=secret-word");
  const std::string denied = message_of<DataError>([&] { (void)Study::create(guarded, line, small_random_search()); });
  EXPECT_THAT(denied, HasSubstr("permission denied"));
  EXPECT_THAT(denied, Not(HasSubstr("secret-word")));
}

TEST_F(Server, AnotherKindOfServerIsRefused) {
  const int listening = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(::bind(listening, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listening, 4), 0);
  ASSERT_EQ(::getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size), 0);
  std::thread answers([&] {
    for (int one = 0; (one = ::accept(listening, nullptr, nullptr)) >= 0;) {
      const std::string text = "HTTP/1.1 400 Bad Request\r\n\r\n";
      (void)!::write(one, text.data(), text.size());
      ::close(one);
    }
  });
  const std::string port = std::to_string(ntohs(address.sin_port));
  for (const char* mode : {"", "sslmode=disable&"}) {
    const std::string other = "postgresql://127.0.0.1:" + port + "/db?" + mode + "study=a";
    EXPECT_THAT(message_of<ConnectionLost>([&] { (void)Study::open(other); }), HasSubstr("cannot connect to"));
  }
  ::shutdown(listening, SHUT_RDWR);
  answers.join();
  ::close(listening);
}

TEST_F(Server, AStudyThatOnlyANewerVersionUnderstandsIsRefused) {
  const std::filesystem::path where = place();
  (void)Study::create(where, line, small_random_search());
  const std::unique_ptr<Database> database = open_place({.place = where}, true);
  database->check_study();
  const auto versions = [&](const char* change) {
    database->write(
        [&] { database->prepare(std::string("UPDATE nomu_studies SET ") + change + " WHERE id = $1").run(); });
  };
  versions("version = 7");
  EXPECT_EQ(Study::open(where).status().trials, 0);  // newer, but serves this version
  versions("oldest = 5");
  EXPECT_THAT(refusal(where.string()), HasSubstr("format version 7, which a nomu that reads version 5 or later"));
}

TEST_F(Server, DefaultsOfTheDatabaseDoNotChangeTheRules) {
  const std::string address =
      server() +
      "&options=-c%20default_transaction_isolation%3Dserializable%20-c%20default_transaction_read_only%3Don"
      "&study=defaults";
  (void)Study::create(address, line, small_random_search());
  const std::unique_ptr<Database> database = open_place({.place = address}, true);
  database->check_study();
  database->write([&] {
    Statement row = database->prepare(
        "SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only') WHERE $1 IS NOT "
        "NULL");
    ASSERT_TRUE(row.step());
    EXPECT_EQ(row.text(0), "read committed");
    EXPECT_EQ(row.text(1), "off");
  });
  // Many who ask at once: with a snapshot from before the lock they would give the same number to two events.
  std::vector<std::jthread> workers;
  workers.reserve(4);
  for (int k = 0; k < 4; ++k) {
    workers.emplace_back([&] {
      Study study = Study::open(address);
      EXPECT_NO_THROW(advance(study, 10));
    });
  }
  workers.clear();
  const Study study = Study::open(address);
  EXPECT_EQ(study.status().finished, 40);
  EXPECT_TRUE(study.verify().clean());
}

TEST_F(Server, WhatIsRecordedIsOnDiskAlsoWhereTheServerDoesNotWaitForIt) {
  const std::string address = server() + "&options=-c%20synchronous_commit%3Doff&study=lazy";
  Study study = Study::create(address, line, small_random_search());
  const std::unique_ptr<Database> database = open_place({.place = address}, false);
  constexpr int steps = 20;
  int on_disk = 0;
  for (int k = 0; k < steps; ++k) {
    advance(study, 1);
    Statement row = database->prepare(
        "SELECT (pg_current_wal_insert_lsn() <= pg_current_wal_flush_lsn())::int WHERE $1 IS NOT NULL");
    ASSERT_TRUE(row.step());
    on_disk += static_cast<int>(row.integer(0));
  }
  EXPECT_GT(on_disk, steps / 2);  // the server's own work may add to the log at any time
}

TEST_F(Server, MessagesSayOnceWhereTheyComeFrom) {
  const std::filesystem::path where = place();
  (void)Study::create(where, line, small_random_search());
  const std::unique_ptr<Database> database = open_place({.place = where}, true);
  database->check_study();
  const std::string message = message_of<Error>(
      [&] { database->write([&] { database->prepare("SELECT no_such_column WHERE $1 IS NOT NULL").step(); }); });
  EXPECT_THAT(message, HasSubstr("no_such_column"));
  EXPECT_EQ(message.find("[bo/study]"), message.rfind("[bo/study]")) << message;
}

TEST_F(Server, NothingOutlivesATransaction) {
  const std::filesystem::path where = place();
  Study study = Study::create(where, line, small_random_search());
  advance(study, 3);
  const std::unique_ptr<Database> database = open_place({.place = where}, false);
  Statement locks = database->prepare("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND $1 IS NOT NULL");
  ASSERT_TRUE(locks.step());
  EXPECT_EQ(locks.integer(0), 0);
  Statement open =
      database->prepare("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in%' AND $1 IS NOT NULL");
  ASSERT_TRUE(open.step());
  EXPECT_EQ(open.integer(0), 0);
}

TEST_F(Server, ARestartedServerIsFoundAgain) {
  const std::filesystem::path where = place();
  Study study = Study::create(where, line, small_random_search());
  advance(study, 3);
  control("stop");
  EXPECT_THAT(message_of<ConnectionLost>([&] { (void)study.ask(); }), HasSubstr("cannot connect to"));
  EXPECT_THAT(message_of<ConnectionLost>([&] { (void)study.status(); }), HasSubstr("study="));
  control("start");
  advance(study, 3);
  control("stop");
  control("start");
  advance(study, 3);  // the connection broke unnoticed, and nothing was under way
  EXPECT_EQ(study.status().finished, 9);
  EXPECT_TRUE(study.verify().clean());
}

TEST_F(Server, AServerThatIsBeingRestartedIsWaitedForWhenAWorkerBegins) {
  const std::filesystem::path where = place();
  (void)Study::create(where, line, small_random_search());
  const auto open = [&] { return Study::open(where); };
  control("stop");
  EXPECT_THROW((void)open_for_work(open, 0.0), ConnectionLost);
  std::jthread starts([] {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    control("start");
  });
  int told = 0;
  Study study = open_for_work(open, 60.0, {}, [&](const std::string& why) {
    ++told;
    EXPECT_THAT(why, HasSubstr("cannot connect to"));
  });
  starts.join();
  EXPECT_EQ(told, 1);
  advance(study, 1);
  EXPECT_THROW((void)open_for_work([&] { return Study::open(server() + "&study=never made"); }, 60.0), DataError);
}

}  // namespace
}  // namespace nomu
