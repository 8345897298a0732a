#include "harness/probe/advise.h"

#include <gtest/gtest.h>

#include <string>

namespace lab::probe {

namespace {

Sweep article() {
  const Expected<Sweep> sweep = load_sweep(std::string(LAB_SOURCE_DIR) + "/harness/probe/sweeps/article.json");
  EXPECT_TRUE(sweep) << sweep.error().what;
  return *sweep;
}

Program program(const std::string& entries) {
  const Expected<Program> parsed = parse_program("{\"schema\": 1, " + entries + "}");
  EXPECT_TRUE(parsed) << parsed.error().what;
  return *parsed;
}

std::string image(const std::string& name, const std::string& rest) {
  return "{\"name\": \"" + name + "\", \"usage\": [\"sampled\"], " + rest + "}";
}

// The article's own sweep, and another with an image of a full chain, a refused one and a buffer.
results::DriverColumn column() {
  results::DriverColumn column;
  column.name = "radv-1-navi10";
  column.heaps = {{std::uint64_t{8} << 30, {"device local"}}};
  column.memory_types = {{0, {"device local"}}};
  column.limits = {{"maxMemoryAllocationCount", 4096}, {"maxMemoryAllocationSize", 4294967296}};
  column.images = {{64, 64, 16384, 4096, 1}, {64, 128, 0, 0, 0}};
  column.refused = {{"image 64x128", "VK_ERROR_OUT_OF_DEVICE_MEMORY"}};
  results::SweepAnswers answers;
  answers.name = "wide";
  answers.refusals = {"", "VK_ERROR_FORMAT_NOT_SUPPORTED"};
  answers.images = {
      {{"BC7_SRGB_BLOCK", "2d", "optimal", "sampled", "", 0, 1, 1},
       {{256, 256, 1, {131072, 65536, 1, 0, results::Dedicated::kPreferred}}, {8, 8, 1, {4096, 256, 1, 0, {}}}}},
      {{"BC7_SRGB_BLOCK", "2d", "linear", "sampled", "", 1, 1, 1}, {{256, 256, 1, {0, 0, 0, 1, {}}}}}};
  answers.buffers = {{{"transfer dst+vertex buffer", ""}, {{1000, {1008, 16, 1, 0, {}}}}}};
  column.sweeps = {answers};
  return column;
}

constexpr const char* kVertices =
    R"("buffers": [{"name": "vertices", "usage": ["vertex buffer", "transfer dst"], "length": 1000, "count": 3}])";

std::string error_for(const std::string& entries) {
  const auto requests = answered(program(entries), column(), article());
  return requests ? "" : requests.error().what;
}

}  // namespace

TEST(Advise, takes_the_answers_of_the_articles_sweep_and_of_others) {
  const auto requests = answered(
      program("\"images\": [" + image("plain", R"("format": "r8g8b8a8 unorm", "width": 64, "height": 64, "count": 5)") +
              ", " + image("refused", R"("format": "r8g8b8a8 unorm", "width": 64, "height": 128)") + ", " +
              image("chain", R"("format": "bc7 srgb block", "width": 256, "height": 256, "mip_levels": "full")") +
              ", " + image("linear", R"("format": "bc7 srgb block", "tiling": "linear", "width": 256, "height": 256)") +
              "], " + kVertices),
      column(), article());
  ASSERT_TRUE(requests) << requests.error().what;
  ASSERT_EQ(requests->size(), 5u);
  const AdviceRequest &plain = requests->at(0), &refused = requests->at(1), &chain = requests->at(2),
                      &linear = requests->at(3), &vertices = requests->at(4);
  EXPECT_EQ(plain.name, "plain");
  EXPECT_EQ(plain.what, "64x64 R8G8B8A8_UNORM, optimal, sampled");
  EXPECT_EQ(plain.count, 5u);
  EXPECT_EQ(plain.needs, (results::Needs{16384, 4096, 1, 0, results::Dedicated::kNo}));
  EXPECT_EQ(plain.kind, designs::ResourceKind::kOptimalImage);
  EXPECT_EQ(refused.refusal, "VK_ERROR_OUT_OF_DEVICE_MEMORY");
  EXPECT_EQ(chain.needs.dedicated, results::Dedicated::kPreferred);
  EXPECT_EQ(chain.needs.size, 131072u);
  EXPECT_EQ(linear.refusal, "VK_ERROR_FORMAT_NOT_SUPPORTED");
  EXPECT_EQ(linear.kind, designs::ResourceKind::kLinearImage);
  EXPECT_EQ(vertices.what, "1000 bytes, transfer dst+vertex buffer");
  EXPECT_EQ(vertices.needs.size, 1008u);
  EXPECT_EQ(vertices.kind, designs::ResourceKind::kBuffer);
}

TEST(Advise, knows_a_full_chain_by_its_number_of_levels) {
  for (const auto& [levels, error] :
       {std::pair{"9", ""},
        {"\"full\"", ""},
        {"8",
         "column 'radv-1-navi10' was not asked for 'chain' (256x256 BC7_SRGB_BLOCK, optimal, sampled, 8 mip levels)"}})
    EXPECT_EQ(error_for("\"images\": [" + image("chain", std::string(R"("format": "bc7 srgb block", "width": 256,
                        "height": 256, "mip_levels": )") + levels) +
                        "]"),
              error);
}

TEST(Advise, names_what_a_column_was_not_asked_for) {
  std::string entries;
  for (const char* name : {"a", "b", "c", "d", "e"})
    entries += (entries.empty() ? "" : ", ") + image(name, R"("format": "r8 unorm", "width": 64, "height": 64)");
  EXPECT_EQ(error_for("\"images\": [" + entries + "]"),
            "column 'radv-1-navi10' was not asked for 'a' (64x64 R8_UNORM, optimal, sampled), 'b' (64x64 R8_UNORM, "
            "optimal, sampled), 'c' (64x64 R8_UNORM, optimal, sampled) and 2 other resources");
  EXPECT_EQ(error_for(R"("buffers": [{"name": "x", "usage": ["vertex buffer"], "length": 1000}])"),
            "column 'radv-1-navi10' was not asked for 'x' (1000 bytes, vertex buffer)");
}

TEST(Advise, marks_attachments_as_render_targets) {
  results::DriverColumn asked = column();
  asked.sweeps[0].images[0].kind.usage = "sampled+color attachment";
  const auto requests = answered(program(R"("images": [{"name": "target", "usage": ["color attachment", "sampled"],
      "format": "bc7 srgb block", "width": 8, "height": 8, "mip_levels": 4}])"),
                                 asked, article());
  ASSERT_TRUE(requests) << requests.error().what;
  EXPECT_TRUE(requests->at(0).render_target);
}

TEST(Advise, takes_the_memory_types_that_all_buffers_of_the_articles_sweep_may_have) {
  const std::string entries =
      R"("buffers": [{"name": "s", "usage": ["storage buffer"], "length": 100},
                     {"name": "refused", "usage": ["storage buffer"], "length": 200}])";
  results::DriverColumn asked = column();
  asked.buffers = {{100, 112, 16}, {200, 0, 0}};
  asked.buffer_memory_type_bits = {0x7, 0xd};
  asked.refused = {{"buffer 200", "VK_ERROR_OUT_OF_DEVICE_MEMORY"}};
  const auto requests = answered(program(entries), asked, article());
  ASSERT_TRUE(requests) << requests.error().what;
  EXPECT_EQ(requests->at(0).needs, (results::Needs{112, 16, 0x5, 0, {}}));
  EXPECT_EQ(requests->at(1).refusal, "VK_ERROR_OUT_OF_DEVICE_MEMORY");
}

TEST(Advise, works_for_an_imported_column_with_the_heap_of_the_file) {
  results::DriverColumn imported;
  imported.name = "nvidia-imported";
  imported.imported = true;
  imported.images = {{64, 64, 16384, 1024, 0}};
  const std::string image_64 = image("a", R"("format": "r8g8b8a8 unorm", "width": 64, "height": 64)");
  const auto advice =
      advise(program("\"heap_bytes\": 8000000000, \"images\": [" + image_64 + "]"), imported, article());
  ASSERT_TRUE(advice) << advice.error().what;
  ASSERT_EQ(advice->buckets.size(), 1u);
  EXPECT_EQ(advice->buckets[0].allocation_bytes, 129'032'258u);
  EXPECT_EQ(advice->buckets[0].flags, std::vector<std::string>{});
  EXPECT_EQ(advice->origin, "imported, not asked");
  const auto none = advise(program("\"images\": [" + image_64 + "]"), imported, article());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().what, "column 'nvidia-imported': the size of heap 0, which 'a' needs, is not known");
}

TEST(Advise, says_that_a_device_is_simulated) {
  results::DriverColumn simulated = column();
  simulated.driver.simulated = results::SimulatedDevice{};
  EXPECT_EQ(advise(program(kVertices), simulated, article())->origin, "real driver, simulated device");
  EXPECT_EQ(advise(program(kVertices), column(), article())->origin, "");
}

TEST(Advise, gives_the_advice_for_a_column) {
  const auto advice = advise(program(kVertices), column(), article());
  ASSERT_TRUE(advice) << advice.error().what;
  EXPECT_EQ(advice->column, "radv-1-navi10");
  EXPECT_EQ(advice->max_allocations, 4096u);
  EXPECT_EQ(advice->max_allocation_bytes, 4294967296u);
  ASSERT_EQ(advice->buckets.size(), 1u);
  EXPECT_EQ(advice->buckets[0].uses,
            (std::vector<results::AdviceUse>{{"vertices", "1000 bytes, transfer dst+vertex buffer", 3, 1008}}));
}

}  // namespace lab::probe
