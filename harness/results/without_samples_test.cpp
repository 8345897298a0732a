#include "harness/results/without_samples.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "harness/results/result_fixture.h"

namespace lab::results {

namespace {

std::string outcome(const Expected<Result>& result) {
  if (!result) return result.error().what;
  Result kept = *result;
  for (Process& process : kept.processes)
    for (auto& [phase, samples] : process.samples) samples = {*std::min_element(samples.begin(), samples.end())};
  return serialize(kept);
}

void expect_same(const std::string& text) {
  EXPECT_EQ(outcome(parse_without_samples(text, "x")), outcome(parse_result(text, "x"))) << text.substr(0, 200);
}

/// `text` with every "samples" replaced.
std::string with_samples(std::string text, std::string_view samples) {
  constexpr std::string_view kName = "\"samples\":";
  for (std::size_t at = text.find(kName); at != std::string::npos; at = text.find(kName, at + samples.size())) {
    at += kName.size();
    text.replace(at, text.find('}', at) + 1 - at, samples);
  }
  return text;
}

}  // namespace

TEST(WithoutSamples, keeps_the_least_of_a_phase_and_all_else) {
  const Expected<Result> result = parse_without_samples(serialize(fixture_result(2)), "x");
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->processes[0].samples.at("put"), std::vector<double>{600});
  EXPECT_EQ(result->processes[0].samples.at("get"), std::vector<double>{1});
  expect_same(serialize(fixture_result(2)));
}

TEST(WithoutSamples, refuses_what_a_reader_of_all_refuses_in_the_same_words) {
  const std::string good = serialize(fixture_result(1));
  for (const char* samples :
       {R"({"put":[1,-2,3]})", R"({"put":[1,null]})", R"({"put":["a",1]})", R"({"put":[1,[2],3]})", R"({"put":[]})",
        R"({"put":3})", R"({})", R"([1,2])", R"({"put":[1,1e999]})", R"({"put":[1,{"a":2}]})",
        R"({"put":[18446744073709551615,1.5]})", R"({"samples":[2,1]})", R"({"put":[1,true,{}]})", R"(null)",
        R"({"put":[NaN]})", R"({"put":[1,)"})
    expect_same(with_samples(good, samples));
  for (const std::string& text : {std::string(), std::string("{}"), std::string("[1]"), good + "x", good + "\n\n"})
    expect_same(text);
}

TEST(WithoutSamples, agrees_on_texts_with_random_damage) {
  const std::string good = serialize(fixture_result(1));
  std::mt19937 random(11);
  for (int round = 0; round < 3000; ++round) {
    std::string text = good;
    for (unsigned i = 0; i <= random() % 3; ++i) text[random() % text.size()] = "{}[]\",:0-1.5ekn \\s"[random() % 18];
    if (random() % 8 == 0) text.resize(random() % text.size());
    expect_same(text);
  }
}

}  // namespace lab::results
