#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "harness/report/format.h"
#include "harness/report/vulkan.h"

namespace lab::report {

namespace {

using results::MemoryFindings;
using results::MemoryTiming;

std::string duration(double ns) {
  if (ns < 1e3) return number(ns) + " ns";
  return ns < 1e6 ? number(ns / 1e3) + " µs" : number(ns / 1e6) + " ms";
}

std::string memory_of(const MemoryFindings& findings, const MemoryTiming& timing) {
  if (!timing.memory_type) return "host memory";
  const std::uint32_t type = *timing.memory_type;
  if (type >= findings.memory_types.size()) return fmt::format("type {}", type);
  return fmt::format("type {}: {}", type, fmt::join(findings.memory_types[type].flags, ", "));
}

std::string policy_sentence(const results::PolicyCheck& policy) {
  const std::string layers =
      !policy.layers ? "The validation layers were not there."
      : policy.planted.message.empty()
          ? "The validation layers missed an error that was planted, so their silence means nothing."
          : "The validation layers caught an error that was planted, and saw no other.";
  return fmt::format(
      "{} images and {} buffers were placed by the article's policy, written, read back and compared ({} bytes): {} "
      "differed. At most {} were in {} allocations at once. {}",
      policy.images, policy.buffers, number(static_cast<double>(policy.compared_bytes)), policy.wrong.size(),
      policy.most_resources, policy.device_allocations, layers);
}

std::string limit_sentence(const results::AllocationCount& limit) {
  if (!limit.tried)
    return fmt::format("{} allocations existed at once. maxMemoryAllocationCount, {}, was not tried: {}.",
                       limit.succeeded, limit.reported, limit.stopped);
  return fmt::format("{} allocations of {} existed at once; maxMemoryAllocationCount is {}. {}", limit.succeeded,
                     bytes(limit.allocation_bytes), limit.reported,
                     limit.result.empty() ? "There was no further one: " + limit.stopped + "."
                                          : "The next one failed with " + limit.result + ".");
}

std::string texture_sentence(const results::SampledTexture& texture) {
  if (!texture.refused.empty())
    return fmt::format("A texture of {} tiling was not sampled: {}.", texture.tiling, texture.refused);
  return fmt::format("A shader sampled a texture of {} tiling, {}x{}: {}.", texture.tiling, texture.width,
                     texture.height,
                     texture.checksum == texture.expected ? "all texels are as written" : "texels differ");
}

List checks(const MemoryFindings& findings) {
  List list;
  const auto add = [&](const std::string& sentence) {
    if (std::find(list.items.begin(), list.items.end(), sentence) == list.items.end()) list.items.push_back(sentence);
  };
  if (findings.policy) add(policy_sentence(*findings.policy));
  if (findings.limit) add(limit_sentence(*findings.limit));
  for (const results::SampledTexture& texture : findings.textures) add(texture_sentence(texture));
  for (const results::MemoryPart& part : findings.parts)
    for (const std::string& note : part.notes) add(fmt::format("{}: {}.", part.name, note));
  return list;
}

Table timings(const MemoryFindings& findings) {
  const std::string label = results::timing_label(findings);
  Table table{identifier("memory-" + findings.column),
              fmt::format("Times on {}{}{}", findings.column, label.empty() ? "" : "; ", label),
              {{"Operation", kText},
               {"Memory", kText},
               {"Bytes", kNumber},
               {"Median", kText},
               {"Quartiles", kText},
               {"GB/s", kNumber}}};
  for (const MemoryTiming& timing : findings.timings) {
    const results::TimingSummary times = results::summary(timing);
    // An allocation moves no bytes.
    const std::optional<double> rate =
        timing.part == "allocation" ? std::nullopt : results::gigabytes_per_second(timing);
    table.rows.push_back(
        {timing.includes.empty() ? timing.what : fmt::format("{}, with {}", timing.what, timing.includes),
         memory_of(findings, timing), timing.bytes == 0 ? "" : bytes(timing.bytes), duration(times.median_ns),
         range(duration(times.low_ns), duration(times.high_ns)), rate ? number(*rate) : ""});
  }
  table.drop_empty_columns();
  return table;
}

}  // namespace

Section real_allocations_section(std::span<const MemoryFindings> all) {
  Section section{"real-allocations", "Real allocations"};
  section.folded = true;
  for (const MemoryFindings& findings : all) {
    if (all.size() > 1) section.add(Paragraph{findings.column});
    for (const std::string& complaint : results::complaints(findings))
      section.add(Paragraph{complaint, Emphasis::kBad});
    section.add(checks(findings));
    section.add(timings(findings));
  }
  return section;
}

}  // namespace lab::report
