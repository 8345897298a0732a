#include "harness/results/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "harness/base/files.h"
#include "harness/base/json_fields.h"
#include "harness/base/json_struct.h"

namespace lab::results {

LAB_JSON_STRUCT(Article, author, year)

template <typename F>
void fields(F& f, FigureSource& s) {
  f("kind", s.kind);
  if (s.kind == "claim") {
    f("from", s.from);
    f("to", s.to);
    f("phase", s.phase);
  } else if (s.kind == "share") {
    f("benchmarks", s.benchmarks);
    f("part", s.part);
    f("whole", s.whole);
  } else if (s.kind == "smallest image storage") {
    f("columns", s.columns);
  } else if (s.kind == "storages") {
    f("columns", s.columns);
    f("images", s.images);
  } else if (s.kind == "heap share") {
    f("columns", s.columns);
    f("parts", s.parts);
  } else if (s.kind == "none") {
    f("reason", s.reason);
  } else {
    f.refuse("kind", "unknown");
  }
}

template <typename F>
void fields(F& f, Erratum& e) {
  f("claim", e.claim);
  f("article", e.printed);
  f("arithmetic", e.arithmetic);
  f("measured", e.measured);
}

template <typename F>
void fields(F& f, PublishedVersion& v) {
  f("version", v.version);
  f("variant", v.variant);
  f.added("freed", v.freed);
  f("ms", v.ms);
}

LAB_JSON_STRUCT(SpeedClaim, claim, from, to, phase, stated)
LAB_JSON_STRUCT(CommandBuckets, source, machine, family, workload, also, versions, claims)

template <typename F>
void fields(F& f, DriverCheck& c) {
  f("kind", c.kind);
  if (c.kind == "image alignments" || c.kind == "smallest image alignment" || c.kind == "smallest image storage") {
    f("bytes", c.bytes);
  } else if (c.kind == "image storage" || c.kind == "image alignment") {
    f("image", c.image);
    f("bytes", c.bytes);
  } else if (c.kind == "same image storage") {
    f("images", c.images);
  } else if (c.kind == "few image alignments") {
    f("most", c.most);
    f("low", c.low);
    f("high", c.high);
  } else if (c.kind == "small buffer storage") {
    f("below", c.below);
    f("bytes", c.bytes);
  } else if (c.kind == "buffer extra") {
    f("above", c.above);
    f("most", c.most);
  } else if (c.kind != "least image storage" && c.kind != "one buffer alignment") {
    f.refuse("kind", "unknown");
  }
}

LAB_JSON_STRUCT(DriverClaim, claim, platform, check)
LAB_JSON_STRUCT(Platform, what, columns)
LAB_JSON_STRUCT(VulkanMemory, source, texel_bytes, least_dimension, platforms, claims)

/// What every file has.
struct ArticleErrata {
  Article source;
  std::vector<Erratum> errata;
};
LAB_JSON_STRUCT(ArticleErrata, source, errata)

namespace {

constexpr std::string_view kBuckets = "command_buckets.json", kVulkan = "vulkan_memory.json";

/// One claim for each order of freeing. An error if a claim is about a version or a phase that the table lacks.
Expected<void> split_claims_by_order(CommandBuckets& buckets) {
  std::vector<SpeedClaim> claims;
  for (SpeedClaim& claim : buckets.claims)
    for (const std::string& order : buckets.orders(claim.from, claim.to)) {
      claim.freed = order;
      for (const int number : {claim.from, claim.to})
        if (std::none_of(buckets.versions.begin(), buckets.versions.end(), [&](const PublishedVersion& version) {
              return version.version == number && (version.freed.empty() || version.freed == order) &&
                     version.ms.contains(claim.phase);
            }))
          return Error{fmt::format("the claim '{}' needs version {} with phase '{}'{}", claim.claim, number,
                                   claim.phase, order.empty() ? "" : " and packets freed in the order of " + order),
                       ""};
      claims.push_back(claim);
    }
  buckets.claims = std::move(claims);
  return {};
}

Expected<void> check_platforms(const VulkanMemory& vulkan) {
  for (const DriverClaim& claim : vulkan.claims)
    if (claim.platform && !vulkan.platforms.contains(*claim.platform))
      return Error{fmt::format("unknown platform '{}'", *claim.platform), ""};
  return {};
}

template <typename T>
Expected<void> convert(const json::value& value, T& out) {
  Expected<T> read = from_json<T>(value);
  if (!read) return read.error();
  out = std::move(*read);
  return {};
}

/// Adds the article in the file `name` to `published`.
Expected<void> add_article(std::string_view name, std::string_view text, Published& published) {
  const Expected<json::value> value = parse_json(text, "the file");
  if (!value) return value.error();
  ArticleErrata article;
  if (Expected<void> read = convert(*value, article); !read) return read;
  for (Erratum& erratum : article.errata) {
    erratum.article = article.source;
    published.errata.push_back(std::move(erratum));
  }
  if (name == kBuckets) {
    Expected<void> read = convert(*value, published.buckets);
    return read ? split_claims_by_order(published.buckets) : read;
  }
  if (name == kVulkan) {
    Expected<void> read = convert(*value, published.vulkan);
    return read ? check_platforms(published.vulkan) : read;
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
  for (const std::string_view name : {kBuckets, std::string_view("buddy_allocator.json"), kVulkan}) {
    const std::filesystem::path path = folder / name;
    const Expected<std::string> text = read_file(path);
    if (!text) return in_context("reading published figures", text.error());
    if (const Expected<void> added = add_article(name, *text, published); !added)
      return Error{fmt::format("reading published figures '{}': {}", path.string(), added.error().what),
                   "see results/published/README.md", ExitStatus::kUsage};
  }
  return published;
}

}  // namespace lab::results
