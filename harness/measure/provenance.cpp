#include "harness/measure/provenance.h"

#include <boost/algorithm/string.hpp>
#include <cctype>
#include <optional>

#include "harness/base/json_file.h"
#include "harness/base/json_struct.h"
#include "harness/bundle/manifest.h"

namespace lab::measure {

namespace fs = std::filesystem;

namespace {

constexpr double kGitSeconds = 10;

/// The part of packages.json that read_pins needs.
struct ListedPackage {
  std::optional<std::string> lib;  ///< its folder in lib/; none: the package's name
};

struct PackageList {
  std::map<std::string, ListedPackage> packages;
};

LAB_JSON_STRUCT(ListedPackage, (lib))

LAB_JSON_STRUCT(PackageList, packages)

/// The part of fetched.json (harness/make/build_cache/record.py) that a result has.
struct FetchedObjects {
  std::string summary;
};

LAB_JSON_STRUCT(FetchedObjects, summary)

constexpr std::size_t kShortestHash = 16;

/// The last run of hex digits that is long enough for a hash, in the deepest component of `path` that has one.
std::string hash_in(const fs::path& path) {
  std::string found;
  for (const fs::path& part : path) {
    const std::string name = part.string();
    std::size_t length = 0;
    for (std::size_t i = 0; i <= name.size(); ++i) {
      if (i < name.size() && std::isxdigit(static_cast<unsigned char>(name[i])) != 0) {
        ++length;
        continue;
      }
      if (length >= kShortestHash) found = name.substr(i - length, length);
      length = 0;
    }
  }
  return found;
}

/// The standard output of git in `root`, or nothing. Git refuses a checkout of another user, whose configuration may
/// start programs. Here that user's programs run in any case.
std::optional<std::string> git(const fs::path& root, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"-c", "safe.directory=*"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const ChildOutcome outcome = run_child(git_command(root, words));
  if (outcome.end != ChildEnd::kExited || outcome.code != 0) return std::nullopt;
  return boost::trim_right_copy(outcome.output);
}

}  // namespace

ChildSpec git_command(const std::filesystem::path& root, const std::vector<std::string>& arguments) {
  ChildSpec spec;
  spec.command = {"git", "-C", root.string(), "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"};
  spec.command.insert(spec.command.end(), arguments.begin(), arguments.end());
  spec.timeout_seconds = kGitSeconds;
  // The variables of a hook would lead git to another tree; optional locks would write to this one.
  spec.environment = {"GIT_DIR",
                      "GIT_WORK_TREE",
                      "GIT_INDEX_FILE",
                      "GIT_COMMON_DIR",
                      "GIT_OBJECT_DIRECTORY",
                      "GIT_OPTIONAL_LOCKS=0",
                      "GIT_TERMINAL_PROMPT=0",
                      "LC_ALL=C"};
  return spec;
}

Expected<results::Build> read_build(const fs::path& build_dir) {
  const fs::path path = build_dir / "build_info.json";
  const Expected<std::string> text = read_file(path);
  Expected<results::Build> build = text ? results::parse_build(*text, path.string()) : text.error();
  if (!build) return Error{build.error().what, "python3 make.py build"};
  if (const auto fetched = read_json_file<FetchedObjects>(build_dir / "fetched.json"))
    build->fetched = fetched->summary;
  return build;
}

std::map<std::string, std::string> read_pins(const fs::path& root) {
  if (const bundle::Manifest* const bundled = bundle::bundle_at(root)) return bundled->pins;
  std::map<std::string, std::string> pins;
  const Expected<PackageList> list = read_json_file<PackageList>(root / "packages.json");
  if (!list) return pins;
  for (const auto& [name, package] : list->packages) {
    const fs::path folder = root / "lib" / package.lib.value_or(name);
    std::error_code no_link;
    const fs::path target = fs::read_symlink(folder, no_link);
    if (no_link && !fs::exists(folder)) continue;
    const std::string hash = hash_in(target);
    pins[name] = hash.empty() ? "unpinned" : hash;
  }
  return pins;
}

results::Source read_source(const fs::path& root) {
  results::Source source;
  if (const bundle::Manifest* const bundled = bundle::bundle_at(root)) {
    source.commit = bundled->commit;
    source.state = bundled->state;
    if (bundled->commit) source.dirty = bundled->state != "clean";
    return source;
  }
  const std::optional<std::string> answer = git(root, {"rev-parse", "--show-toplevel", "HEAD"});
  if (!answer) return source;
  const std::size_t line = answer->find('\n');
  std::error_code problem;
  if (line == std::string::npos || !fs::equivalent(answer->substr(0, line), root, problem)) return source;
  source.commit = answer->substr(line + 1);
  const std::optional<std::string> changes = git(root, {"status", "--porcelain"});
  if (changes) source.dirty = !changes->empty();
  // If git fails, the commit alone is not reliable.
  source.state = changes && changes->empty() ? "clean" : "dirty";
  return source;
}

bool is_bundle(const fs::path& root) {
  return bundle::bundle_at(root) != nullptr;
}

}  // namespace lab::measure
