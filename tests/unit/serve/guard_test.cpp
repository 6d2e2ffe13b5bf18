#include "serve/http/guard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "message_of.hpp"
#include "nomu/core/error.hpp"
#include "nomu/serve/serve.hpp"
#include "serve/serve_check.hpp"

namespace nomu {

using testing::HasSubstr;

TEST(ServeGuard, SecretsAreEqualOrNot) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  for (const char* wrong : {"", "a", "ab", "abd", "abcabc", "abcd", "bbc"})
    EXPECT_FALSE(same_secret("abc", wrong)) << wrong;
  EXPECT_FALSE(same_secret("", ""));
}

TEST(ServeGuard, NamesOfThisMachine) {
  for (const char* name : {"localhost", "localhost:8080", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:8080", "::1"})
    EXPECT_TRUE(is_loopback(name)) << name;
  for (const char* name : {"", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "0.0.0.0",
                           "[::2]:80", "::", "10.0.0.1"})
    EXPECT_FALSE(is_loopback(name)) << name;
}

TEST(ServeGuard, Cookies) {
  EXPECT_EQ(cookie_of("a=b; nomu_token=secret; c=d", "nomu_token"), "secret");
  EXPECT_EQ(cookie_of("nomu_token=", "nomu_token"), "");
  EXPECT_EQ(cookie_of("xnomu_token=secret", "nomu_token"), "");
  EXPECT_EQ(cookie_of(";;;", "nomu_token"), "");
  EXPECT_EQ(token_cookie("localhost:8080"), "nomu_token_8080");
  EXPECT_EQ(token_cookie("[::1]:81"), "nomu_token_81");
  EXPECT_EQ(token_cookie("::1"), "nomu_token");
  EXPECT_EQ(token_cookie("lab.example"), "nomu_token");
  EXPECT_EQ(token_cookie("lab.example:8\r\n;=0"), "nomu_token_80");  // nothing that would end the name
}

/// How many bytes of the request are read before its headers end, or are too long.
std::size_t read_of(const std::string& request, HeaderLimits& limits) {
  std::size_t count = 0;
  while (count < request.size() && !limits.ended() && limits.accept(request[count])) ++count;
  return count;
}

TEST(ServeGuard, HeadersHaveAnEnd) {
  const std::string head = "GET / HTTP/1.1\r\nHost: localhost\r\n";
  HeaderLimits plain;
  EXPECT_EQ(read_of(head + "\r\nbody\r\n\r\n", plain), head.size() + 2);
  EXPECT_TRUE(plain.ended());
  EXPECT_TRUE(plain.accept('x'));  // what follows is not its business
  HeaderLimits blank;
  EXPECT_EQ(read_of("\r\n" + head + "\n\r\n", blank), head.size() + 5);
  EXPECT_TRUE(blank.ended());
}

TEST(ServeGuard, HeadersHaveALimit) {
  std::string many = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 199; ++i) many += "X: 1\r\n";
  HeaderLimits enough;
  (void)read_of(many + "\r\n", enough);
  EXPECT_TRUE(enough.ended());
  HeaderLimits too_many;
  EXPECT_LT(read_of(many + "X: 1\r\n\r\n", too_many), many.size() + 6);
  EXPECT_FALSE(too_many.ended());
  HeaderLimits too_long;
  EXPECT_EQ(read_of(std::string(100000, 'x'), too_long), 65536U);
}

TEST(ServeGuard, WhoIsTurnedAway) {
  const std::string token = "0123456789abcdef";
  EXPECT_EQ(refusal_of({.host = "localhost:1"}, "").status, 0);
  EXPECT_EQ(refusal_of({.host = "evil.example"}, "").status, 403);
  EXPECT_EQ(refusal_of({.host = "evil.example"}, token).status, 401);
  EXPECT_EQ(refusal_of({.host = "lab.example", .authorization = "Bearer " + token}, token).status, 0);
  EXPECT_EQ(refusal_of({.host = "lab.example", .authorization = "Basic " + token}, token).status, 401);
  EXPECT_EQ(refusal_of({.host = "lab.example", .cookie = "nomu_token=" + token}, token).status, 0);
  EXPECT_EQ(refusal_of({.host = "lab.example:81", .cookie = "nomu_token_81=" + token}, token).status, 0);
  EXPECT_EQ(refusal_of({.host = "lab.example:81", .cookie = "nomu_token_82=" + token}, token).status, 401);
  const Visitor change{.host = "localhost:1", .changes = true, .content_type = "application/json"};
  EXPECT_EQ(refusal_of(change, "").status, 0);
  Visitor other = change;
  other.origin = "http://evil.example";
  EXPECT_EQ(refusal_of(other, "").status, 403);
  other.origin = "http://localhost:1";
  EXPECT_EQ(refusal_of(other, "").status, 0);
  other.content_type = "text/plain";
  EXPECT_EQ(refusal_of(other, "").status, 415);
}

TEST(ServeGuard, RequestsWhoseEndIsKnown) {
  const auto status = [](const Framing& framing) { return refusal_of(framing, 100).status; };
  EXPECT_EQ(status({}), 0);
  EXPECT_EQ(status({.method = "HEAD", .lengths = {"0"}}), 0);
  EXPECT_EQ(status({.method = "POST", .lengths = {"100"}}), 0);
  EXPECT_EQ(status({.method = "PUT", .lengths = {"1"}}), 405);
  EXPECT_EQ(status({.method = "POST"}), 411);
  EXPECT_EQ(status({.method = "POST", .lengths = {"1"}, .chunked = true}), 411);
  EXPECT_EQ(status({.method = "POST", .lengths = {"1"}, .compressed = true}), 415);
  EXPECT_EQ(status({.method = "POST", .lengths = {"101"}}), 413);
  EXPECT_EQ(status({.method = "POST", .lengths = {"99999999999999999999"}}), 413);
  for (const char* wrong : {"", "-1", "+1", "1 ", "0x1", "1,1"})
    EXPECT_EQ(status({.method = "POST", .lengths = {wrong}}), 400) << wrong;
  EXPECT_EQ(status({.method = "POST", .lengths = {"1", "1"}}), 400);
  EXPECT_EQ(status({.lengths = {"1"}}), 400);
  EXPECT_EQ(status({.ranges = 1}), 0);
  EXPECT_EQ(status({.ranges = 2}), 416);
}

TEST(ServeGuard, WhatAServerRefusesBeforeItStarts) {
  const auto why = [](const ServeSpec& spec) { return message_of<ConfigError>([&] { check_serve_spec(spec); }); };
  EXPECT_NO_THROW(check_serve_spec({}));
  EXPECT_THAT(why({.host = "0.0.0.0"}), HasSubstr("there is no token"));
  EXPECT_THAT(why({.token = "short"}), HasSubstr("16 to 200"));
  EXPECT_THAT(why({.token = "long enough, but; not plain"}), HasSubstr("16 to 200"));
  EXPECT_THAT(why({.port = 70000}), HasSubstr("port"));
  EXPECT_THAT(why({.connections = 32, .watchers = 64}), HasSubstr("connections must be larger"));
  EXPECT_NO_THROW(check_serve_spec({.host = "0.0.0.0", .token = "0123456789abcdef"}));
}

}  // namespace nomu
