/// What a bundle holds: bundle.json, beside its files.
///
/// A bundle is a checkout's build with all that a session, a probe and a report need, in a folder that lies anywhere
/// and may be read-only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error_fwd.h"

namespace lab::bundle {

inline constexpr std::string_view kManifestName = "bundle.json";

/// The launcher's path in the bundle.
inline constexpr std::string_view kLauncherName = "lab";

struct BundledFile {
  std::string path;        ///< relative to the bundle's folder
  std::uint64_t size = 0;  ///< bytes; 0 for a link
  std::string hash = {};   ///< content_hash(); "" for a link
  bool executable = false;
  std::string link = {};  ///< a symbolic link's target, inside the bundle; "" for a file
  std::string name = {};  ///< of an executable that a session measures: content_name (base/hash.h); "" otherwise
};

struct Manifest {
  int schema = 0;
  std::optional<std::string> commit;        ///< of the checkout; none without git
  std::string state;                        ///< "clean", "dirty" or "no git"
  std::map<std::string, std::string> pins;  ///< version hashes, by package
  std::string level;                        ///< of the CPU: "x86-64-v2"
  std::string libc;                         ///< the oldest GNU C library on which its programs run: "2.36"
  std::string loader;                       ///< of its own C library, for machines with an older one
  std::vector<BundledFile> files;           ///< all but bundle.json, in the order of the archive
};

inline constexpr int kSchema = 1;

/// The manifest of the bundle in `folder`. An error names the file.
Expected<Manifest> read_manifest(const std::filesystem::path& folder);

/// The manifest in `text`, which came from `place`. Refuses paths that leave the bundle's folder, and other schemas.
Expected<Manifest> parse_manifest(const std::string& text, const std::string& place);

std::string to_text(const Manifest& manifest);

/// The manifest of the bundle whose folder is `root`, read once in a process; null if `root` is a checkout. A bundle
/// whose manifest cannot be read is a checkout without git: its launcher refused to start it (launcher/main.cpp).
const Manifest* bundle_at(const std::filesystem::path& root);

/// XXH3 of `content`, 128 bits as 32 hex digits. It finds what a disk or a copy damaged, and is as fast as memory; it
/// does not stop an attacker, who would change the manifest too.
std::string content_hash(std::string_view content);

}  // namespace lab::bundle
