// usage: gpu_memory_dump [--policy NAME] [--table NAME] [--seed N]
// Prints what a policy holds at the end of the streaming plan, as JSON in the schema of VulkanMemoryAllocator's dumps.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/usage_error.h"
#include "variants/gpu_memory/family/dumped_state.h"
#include "variants/gpu_memory/family/vma_range.h"

namespace lab::gpu_memory {

namespace {

constexpr const char* kUsage =
    "usage: gpu_memory_dump [--policy io7m|io7m_shared|best_fit|vma] [--table lavapipe|hd620|navi10|ga102] [--seed "
    "N]\n";

struct Policy {
  const char* name;
  Subject subject;
};

const Policy kPolicies[] = {
    {"io7m", subject_of<Pools<designs::BestFit, kByAlignment>>()},
    {"io7m_shared", subject_of<Pools<designs::BestFit, designs::Grouping{.by_kind = false, .by_alignment = true}>>()},
    {"best_fit", subject_of<Pools<designs::BestFit, kByKind>>()},
    {"vma", subject_of<Pools<VmaRangeOf<VmaStrategy::kDefault>, kByKind>>()}};

/// The index of the element of this name.
template <typename Named>
Expected<std::size_t> index_of(const Named& all, std::string_view flag, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& one : all) names.emplace_back(one.name);
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  return usage_error(fmt::format("{}: expected one of {}, found '{}'", flag, fmt::join(names, ", "), name));
}

Expected<void> print_dump(const std::vector<std::string>& words) {
  std::string policy = "io7m", table = "navi10";
  std::uint64_t seed = 1;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (i + 1 == words.size()) return usage_error(fmt::format("{}: expected a value", words[i]));
    const std::string& value = words[i + 1];
    if (words[i] == "--policy") {
      policy = value;
    } else if (words[i] == "--table") {
      table = value;
    } else if (words[i] == "--seed") {
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seed);
      if (error != std::errc{} || end != value.data() + value.size())
        return usage_error(fmt::format("--seed: expected a number, found '{}'", value));
    } else {
      return usage_error(fmt::format("there is no flag '{}'", words[i]));
    }
  }
  const Expected<std::size_t> chosen = index_of(kPolicies, "--policy", policy);
  if (!chosen) return chosen.error();
  const Expected<std::size_t> device = index_of(device_tables(), "--table", table);
  if (!device) return device.error();
  const DeviceTable& needs = device_tables()[*device];
  const DumpedMemory state = state_after(kPolicies[*chosen].subject, streaming(seed, needs), needs.title);
  fmt::print("{}\n", boost::json::serialize(dump(state)));
  return {};
}

}  // namespace

}  // namespace lab::gpu_memory

int main(int argc, char** argv) {
  const lab::Expected<void> printed = lab::gpu_memory::print_dump({argv + 1, argv + argc});
  if (printed) return 0;
  fmt::print(stderr, "gpu_memory_dump: error: {}\n{}", printed.error().what, lab::gpu_memory::kUsage);
  return static_cast<int>(printed.error().status);
}
