#include "harness/cli/real_allocations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>

#include "harness/base/layout.h"
#include "harness/probe/allocate.h"

namespace lab::cli {

namespace {

using results::MemoryFindings;
using results::MemoryTiming;

constexpr double kFrameMs = 16;  // the article's

// "93 ns", "1.2 ms", with three digits.
std::string time_text(double ns) {
  if (ns < 1e3) return fmt::format("{:.3g} ns", ns);
  if (ns < 1e6) return fmt::format("{:.3g} µs", ns / 1e3);
  return fmt::format("{:.3g} ms", ns / 1e6);
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes % (1 << 20) == 0) return fmt::format("{} MiB", bytes >> 20);
  if (bytes % (1 << 10) == 0) return fmt::format("{} KiB", bytes >> 10);
  return fmt::format("{} bytes", bytes);
}

std::string type_text(const MemoryFindings& findings, std::optional<std::uint32_t> type) {
  if (!type) return "host memory";
  if (*type >= findings.memory_types.size()) return fmt::format("memory type {}", *type);
  return fmt::format("memory type {} ({})", *type, fmt::join(findings.memory_types[*type].flags, ", "));
}

// A median; with its quartiles if there is room for them.
std::string spread_text(const MemoryTiming& timing, bool quartiles) {
  const results::TimingSummary s = results::summary(timing);
  const std::string median = time_text(s.median_ns);
  return quartiles ? fmt::format("{} (quartiles {}, {})", median, time_text(s.low_ns), time_text(s.high_ns)) : median;
}

// The times of `whats` for one memory type and size: "write 9.84 GB/s, read 13.7 GB/s". Empty if none was timed.
std::string row(const MemoryFindings& findings, std::optional<std::uint32_t> type, std::optional<std::uint64_t> bytes,
                const std::vector<std::string_view>& whats, bool rates) {
  std::vector<std::string> parts;
  for (const std::string_view what : whats)
    for (const MemoryTiming& timing : findings.timings) {
      if (timing.what != what || timing.memory_type != type || (bytes && timing.bytes != *bytes)) continue;
      const std::string with = timing.includes.empty() ? "" : fmt::format(" with {}", timing.includes);
      parts.push_back(
          rates ? fmt::format("{} {:.3g} GB/s{}", what, results::gigabytes_per_second(timing).value_or(0), with)
                : fmt::format("{} {}{}", what, spread_text(timing, whats.size() == 1), with));
    }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// The different values of a field of all timings with this name, in order.
template <typename Field>
auto distinct(const MemoryFindings& findings, std::string_view what, Field field) {
  std::vector<std::remove_cvref_t<decltype(findings.timings[0].*field)>> values;
  for (const MemoryTiming& timing : findings.timings)
    if (timing.what == what && std::ranges::find(values, timing.*field) == values.end())
      values.push_back(timing.*field);
  return values;
}

std::string policy_text(const results::PolicyCheck& policy) {
  const std::string layers = !policy.layers                   ? "no validation layers watched"
                             : policy.planted.message.empty() ? "the validation layers see nothing"
                                                              : "the validation layers caught the planted violation";
  return fmt::format("policy: {} images and {} buffers, {:.3g} MB compared, {} wrong; at most {} in {} allocations; {}",
                     policy.images, policy.buffers, static_cast<double>(policy.compared_bytes) / 1e6,
                     policy.wrong.size(), policy.most_resources, policy.device_allocations, layers);
}

std::string limit_text(const results::AllocationCount& limit) {
  return fmt::format("allocations at once: {} of {} bytes; the limit is {}; {}", limit.succeeded,
                     limit.allocation_bytes, limit.reported,
                     limit.result.empty() ? limit.stopped : "the next failed with " + limit.result);
}

}  // namespace

std::vector<std::string> text_of(const MemoryFindings& findings) {
  std::vector<std::string> lines;
  const auto add = [&](std::string head, const std::string& text) {
    if (!text.empty()) lines.push_back("  " + std::move(head) + text);
  };
  const std::string label = results::timing_label(findings);
  lines.push_back(fmt::format("{}: real allocations{}{}", findings.column, label.empty() ? "" : ", timed on ", label));
  if (findings.policy) add("", policy_text(*findings.policy));
  for (const std::uint64_t bytes : distinct(findings, "vkAllocateMemory", &MemoryTiming::bytes))
    for (const auto& type : distinct(findings, "vkAllocateMemory", &MemoryTiming::memory_type))
      add(fmt::format("{}, memory type {}: ", bytes_text(bytes), *type),
          row(findings, type, bytes, {"vkAllocateMemory", "vkFreeMemory", "sub-allocate", "free a sub-allocation"},
              false));
  for (const auto& type : distinct(findings, "write", &MemoryTiming::memory_type))
    add(type_text(findings, type) + ": ",
        row(findings, type, std::nullopt, {"write", "fill", "read", "strided read"}, true));
  for (const std::uint64_t bytes : distinct(findings, "staged write to device-local memory", &MemoryTiming::bytes)) {
    std::vector<std::string> both;
    for (const std::string_view what : {"direct write to device-local memory", "staged write to device-local memory"})
      for (const auto& type : distinct(findings, what, &MemoryTiming::memory_type))
        both.push_back(row(findings, type, bytes, {what}, false));
    add(bytes_text(bytes) + ": ", fmt::format("{}", fmt::join(both, ", ")));
  }
  for (const std::string_view what : {"sample optimal tiling by tiles", "sample linear tiling by tiles",
                                      "frame, staged to optimal tiling", "frame, host-visible linear tiling"})
    for (const auto& type : distinct(findings, what, &MemoryTiming::memory_type))
      add("", fmt::format("{}, memory type {}{}", row(findings, type, std::nullopt, {what}, false), *type,
                          what.starts_with("frame") ? fmt::format(" (a frame has {:g} ms)", kFrameMs) : ""));
  for (const results::SampledTexture& texture : findings.textures)
    if (!texture.refused.empty())
      add("", fmt::format("no sampled texture in {} tiling: {}", texture.tiling, texture.refused));
  if (findings.limit) add("", limit_text(*findings.limit));
  for (const results::MemoryPart& part : findings.parts)
    for (const std::string& note : part.notes) add(part.name + ": ", note);
  for (const std::string& complaint : results::complaints(findings)) add("wrong: ", complaint);
  return lines;
}

Expected<ExitStatus> allocate_and_save(const probe::ProbeSpec& spec, const results::DriverColumn& column,
                                       const std::filesystem::path& folder) {
  const Expected<MemoryFindings> found =
      probe::allocate(spec, {.child = build_dir() / "vulkan_memory_child", .layers = spec.validate}, column);
  if (!found) return found.error();
  if (const Expected<void> saved = results::save_memory(*found, folder); !saved) return saved.error();
  for (const std::string& line : text_of(*found)) fmt::print(stderr, "{}\n", line);
  return results::complaints(*found).empty() ? ExitStatus::kOk : ExitStatus::kFailed;
}

}  // namespace lab::cli
