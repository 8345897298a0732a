#include "harness/report/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <exception>
#include <stdexcept>

#include "harness/base/files.h"

namespace lab::report {

namespace {

namespace json = boost::json;

std::string text(const json::object& object, std::string_view field) {
  const json::value& value = object.at(field);
  return value.is_null() ? "" : std::string(value.as_string());
}

template <typename Number>
Number number_in(const json::object& object, std::string_view field) {
  return object.at(field).to_number<Number>();
}

void read_errata(const json::object& file, std::vector<Erratum>& errata) {
  const json::object& source = file.at("source").as_object();
  const std::string article = fmt::format("{} ({})", text(source, "author"), number_in<int>(source, "year"));
  for (const json::value& entry : file.at("errata").as_array()) {
    const json::object& erratum = entry.as_object();
    errata.push_back({article, text(erratum, "claim"), text(erratum, "article"), text(erratum, "arithmetic"),
                      erratum.at("measured").as_object()});
  }
}

PublishedVersion read_version(const json::object& object) {
  PublishedVersion version{number_in<int>(object, "version"),
                           text(object, "variant"),
                           object.contains("freed") ? text(object, "freed") : "",
                           text(object, "threads"),
                           text(object, "allocation"),
                           {}};
  for (const auto& [phase, ms] : object.at("ms").as_object()) version.ms[phase] = ms.to_number<double>();
  return version;
}

CommandBuckets read_buckets(const json::object& file) {
  CommandBuckets buckets;
  const json::object& source = file.at("source").as_object();
  buckets.author = text(source, "author");
  buckets.year = number_in<int>(source, "year");
  buckets.machine = text(file, "machine");
  buckets.method = text(file, "method");
  buckets.commands = number_in<double>(file, "commands");
  buckets.family = text(file, "family");
  buckets.workload = text(file, "workload");
  for (const json::value& also : file.at("also").as_array()) buckets.also.emplace_back(also.as_string());
  for (const json::value& version : file.at("versions").as_array())
    buckets.versions.push_back(read_version(version.as_object()));
  for (const json::value& entry : file.at("claims").as_array()) {
    const json::object& claim = entry.as_object();
    SpeedClaim read{
        text(claim, "claim"), number_in<int>(claim, "from"), number_in<int>(claim, "to"), text(claim, "phase"), {}};
    if (!claim.at("stated").is_null()) read.stated = number_in<double>(claim, "stated");
    for (std::string& order : buckets.orders(read.from, read.to)) {
      read.freed = std::move(order);
      for (const int number : {read.from, read.to})
        if (std::none_of(buckets.versions.begin(), buckets.versions.end(), [&](const PublishedVersion& version) {
              return version.version == number && (version.freed.empty() || version.freed == read.freed) &&
                     version.ms.contains(read.phase);
            }))
          throw std::runtime_error(
              fmt::format("the claim '{}' needs version {} with phase '{}'{}", read.claim, number, read.phase,
                          read.freed.empty() ? "" : " and packets freed in the order of " + read.freed));
      buckets.claims.push_back(read);
    }
  }
  return buckets;
}

VulkanMemory read_vulkan(const json::object& file) {
  VulkanMemory vulkan;
  const json::object& source = file.at("source").as_object();
  vulkan.author = text(source, "author");
  vulkan.year = number_in<int>(source, "year");
  vulkan.texel_bytes = number_in<std::uint64_t>(file, "texel_bytes");
  vulkan.least_dimension = number_in<std::uint64_t>(file, "least_dimension");
  for (const auto& [name, platform] : file.at("platforms").as_object())
    vulkan.platforms[name] = {text(platform.as_object(), "what"), text(platform.as_object(), "columns")};
  for (const json::value& entry : file.at("claims").as_array()) {
    const json::object& claim = entry.as_object();
    vulkan.claims.push_back({text(claim, "claim"), text(claim, "platform"), claim.at("check").as_object()});
    if (const std::string& platform = vulkan.claims.back().platform;
        !platform.empty() && !vulkan.platforms.contains(platform))
      throw std::runtime_error(fmt::format("unknown platform '{}'", platform));
  }
  return vulkan;
}

/// Parses the file and calls `read` with its object; `read` may throw Boost.JSON's exceptions.
template <typename Read>
Expected<void> read_published(const std::filesystem::path& path, const Read& read) {
  const Expected<std::string> content = read_file(path);
  if (!content) return in_context("reading published figures", content.error());
  try {
    read(json::parse(*content).as_object());
  } catch (const std::exception& problem) {
    return Error{fmt::format("reading published figures '{}': {}", path.string(), problem.what()),
                 "see results/published/README.md", ExitStatus::kUsage};
  }
  return {};
}

}  // namespace

std::vector<std::string> CommandBuckets::orders(int from, int to) const {
  std::vector<std::string> found;
  for (const PublishedVersion& one : versions)
    if ((one.version == from || one.version == to) && !one.freed.empty() &&
        std::find(found.begin(), found.end(), one.freed) == found.end())
      found.push_back(one.freed);
  if (found.empty()) found.emplace_back();
  return found;
}

const PublishedVersion& CommandBuckets::version(int number, const std::string& freed) const {
  for (const PublishedVersion& version : versions)
    if (version.version == number && (version.freed.empty() || version.freed == freed)) return version;
  fmt::print(stderr, "harness: no published version {}\n", number);
  std::abort();
}

double CommandBuckets::from_table(const SpeedClaim& claim) const {
  return version(claim.from, claim.freed).ms.at(claim.phase) / version(claim.to, claim.freed).ms.at(claim.phase);
}

std::string CommandBuckets::benchmark(const PublishedVersion& version, const std::string& on_workload) const {
  return fmt::format("{}/{}/{}", family, version.variant, on_workload);
}

Expected<Published> load_published(const std::filesystem::path& folder) {
  Published published;
  const auto buckets = [&](const json::object& file) {
    published.buckets = read_buckets(file);
    read_errata(file, published.errata);
  };
  const auto buddy = [&](const json::object& file) { read_errata(file, published.errata); };
  const auto vulkan = [&](const json::object& file) {
    published.vulkan = read_vulkan(file);
    read_errata(file, published.errata);
  };
  if (Expected<void> read = read_published(folder / "command_buckets.json", buckets); !read) return read.error();
  if (Expected<void> read = read_published(folder / "buddy_allocator.json", buddy); !read) return read.error();
  if (Expected<void> read = read_published(folder / "vulkan_memory.json", vulkan); !read) return read.error();
  return published;
}

}  // namespace lab::report
