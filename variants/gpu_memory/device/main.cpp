// Runs the streaming plan on a real Vulkan device and on the simulated one. Prints one line of JSON, and a sentence to
// standard error.
#include <map>
#include <string>

#include "variants/gpu_memory/device/device_run.h"
#include "variants/gpu_memory/family/named_pools.h"
#include "variants/vulkan/device_program.h"

namespace lab::gpu_memory {

namespace {

// Fixed, so that the counts do not depend on the heap: with the article's max(M, H / K) they would.
constexpr std::uint64_t kAllocationBytes = 32'000'000;

// The variants of these names, as their files define them.
const std::map<std::string, Subject> kPolicies{
    {"io7m", subject_of<Pools<designs::BestFit, kByAlignment>>()},
    {"io7m_shared", subject_of<Pools<designs::BestFit, designs::Grouping{.by_kind = false, .by_alignment = true}>>()},
    {"dedicated", subject_of<OwnAllocations>()}};

Expected<vulkan::ProgramOutput> run(const vulkan::Flags& flags, const std::string& loader) {
  DeviceReport report;
  report.policy = flags.text("--policy");
  const vulkan::DeviceSpec spec{.loader = loader, .index = flags.number("--device")};
  const auto watched = vulkan::watch(spec, report, [&](vulkan::Device& device) {
    const DeviceTable* const table = table_of(device);
    if (table != nullptr) report.table = table->name;
    ResourcePlan plan = streaming(
        flags.number("--seed"), table != nullptr ? *table : device_tables().front(),
        {.live = flags.number("--live"), .steps = flags.number("--steps"), .targets = 2, .steps_per_target = 500});
    plan.allocation_bytes = kAllocationBytes;
    return run_on(device, kPolicies.at(report.policy), std::move(plan), report);
  });
  if (!watched) return watched.error();
  return vulkan::output_of(report);
}

}  // namespace

}  // namespace lab::gpu_memory

int main(int argc, char** argv) {
  return lab::vulkan::run_program(
      {.name = "gpu_memory_device",
       .usage =
           "usage: gpu_memory_device [--driver pinned|machine] [--device N] [--policy io7m|io7m_shared|dedicated]\n"
           "                         [--live N] [--steps N] [--seed N]\n",
       .flags = {.numbers = {{"--device", {0}},
                             {"--live", {40, 1, 100'000}},
                             {"--steps", {1000, 1, 1'000'000}},
                             {"--seed", {2}}},
                 .texts = {{"--policy", {"io7m", {"io7m", "io7m_shared", "dedicated"}}}}}},
      argc, argv, lab::gpu_memory::run);
}
