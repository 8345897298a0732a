#include "harness/cli/real_allocations.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace lab::cli {

namespace {

using results::MemoryFindings;
using results::MemoryTiming;

MemoryTiming timing(const std::string& what, std::optional<std::uint32_t> type, std::uint64_t bytes, double ns,
                    const std::string& includes = "") {
  return {.part = "x",
          .what = what,
          .memory_type = type,
          .bytes = bytes,
          .includes = includes,
          .samples_ns = {ns / 2, ns, ns * 3}};
}

// A device with memory of its own, and staging memory that is not coherent.
MemoryFindings findings() {
  MemoryFindings f;
  f.column = "radv-22.3.6-navi10";
  f.device_type = "discrete gpu";
  f.memory_types = {{0, {"device local"}}, {1, {"host visible", "host cached"}}};
  f.parts = {{"access", 1, std::nullopt, {"no memory type is device local and host visible: no direct write"}, {}}};
  f.policy = results::PolicyCheck{.layers = true,
                                  .planted = {"a misaligned buffer", "VUID-x"},
                                  .images = 52,
                                  .buffers = 32,
                                  .compared_bytes = 22052657,
                                  .wrong = {},
                                  .device_allocations = 3,
                                  .most_resources = 63};
  f.limit = results::AllocationCount{
      .reported = 4096, .tried = true, .allocation_bytes = 16, .succeeded = 100, .result = "VK_ERROR_TOO_MANY_OBJECTS"};
  f.textures = {{"optimal", 0, 64, 64, 7, 7, ""}, {"linear", std::nullopt, 64, 64, 0, 0, "VK_ERROR_X"}};
  f.timings = {timing("vkAllocateMemory", 0, 65536, 1500),
               timing("vkFreeMemory", 0, 65536, 900),
               timing("sub-allocate", 0, 65536, 92.14),
               timing("free a sub-allocation", 0, 65536, 60),
               timing("write", std::nullopt, 4000, 1000),
               timing("read", std::nullopt, 4000, 500),
               timing("write", 1, 4000, 2000, "vkFlushMappedMemoryRanges"),
               timing("staged write to device-local memory", 0, 1 << 20, 120e3, "vkFlushMappedMemoryRanges"),
               timing("sample optimal tiling by tiles", 0, 4 << 20, 7.5e6),
               timing("frame, staged to optimal tiling", 0, 4 << 20, 8.25e6)};
  return f;
}

std::string text(const MemoryFindings& f) {
  return fmt::format("{}\n", fmt::join(text_of(f), "\n"));
}

}  // namespace

TEST(RealAllocations, are_told_in_a_few_lines) {
  EXPECT_EQ(text(findings()),
            R"(radv-22.3.6-navi10: real allocations
  policy: 52 images and 32 buffers, 22.1 MB compared, 0 wrong; at most 63 in 3 allocations; the validation layers caught the planted violation
  64 KiB, memory type 0: vkAllocateMemory 1.5 µs, vkFreeMemory 900 ns, sub-allocate 92.1 ns, free a sub-allocation 60 ns
  host memory: write 4 GB/s, read 8 GB/s
  memory type 1 (host visible, host cached): write 2 GB/s with vkFlushMappedMemoryRanges
  1 MiB: staged write to device-local memory 120 µs (quartiles 90 µs, 240 µs) with vkFlushMappedMemoryRanges
  sample optimal tiling by tiles 7.5 ms (quartiles 5.62 ms, 15 ms), memory type 0
  frame, staged to optimal tiling 8.25 ms (quartiles 6.19 ms, 16.5 ms), memory type 0 (a frame has 16 ms)
  no sampled texture in linear tiling: VK_ERROR_X
  allocations at once: 100 of 16 bytes; the limit is 4096; the next failed with VK_ERROR_TOO_MANY_OBJECTS
  access: no memory type is device local and host visible: no direct write
)");
}

TEST(RealAllocations, of_a_CPU_driver_are_labelled_and_what_is_wrong_comes_last) {
  MemoryFindings f = findings();
  f.device_type = "cpu";
  f.timings.clear();
  f.textures.clear();
  f.parts[0] = {"access", 1, results::ProbeFailure{"crash", "SIGSEGV in vkMapMemory", "first\nout of pages\n"}, {}, {}};
  f.policy->layers = false;
  f.limit->result = "";
  f.limit->stopped = "1073741824 bytes are enough";
  EXPECT_EQ(text(f), R"(radv-22.3.6-navi10: real allocations, timed on a CPU driver: this is the CPU's memory
  policy: 52 images and 32 buffers, 22.1 MB compared, 0 wrong; at most 63 in 3 allocations; no validation layers watched
  allocations at once: 100 of 16 bytes; the limit is 4096; 1073741824 bytes are enough
  wrong: access: crash: SIGSEGV in vkMapMemory; it printed last 'out of pages'
)");
}

}  // namespace lab::cli
