#include "bo/database/postgres_address.hpp"

#include <gtest/gtest.h>

#include "message_of.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(PostgresAddress, TheStudyIsOursAndTheRestIsLibpqs) {
  const PostgresAddress address =
      read_postgres_address("postgresql://me:pass%40word@host:5433/db?sslmode=require&study=yield%20of%3Ftwo&x=1");
  EXPECT_EQ(address.connection, "postgresql://me:pass%40word@host:5433/db?sslmode=require&x=1");
  EXPECT_EQ(address.study, "yield of?two");
  EXPECT_EQ(address.name, "postgresql://me@host:5433/db?sslmode=require&study=yield%20of%3Ftwo");
  EXPECT_EQ(read_postgres_address("postgres:///db?study=100%").study, "100%");
}

TEST(PostgresAddress, SecretsAreNotShown) {
  for (const char* text : {"postgresql://me:hush@host/db?study=a", "postgresql://me:hu:sh:hush@host/db?study=a",
                           "postgresql:///db?password=hush&study=a&sslpassword=hush", "postgresql://:hush@/?study=a",
                           "postgresql:///db?%70assword=hush&study=a", "postgresql:///db?PASSWORD=hush&study=a",
                           "postgresql:///db?passwort=hush&study=a", "postgresql:///db?study=a&pwd=hush",
                           "postgresql:///db?study=a&sslkey=hush&options=hush&scram_client_key=hush",
                           "postgresql://me?x:hush@host/db&study=a", "postgresql:///db?hush&study=a"}) {
    EXPECT_THAT(read_postgres_address(text).name, Not(HasSubstr("hush"))) << text;
  }
  EXPECT_THAT(message_of([] { (void)read_postgres_address("postgresql://me:hush@host/db?password=hush"); }),
              testing::AllOf(HasSubstr("'postgresql://me@host/db' does not name a study; add ?study=NAME"),
                             Not(HasSubstr("hush"))));
}

TEST(PostgresAddress, PasswordsThatMustBeWrittenOtherwise) {
  for (const char* text : {"postgresql://me:hu/sh@host/db?study=a", "postgresql://me:hu?sh@host/db?study=a",
                           "postgresql://me:hu@sh@host/db?study=a", "postgresql://me:hu@sh:hush@host/db?study=a"}) {
    EXPECT_THAT(message_of([&] { (void)read_postgres_address(text); }),
                testing::AllOf(HasSubstr("'postgresql://me:...' cannot be read"),
                               HasSubstr("write / as %2F, ? as %3F, @ as %40"), Not(HasSubstr("hu"))))
        << text;
  }
  for (const char* text : {"postgresql://host:5432/db?study=a@b", "postgresql://host:5432?study=a@b",
                           "postgresql://[::1]:5432/db?study=a@b", "postgresql://me@host:5432/db?study=a@b",
                           "postgresql://[::1]/db?study=a@b"}) {
    EXPECT_EQ(read_postgres_address(text).study, "a@b") << text;
    EXPECT_EQ(read_postgres_address(text).name, text);
  }
  for (const char* text : {"postgresql://host/db?study=a:b@c", "postgresql://host?study=a:b@c",
                           "postgresql://me@host/db?study=a:b@c", "postgresql://[::1]?study=a:b@c"}) {
    EXPECT_EQ(read_postgres_address(text).study, "a:b@c") << text;
    EXPECT_EQ(read_postgres_address(text).name, text);
  }
}

TEST(PostgresAddress, OtherPlacesAreFiles) {
  EXPECT_TRUE(is_postgres_address("postgres://host/db"));
  EXPECT_FALSE(is_postgres_address("postgresql.db"));
  EXPECT_FALSE(is_postgres_address("/data/postgresql://x"));
}

TEST(PostgresAddress, NamesMustBePrintable) {
  const auto refused = [](const std::string& name) {
    return message_of([&] { (void)read_postgres_address("postgresql:///db?study=" + name); });
  };
  EXPECT_THAT(refused(""), HasSubstr("must have 1 to 200 bytes"));
  EXPECT_THAT(refused("a%00b"), HasSubstr("control characters"));
  EXPECT_THAT(refused("%ff"), HasSubstr("UTF-8"));
  EXPECT_THAT(refused(std::string(201, 'a')), HasSubstr("1 to 200"));
}

}  // namespace
}  // namespace nomu
