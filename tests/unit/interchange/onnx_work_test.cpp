// Networks of a few bytes that demand very much work: it is counted before it is done, and can be stopped.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <ctime>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "message_of.hpp"
#include "nomu/core/error.hpp"
#include "nomu/interchange/attach.hpp"
#include "nomu/interchange/onnx.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value > 0x7FU; value >>= 7U) bytes += static_cast<char>((value & 0x7FU) | 0x80U);
  return bytes + static_cast<char>(value);
}
std::string number(int field, std::uint64_t value) {
  return varint(static_cast<unsigned>(field) << 3U) + varint(value);
}
std::string text(int field, const std::string& content) {
  return varint(static_cast<unsigned>(field) << 3U | 2U) + varint(content.size()) + content;
}

std::string node(const std::string& op, const std::vector<std::string>& inputs, const std::string& output,
                 const std::string& attributes = {}) {
  std::string bytes;
  for (const std::string& input : inputs) bytes += text(1, input);
  return text(1, bytes + text(2, output) + text(4, op) + attributes);
}
std::string integer_attribute(const std::string& name, std::uint64_t value) {
  return text(5, text(1, name) + number(3, value) + number(20, 2));
}

template <class Number>
std::string tensor(const std::string& name, const std::vector<std::uint64_t>& shape,
                   const std::vector<Number>& numbers) {
  std::string bytes;
  for (const std::uint64_t extent : shape) bytes += number(1, extent);
  std::string raw(numbers.size() * sizeof(Number), '\0');
  std::memcpy(raw.data(), numbers.data(), raw.size());
  constexpr std::uint64_t type = std::is_same_v<Number, float> ? 1 : 7;
  return text(5, bytes + number(2, type) + text(8, name) + text(9, raw));
}

/// float32 [rows][1]
std::string value(int field, const std::string& name) {
  const std::string shape = text(1, text(2, "rows")) + text(1, number(1, 1));
  return text(field, text(1, name) + text(2, text(1, number(1, 1) + text(2, shape))));
}

/// A network from x to y around the given nodes, which lead from `r` to `to`, both [rows][width].
std::string network(const std::string& nodes, const std::string& to, std::size_t width, const std::string& more = {}) {
  const std::string graph =
      node("MatMul", {"x", "W"}, "h") + node("Relu", {"h"}, "r") + nodes + node("MatMul", {to, "V"}, "y") +
      text(2, "g") + tensor("W", {1, width}, std::vector<float>(width, 0.01F)) +
      tensor("V", {width, 1}, std::vector<float>(width, 1e-6F)) + more + value(11, "x") + value(12, "y");
  return number(1, 8) + text(8, text(1, "") + number(2, 13)) + text(7, graph);
}

class OnnxWork : public testing::Test {
 protected:
  void SetUp() override {
    if (!onnx_available()) GTEST_SKIP() << "built without ONNX";
  }
  static std::string refusal(const std::string& bytes) {
    return message_of<DataError>([&] { return parse_onnx(bytes, "a.onnx"); });
  }
};

constexpr std::size_t wide = std::size_t{1} << 18U;

TEST_F(OnnxWork, OfSumsOfVeryManyArraysIsCounted) {
  EXPECT_EQ(refusal(network(node("Sum", std::vector<std::string>(3, "r"), "q"), "q", 8)), "no error");
  EXPECT_THAT(refusal(network(node("Sum", std::vector<std::string>(20000, "r"), "q"), "q", wide)),
              HasSubstr("node 'q' (Sum): it takes"));
}

TEST_F(OnnxWork, OfLookingAtVeryManyEmptyRowsIsCounted) {
  const std::string nodes = node("ConstantOfShape", {"shape"}, "e") +
                            node("Concat", {"e", "e"}, "c", integer_attribute("axis", 1)) + node("Shape", {"c"}, "s") +
                            node("Gather", {"s", "one"}, "g", integer_attribute("axis", 0)) +
                            node("Cast", {"g"}, "f", integer_attribute("to", 1)) + node("Add", {"r", "f"}, "q");
  constexpr std::int64_t many = std::int64_t{1} << 25U;
  const std::string more = tensor<std::int64_t>("shape", {3}, {many, 0, many}) + tensor<std::int64_t>("one", {1}, {1});
  EXPECT_THAT(refusal(network(nodes, "q", 4, more)), HasSubstr("node 'c' (Concat): it takes 2.25e+15"));
}

TEST_F(OnnxWork, OfJoiningNothingIsNone) {
  const std::string nodes = node("ConstantOfShape", {"shape"}, "e") +
                            node("Concat", {"e", "e"}, "c", integer_attribute("axis", 1)) + node("Shape", {"c"}, "s") +
                            node("Gather", {"s", "one"}, "g", integer_attribute("axis", 0)) +
                            node("Cast", {"g"}, "f", integer_attribute("to", 1)) + node("Add", {"r", "f"}, "q");
  const std::string more =
      tensor<std::int64_t>("shape", {2}, {(std::int64_t{1} << 26U) - 1, 0}) + tensor<std::int64_t>("one", {1}, {1});
  const std::clock_t begin = std::clock();
  EXPECT_EQ(refusal(network(nodes, "q", 4, more)), "no error");
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 0.5);
}

TEST_F(OnnxWork, StopsOnRequest) {
  const auto given = parse_onnx(network("", "r", 4), "a.onnx");
  const Tensor<float> x(1, 3, 1);
  std::stop_source stop;
  EXPECT_EQ(given->evaluate_until(stop.get_token(), x).mean.rows(), 3U);
  stop.request_stop();
  EXPECT_THROW((void)given->evaluate_until(stop.get_token(), x), Cancelled);
}

TEST_F(OnnxWork, StopsWhenTheCallerOfTheReaderAsks) {
  std::stop_source stop;
  const auto given = parse_onnx(network("", "r", 4), "a.onnx", {.stop = stop.get_token()});
  EXPECT_EQ(given->evaluate(Tensor<float>(1, 3, 1)).mean.rows(), 3U);
  stop.request_stop();
  EXPECT_THROW((void)given->evaluate(Tensor<float>(1, 3, 1)), Cancelled);
  EXPECT_THROW((void)parse_onnx(network("", "r", 4), "a.onnx", {.stop = stop.get_token()}), Cancelled);
}

/// All the work is one node's, and many rows go through it together as long as that does not take long.
TEST_F(OnnxWork, StopsInsideANode) {
  constexpr std::uint64_t width = 10000;
  const auto ints = [](const std::string& name, const std::vector<std::uint64_t>& values) {
    std::string list;
    for (const std::uint64_t value : values) list += number(8, value);
    return text(5, text(1, name) + list + number(20, 7));
  };
  const std::string nodes = node("Reshape", {"r", "image"}, "i") +
                            node("Conv", {"i", "K"}, "c", ints("pads", {width / 2, width / 2 - 1})) +
                            node("Reshape", {"c", "flat"}, "q");
  const std::string more = tensor<std::int64_t>("image", {3}, {-1, 1, width}) +
                           tensor<std::int64_t>("flat", {2}, {-1, width}) +
                           tensor("K", {1, 1, width}, std::vector<float>(width, 1e-4F));
  const auto given = parse_onnx(network(nodes, "q", width, more), "a.onnx");
  const auto seconds = [&](std::size_t rows, std::stop_source stop) {
    const auto begin = std::chrono::steady_clock::now();
    const std::jthread later([&stop] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      stop.request_stop();
    });
    EXPECT_THROW((void)given->evaluate_until(stop.get_token(), Tensor<float>(1, rows, 1)), Cancelled);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const auto begin = std::chrono::steady_clock::now();
  (void)given->evaluate(Tensor<float>(1, 4, 1));
  const double of_a_row = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / 4;
  EXPECT_LT(seconds(64, std::stop_source()), 40 * of_a_row);
}

TEST_F(OnnxWork, OfVeryManyInputsIsRefused) {
  std::string more;
  for (int i = 0; i < 80000; ++i) more += value(11, "x" + std::to_string(i));
  const std::clock_t begin = std::clock();
  EXPECT_THAT(refusal(network("", "r", 4, more)), HasSubstr("the network has more than 10000 inputs"));
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 2.0);
  EXPECT_THAT(refusal(network("", "r", 4, value(11, "x"))), HasSubstr("input 'x' is listed twice"));
}

}  // namespace
}  // namespace nomu
