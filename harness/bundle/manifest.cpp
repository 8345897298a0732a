#include "harness/bundle/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <system_error>

// The whole implementation, here alone.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "harness/base/files.h"
#include "harness/base/json_fields.h"
#include "harness/base/json_file.h"
#include "harness/base/json_struct.h"

namespace lab::bundle {

namespace fs = std::filesystem;

namespace {

/// Whether `path`, with the links in it not followed, stays below the folder that it is relative to.
bool stays_inside(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  return !normal.empty() && normal.is_relative() && *normal.begin() != ".." && normal != ".";
}

}  // namespace

LAB_JSON_STRUCT(BundledFile, path, size, (hash), (executable), (link), (name))
LAB_JSON_STRUCT(Manifest, schema, (commit), state, pins, level, libc, loader, files)

Expected<Manifest> parse_manifest(const std::string& text, const std::string& place) {
  const Expected<json::value> value = parse_json(text, place);
  if (!value) return value.error();
  Expected<Manifest> manifest = from_json<Manifest>(*value, place);
  if (!manifest) return manifest.error();
  if (manifest->schema != kSchema)
    return Error{fmt::format("{}: expected schema {}, found {}", place, kSchema, manifest->schema),
                 "make it again from this checkout: python3 make.py bundle FILE", ExitStatus::kUsage};
  for (const BundledFile& file : manifest->files) {
    const bool is_right =
        stays_inside(file.path) && (file.link.empty() || stays_inside(fs::path(file.path).parent_path() / file.link));
    if (!is_right)
      return Error{fmt::format("{}: expected paths inside the bundle, found '{}'", place,
                               file.link.empty() ? file.path : file.path + " -> " + file.link),
                   "", ExitStatus::kUsage};
  }
  return manifest;
}

Expected<Manifest> read_manifest(const fs::path& folder) {
  const fs::path file = folder / kManifestName;
  const Expected<std::string> text = read_file(file);
  if (!text) return text.error();
  return parse_manifest(*text, file.string());
}

std::string to_text(const Manifest& manifest) {
  return json::serialize(to_json(manifest)) + "\n";
}

const Manifest* bundle_at(const fs::path& root) {
  static std::mutex mutex;
  static std::map<fs::path, std::optional<Manifest>> known;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = known.try_emplace(root.lexically_normal());
  if (is_new) {
    std::error_code unknown;
    if (fs::exists(root / kManifestName, unknown))
      if (Expected<Manifest> manifest = read_manifest(root)) found->second = std::move(*manifest);
  }
  return found->second ? &*found->second : nullptr;
}

std::string content_hash(std::string_view content) {
  const XXH128_hash_t hash = XXH3_128bits(content.data(), content.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace lab::bundle
