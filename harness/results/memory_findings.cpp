#include "harness/results/memory_findings.h"

#include <fmt/format.h>

#include <string_view>
#include <system_error>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/json_fields.h"
#include "harness/stats/quantile.h"

namespace lab::results {

namespace {

constexpr int kMemorySchema = 1;

struct MemoryFile {
  int schema = kMemorySchema;
  MemoryFindings findings;
};

template <typename F>
void fields(F& f, MemoryFile& file) {
  f("schema", file.schema);
  if (file.schema != kMemorySchema) return;  // it may have other fields
  MemoryFindings& found = file.findings;
  f("column", found.column);
  f("measured", found.measured_at);
  f("device_type", found.device_type);
  f("memory_types", found.memory_types);
  f("parts", found.parts);
  f("policy", found.policy);
  f("limit", found.limit);
  f("textures", found.textures);
  f("timings", found.timings);
}

// One line for each element of a list: the file is readable.
std::string text_of(const json::object& object) {
  std::string text;
  for (const auto& [name, value] : object) {
    text += fmt::format("{}{}: ", text.empty() ? "{\n  " : ",\n  ", json::serialize(json::string(name)));
    if (!value.is_array() || value.get_array().empty()) {
      text += json::serialize(value);
      continue;
    }
    std::string_view separator = "[\n    ";
    for (const json::value& element : value.get_array())
      text += std::string(std::exchange(separator, ",\n    ")) + json::serialize(element);
    text += "]";
  }
  return text + "\n}\n";
}

Error unreadable(std::string what) {
  return Error{std::move(what), "python3 make.py probe --allocate writes it again", ExitStatus::kUsage};
}

// Why a driver or its loader refused, in what it printed last.
std::string last_words(std::string_view tail) {
  while (tail.ends_with('\n')) tail.remove_suffix(1);
  if (tail.empty()) return "";
  return fmt::format("; it printed last '{}'", tail.substr(tail.rfind('\n') + 1).substr(0, 200));
}

}  // namespace

TimingSummary summary(const MemoryTiming& timing) {
  if (timing.samples_ns.empty()) return {};
  const std::vector<double> ascending = stats::sorted(timing.samples_ns);
  return {stats::sorted_quantile(ascending, 0.5), stats::sorted_quantile(ascending, 0.25),
          stats::sorted_quantile(ascending, 0.75)};
}

std::optional<double> gigabytes_per_second(const MemoryTiming& timing) {
  const double median = summary(timing).median_ns;
  if (timing.bytes == 0 || median <= 0) return std::nullopt;
  return static_cast<double>(timing.bytes) / median;
}

std::string timing_label(const MemoryFindings& findings) {
  return findings.device_type == "cpu" ? "a CPU driver: this is the CPU's memory" : "";
}

std::vector<std::string> complaints(const MemoryFindings& findings) {
  std::vector<std::string> found;
  for (const MemoryPart& part : findings.parts) {
    if (part.failure)
      found.push_back(fmt::format("{}: {}: {}{}", part.name, part.failure->kind, part.failure->detail,
                                  last_words(part.failure->output_tail)));
    for (const std::string& message : part.validation)
      found.push_back(fmt::format("{}: the validation layers: {}", part.name, message));
  }
  if (findings.policy) {
    const PolicyCheck& policy = *findings.policy;
    for (const std::string& wrong : policy.wrong) found.push_back(fmt::format("policy: wrong contents: {}", wrong));
    if (policy.layers && policy.planted.message.empty())
      found.push_back(fmt::format("policy: the validation layers see nothing: they missed {}", policy.planted.what));
    if (policy.left_allocations > 0)
      found.push_back(
          fmt::format("policy: expected no device allocation at the end, found {}", policy.left_allocations));
  }
  if (findings.limit && findings.limit->succeeded < kGuaranteedAllocations)
    found.push_back(fmt::format("limit: expected {} allocations of {} bytes at once, found {} and then {}",
                                kGuaranteedAllocations, findings.limit->allocation_bytes, findings.limit->succeeded,
                                findings.limit->result));
  for (const SampledTexture& texture : findings.textures)
    if (texture.refused.empty() && texture.checksum != texture.expected)
      found.push_back(fmt::format("textures: {} tiling: expected the checksum {}, found {}", texture.tiling,
                                  texture.expected, texture.checksum));
  return found;
}

Expected<void> save_memory(const MemoryFindings& findings, const std::filesystem::path& folder) {
  return write_file(folder / kMemoryFile, text_of(lab::to_json(MemoryFile{.findings = findings}).as_object()));
}

Expected<std::optional<MemoryFindings>> load_memory(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kMemoryFile;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::optional<MemoryFindings>();
  const Expected<std::string> text = read_file(path);
  if (!text) return text.error();
  const std::string name = fmt::format("'{}'", path.string());
  Expected<MemoryFile> file = parse_struct<MemoryFile>(*text, name);
  if (!file) return unreadable(file.error().what);
  if (file->schema != kMemorySchema)
    return unreadable(fmt::format("{}: schema {}, this build reads {}", name, file->schema, kMemorySchema));
  return std::optional(std::move(file->findings));
}

}  // namespace lab::results
