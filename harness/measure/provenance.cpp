#include "harness/measure/provenance.h"

#include <fmt/format.h>

#include <boost/algorithm/string.hpp>
#include <cctype>
#include <optional>

#include "harness/base/files.h"
#include "harness/base/json_fields.h"
#include "harness/base/json_struct.h"
#include "harness/measure/git.h"

namespace lab::measure {

namespace fs = std::filesystem;
namespace {

/// The part of packages.json that read_pins needs.
struct ListedPackage {
  std::optional<std::string> lib;  ///< its folder in lib/; none: the package's name
};

struct PackageList {
  std::map<std::string, ListedPackage> packages;
};

template <typename F>
void fields(F& f, ListedPackage& p) {
  f.added("lib", p.lib);
}

LAB_JSON_STRUCT(PackageList, packages)

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

Expected<results::Build> read_build(const fs::path& build_dir) {
  const fs::path path = build_dir / "build_info.json";
  const Expected<std::string> text = read_file(path);
  if (!text) return Error{text.error().what, "python3 make.py build"};
  Expected<results::Build> build = results::parse_build(*text, path.string());
  if (!build) return Error{build.error().what, "python3 make.py build"};
  return build;
}

std::map<std::string, std::string> read_pins(const fs::path& root) {
  std::map<std::string, std::string> pins;
  const Expected<std::string> text = read_file(root / "packages.json");
  if (!text) return pins;
  const Expected<json::value> value = parse_json(*text, "packages.json");
  if (!value) return pins;
  const Expected<PackageList> list = from_json<PackageList>(*value);
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

}  // namespace lab::measure
