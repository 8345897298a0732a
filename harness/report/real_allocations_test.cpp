#include <gtest/gtest.h>

#include "harness/report/markdown.h"
#include "harness/report/vulkan.h"

namespace lab::report {

namespace {

results::MemoryFindings findings(const std::string& device_type) {
  results::MemoryFindings f;
  f.column = "lavapipe-22.3.6";
  f.device_type = device_type;
  f.memory_types = {{0, {"device local", "host visible"}}};
  f.parts = {{"policy", 1, {}, {}, {}}};
  f.policy = results::PolicyCheck{.layers = true,
                                  .planted = {"a buffer bound at offset 8", "VUID-1"},
                                  .images = 52,
                                  .buffers = 32,
                                  .compared_bytes = 22'100'000,
                                  .wrong = {},
                                  .device_allocations = 3,
                                  .most_resources = 63};
  f.limit = results::AllocationCount{.reported = 4096,
                                     .tried = true,
                                     .allocation_bytes = 4096,
                                     .succeeded = 4096,
                                     .result = "VK_ERROR_TOO_MANY_OBJECTS"};
  f.textures = {{.tiling = "optimal", .memory_type = 0, .width = 64, .height = 64, .checksum = 7, .expected = 7},
                {.tiling = "linear", .width = 64, .height = 64, .refused = "VK_ERROR_FORMAT_NOT_SUPPORTED"}};
  f.timings = {{"allocation", "vkAllocateMemory", 0, 4096, "", {100, 120, 140}},
               {"access", "write", std::nullopt, 1 << 20, "vkFlushMappedMemoryRanges", {1e5, 1e5, 1e5}}};
  return f;
}

std::string text(const std::vector<results::MemoryFindings>& all) {
  Document document;
  document.pages[0].sections.push_back(real_allocations_section(all));
  return to_markdown(document);
}

}  // namespace

TEST(RealAllocations, are_shown_with_their_proofs_and_times) {
  const std::string shown = text({findings("cpu")});
  for (const char* expected :
       {"- 52 images and 32 buffers were placed by the article's policy, written, read back and compared (22,100,000 "
        "bytes): 0 differed. At most 63 were in 3 allocations at once. The validation layers caught an error that was "
        "planted, and saw no other.",
        "- 4096 allocations of 4 KiB existed at once; maxMemoryAllocationCount is 4096. The next one failed with "
        "VK\\_ERROR\\_TOO\\_MANY\\_OBJECTS.",
        "- A shader sampled a texture of optimal tiling, 64x64: all texels are as written.",
        "- A texture of linear tiling was not sampled: VK\\_ERROR\\_FORMAT\\_NOT\\_SUPPORTED.",
        "Times on lavapipe-22.3.6; a CPU driver: this is the CPU's memory",
        "| vkAllocateMemory | type 0: device local, host visible | 4 KiB | 120 ns | 110 ns to 130 ns |  |",
        "| write, with vkFlushMappedMemoryRanges | host memory | 1 MiB | 100 µs | 100 µs to 100 µs | 10.5 |"})
    EXPECT_NE(shown.find(expected), std::string::npos) << expected << "\nin\n" << shown;
}

TEST(RealAllocations, say_what_is_wrong) {
  results::MemoryFindings bad = findings("discrete gpu");
  bad.policy->planted.message.clear();
  bad.policy->wrong = {"image 3 at byte 17"};
  bad.textures[0].checksum = 8;
  const std::string shown = text({bad});
  for (const char* expected : {"1 differed", "missed an error that was planted, so their silence means nothing",
                               "texels differ", "image 3 at byte 17"})
    EXPECT_NE(shown.find(expected), std::string::npos) << expected << "\nin\n" << shown;
  EXPECT_EQ(shown.find("CPU driver"), std::string::npos);
}

TEST(RealAllocations, of_nothing_are_an_empty_section) {
  const Section section = real_allocations_section({});
  EXPECT_TRUE(section.elements.empty() && section.sections.empty());
}

}  // namespace lab::report
