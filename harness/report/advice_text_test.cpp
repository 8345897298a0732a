#include "harness/report/advice_text.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <sstream>

#include "harness/base/fit.h"

namespace lab::report {

namespace {

results::Advice sample() {
  return {.column = "radv-22.3.6-navi10-simulated",
          .origin = "real driver, simulated device",
          .heap_parts = 62,
          .largest_resource = 64'000'000,
          .max_allocations = 4096,
          .max_allocation_bytes = std::uint64_t{4} << 30,
          .allocations = 4,
          .heaps = {{0, 8'000'000'000, true, 322'064'516}, {2, 268'435'456, false, 64'000'000}},
          .buckets = {{.kind = "buffers",
                       .alignment = 16,
                       .memory_type = 2,
                       .heap = 2,
                       .flags = {"device local", "host visible"},
                       .allocation_bytes = 64'000'000,
                       .allocations = 1,
                       .allocated = 64'000'000,
                       .requested = 30'000'000,
                       .rounding = 24'000,
                       .tails = 0,
                       .free = 33'976'000,
                       .uses = {{"uniforms", "10000 bytes, uniform buffer", 3000, 10'000}}},
                      {.kind = "optimal images",
                       .alignment = 65536,
                       .memory_type = 0,
                       .heap = 0,
                       .flags = {"device local"},
                       .allocation_bytes = 129'032'258,
                       .allocations = 2,
                       .allocated = 258'064'516,
                       .requested = 167'772'160,
                       .rounding = 0,
                       .tails = 115'204,
                       .free = 90'177'152,
                       .uses = {{"albedo", "2048x2048 R8G8B8A8_UNORM, optimal, sampled", 10, 16'777'216}}}},
          .dedicated = {{{"shadow map", "4096x4096 D32_SFLOAT, optimal, depth stencil attachment", 1, 67'108'864},
                         0,
                         "a humongous render target"}},
          .refused = {{{"terrain", "8192x8192 R8G8B8A8_UNORM, optimal, sampled", 2, 268'435'456}, "humongous"},
                      {{"film", "64x64 R8_UNORM, linear, sampled", 1, 0}, "the driver refuses it: VK_ERROR_UNKNOWN"}},
          .errata = {{"Share of a heap of 8 GB", "133,333,333 bytes", "8e9 / 62 = 129,032,258"}}};
}

results::Article article_with(std::uint64_t parts, const std::string& arithmetic) {
  results::Article article;
  results::Erratum erratum;
  erratum.claim = "Share";
  erratum.printed = "133,333,333 bytes";
  erratum.arithmetic = arithmetic;
  results::HeapShare share;
  share.parts = parts;
  erratum.measured = share;
  article.errata.push_back(erratum);
  return article;
}

}  // namespace

TEST(AdviceText, says_what_is_over_a_limit_then_how_to_allocate_then_where_each_resource_lies) {
  EXPECT_EQ(
      to_text(sample(), 0),
      R"(radv-22.3.6-navi10-simulated (real driver, simulated device): 4 allocations, 1 of them dedicated: < 0.1 % of maxMemoryAllocationCount, 4,096
NOT PLACED: 2 resources of 'terrain' (8192x8192 R8G8B8A8_UNORM, optimal, sampled, 268,435,456 bytes each): humongous
NOT PLACED: 1 resource of 'film' (64x64 R8_UNORM, linear, sampled): the driver refuses it: VK_ERROR_UNKNOWN
heap 0: 8,000,000,000 bytes, as the file says, 322,064,516 of them in allocations (4.0 %)
  an allocation: max(M, H / K) = max(64,000,000, 8,000,000,000 / 62 = 129,032,258) = 129,032,258 bytes
heap 2: 268,435,456 bytes, 64,000,000 of them in allocations (23.8 %)
  an allocation: max(M, H / K) = max(64,000,000, 268,435,456 / 62 = 4,329,604) = 64,000,000 bytes
an erratum of the article: Share of a heap of 8 GB: it prints 133,333,333 bytes, but 8e9 / 62 = 129,032,258

resources            S  T                                bytes each  needed    waste    free
buffers             16  2 (device local, host visible)   64,000,000       1  < 0.1 %  53.1 %
optimal images  65,536  0 (device local)                129,032,258       2  < 0.1 %  34.9 %
waste: 24,000 bytes by rounding to blocks of S, 115,204 at ends of allocations that are shorter than a block (< 0.1 % of 322,064,516); 124,153,152 stay free for later resources

name        count       bytes  place                                      what
uniforms    3,000      10,000  buffers, S 16, T 2                         10000 bytes, uniform buffer
albedo         10  16,777,216  optimal images, S 65,536, T 0              2048x2048 R8G8B8A8_UNORM, optimal, sampled
shadow map      1  67,108,864  dedicated, T 0: a humongous render target  4096x4096 D32_SFLOAT, optimal, depth stencil attachment
)");
}

TEST(AdviceText, fits_a_terminal) {
  for (const std::size_t width : {80u, 100u, 120u}) {
    std::istringstream lines(to_text(sample(), width));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(text_width(line), width) << line;
  }
}

TEST(AdviceText, says_what_limits_the_size_of_an_allocation_and_what_is_not_known) {
  results::Advice advice = sample();
  advice.max_allocations.reset();
  advice.max_allocation_bytes = 100'000'000;
  advice.buckets[1].allocation_bytes = 100'000'000;
  advice.heaps[1].bytes = 50'000'000;
  advice.buckets[0].allocation_bytes = 50'000'000;
  const std::string text = to_text(advice, 0);
  for (const char* part :
       {"4 allocations, 1 of them dedicated: maxMemoryAllocationCount is not known\n",
        "= 129,032,258 bytes, limited by maxMemoryAllocationSize to 100,000,000\n",
        "max(64,000,000, 50,000,000 / 62 = 806,451) = 64,000,000 bytes, limited by the heap to 50,000,000\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text;
}

TEST(AdviceText, of_nothing_but_refusals_has_no_table) {
  results::Advice advice;
  advice.column = "lavapipe-22.3.6";
  advice.refused = sample().refused;
  EXPECT_EQ(to_text(advice, 0),
            R"(lavapipe-22.3.6: 0 allocations, 0 of them dedicated: maxMemoryAllocationCount is not known
NOT PLACED: 2 resources of 'terrain' (8192x8192 R8G8B8A8_UNORM, optimal, sampled, 268,435,456 bytes each): humongous
NOT PLACED: 1 resource of 'film' (64x64 R8_UNORM, linear, sampled): the driver refuses it: VK_ERROR_UNKNOWN
)");
}

TEST(AdviceText, as_json_is_the_advice) {
  const std::string text = to_json(sample());
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  const Expected<results::Advice> read = from_json<results::Advice>(boost::json::parse(text));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(*read, sample());
}

TEST(AdviceErrata, are_those_about_the_same_share_of_a_heap_of_the_same_size) {
  const std::string arithmetic = "8e9 / 62 = 129,032,258 (8 GiB: 138,547,332)";
  EXPECT_EQ(advice_errata(sample(), {article_with(62, arithmetic)}),
            (std::vector<results::AdviceErratum>{{"Share", "133,333,333 bytes", arithmetic}}));
  EXPECT_TRUE(advice_errata(sample(), {article_with(60, arithmetic)}).empty());
  results::Advice other = sample();
  other.heaps[0].bytes = 6'000'000'000;
  EXPECT_TRUE(advice_errata(other, {article_with(62, arithmetic)}).empty());
  other.heaps[0].bytes = 1'800'000'000;  // 29,032,258, the end of another number
  EXPECT_TRUE(advice_errata(other, {article_with(62, arithmetic)}).empty());
  other.heaps[0].bytes = std::uint64_t{8} << 30;
  EXPECT_EQ(advice_errata(other, {article_with(62, arithmetic)}).size(), 1u);
  other.buckets[1].flags = {"host visible"};
  EXPECT_TRUE(advice_errata(other, {article_with(62, arithmetic)}).empty()) << "a heap of the host's memory";
}

TEST(AdviceErrata, of_the_published_articles_have_the_worked_example) {
  const auto articles = results::load_articles(LAB_SOURCE_DIR);
  ASSERT_TRUE(articles) << articles.error().what;
  const auto errata = advice_errata(sample(), *articles);
  ASSERT_EQ(errata.size(), 1u);
  EXPECT_EQ(errata[0].article, "133,333,333 bytes");
}

}  // namespace lab::report
