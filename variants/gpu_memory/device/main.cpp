// usage: gpu_memory_device [--driver pinned|machine] [--device N] [--policy NAME] [--live N] [--steps N] [--seed N]
// Runs the streaming plan on a real Vulkan device and on the simulated one. Prints one line of JSON, and a sentence to
// standard error.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/json_fields.h"
#include "harness/base/usage_error.h"
#include "variants/gpu_memory/device/device_run.h"
#include "variants/gpu_memory/family/own_allocations.h"
#include "variants/vulkan/driver_process.h"
#include "variants/vulkan/memory.h"

namespace lab::gpu_memory {

namespace {

constexpr const char* kUsage =
    "usage: gpu_memory_device [--driver pinned|machine] [--device N] [--policy io7m|io7m_shared|dedicated]\n"
    "                         [--live N] [--steps N] [--seed N]\n";

// Fixed, so that the counts do not depend on the heap: with the article's max(M, H / K) they would.
constexpr std::uint64_t kAllocationBytes = 32'000'000;

struct Policy {
  const char* name;
  Subject subject;
};

// The variants of these names, as their files define them.
const Policy kPolicies[] = {
    {"io7m", subject_of<Pools<designs::BestFit, kByAlignment>>()},
    {"io7m_shared", subject_of<Pools<designs::BestFit, designs::Grouping{.by_kind = false, .by_alignment = true}>>()},
    {"dedicated", subject_of<OwnAllocations>()}};

struct Options {
  std::string driver = "pinned", loader;
  const Policy* policy = kPolicies;
  std::map<std::string_view, std::uint32_t> numbers{{"--device", 0}, {"--live", 40}, {"--steps", 1000}, {"--seed", 2}};
};

Expected<Options> options_of(std::span<const std::string> words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string& flag = words[i];
    if (i + 1 == words.size()) return usage_error(fmt::format("{}: expected a value", flag));
    const std::string& value = words[i + 1];
    if (const auto number = options.numbers.find(flag); number != options.numbers.end()) {
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number->second);
      const bool positive = number->second > 0 || flag == "--device" || flag == "--seed";
      if (error != std::errc{} || end != value.data() + value.size() || !positive)
        return usage_error(fmt::format("{}: expected a number{}, found '{}'", flag, positive ? "" : " from 1", value));
    } else if (flag == "--driver") {
      if (std::ranges::find(vulkan::kDrivers, value) == std::end(vulkan::kDrivers))
        return usage_error(
            fmt::format("--driver: expected one of {}, found '{}'", fmt::join(vulkan::kDrivers, ", "), value));
      options.driver = value;
    } else if (flag == "--policy") {
      options.policy = std::ranges::find(kPolicies, value, &Policy::name);
      if (options.policy == std::end(kPolicies)) return usage_error(fmt::format("--policy: there is no '{}'", value));
    } else if (flag == "--loader") {
      options.loader = value;
    } else {
      return usage_error(fmt::format("there is no flag '{}'", flag));
    }
  }
  return options;
}

Expected<DeviceReport> report_of(const Options& options) {
  DeviceReport report;
  report.policy = options.policy->name;
  vulkan::Validation validation;
  {
    const auto device =
        vulkan::Device::open({.loader = options.loader, .index = options.numbers.at("--device")}, validation);
    if (!device) return device.error();
    report.device = (*device)->name();
    report.driver = (*device)->driver_info();
    report.validated = validation.active();
    if (report.validated) {
      const auto planted = vulkan::plant_violation(**device);
      if (!planted) return in_context("planting a violation", planted.error());
      report.planted = planted->what;
      report.caught = planted->caught;
    }
    const DeviceTable* const table = table_of(**device);
    if (table != nullptr) report.table = table->name;
    ResourcePlan plan = streaming(options.numbers.at("--seed"), table != nullptr ? *table : device_tables().front(),
                                  {.live = options.numbers.at("--live"),
                                   .steps = options.numbers.at("--steps"),
                                   .targets = 2,
                                   .steps_per_target = 500});
    plan.allocation_bytes = kAllocationBytes;
    if (const auto ran = run_on(**device, options.policy->subject, std::move(plan), report); !ran) return ran.error();
  }
  for (const std::string& message : validation.messages()) report.validation.add(message);
  return report;
}

Expected<int> status_of(std::span<const std::string> words) {
  const Expected<Options> options = options_of(words);
  if (!options) return options.error();
  if (options->loader.empty()) return vulkan::run_on_driver(options->driver, {words.begin(), words.end()});
  const Expected<DeviceReport> report = report_of(*options);
  if (!report) return report.error();
  fmt::print("{}\n", json::serialize(to_json(*report)));
  fmt::print(stderr, "gpu_memory_device: {}\n", report->sentence());
  return static_cast<int>(report->passed() ? ExitStatus::kOk : ExitStatus::kFailed);
}

}  // namespace

}  // namespace lab::gpu_memory

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const lab::Expected<int> status = lab::gpu_memory::status_of(words);
  if (status) return *status;
  fmt::print(stderr, "gpu_memory_device: error: {}\n", status.error().what);
  if (!status.error().hint.empty()) fmt::print(stderr, "hint: {}\n", status.error().hint);
  if (status.error().status == lab::ExitStatus::kUsage) fmt::print(stderr, "{}", lab::gpu_memory::kUsage);
  return static_cast<int>(status.error().status);
}
