#include "harness/cli/against.h"

#include <fmt/format.h>

#include <utility>

namespace lab::cli {

namespace fs = std::filesystem;

namespace {

bool is_build(const fs::path& folder) {
  return fs::exists(folder / "variants.json") && fs::exists(folder / "build_info.json");
}

/// <checkout>/build/<toolchain>-<config>.
fs::path checkout_of(const fs::path& build_dir) {
  return fs::absolute(build_dir).lexically_normal().parent_path().parent_path();
}

Expected<Checkout> from_folder(const fs::path& folder, const std::string& build_name) {
  std::error_code problem;
  const fs::path whole = fs::canonical(folder, problem);
  if (is_build(whole)) return Checkout{whole, checkout_of(whole), std::nullopt};
  const fs::path inside = whole / "build" / build_name;
  if (is_build(inside)) return Checkout{inside, whole, std::nullopt};
  const std::string hint = fs::exists(whole / "make.py") ? fmt::format("python3 {} build", (whole / "make.py").string())
                                                         : "name a build folder, a checkout, or a git revision";
  return Error{fmt::format("--against '{}': expected variants.json and build_info.json in it or in build/{}, found "
                           "neither",
                           folder.string(), build_name),
               hint, ExitStatus::kUsage};
}

}  // namespace

Expected<Checkout> build_revision(std::string_view option, const std::string& revision, const fs::path& root,
                                  const results::Build& build, const exec::Runner& run, StatusLine& line) {
  const std::string named = fmt::format("{} '{}'", option, revision);
  Expected<revisions::Revisions> trees = revisions::Revisions::open(root, revisions::Revisions::default_cache(), run);
  if (!trees) return in_context(named, trees.error());
  const Expected<std::string> sha = trees->resolve(revision);
  if (!sha) {
    Error error = in_context(option, sha.error());
    if (error.hint.empty()) error.hint = "git log --oneline";
    return error;
  }
  const revisions::How how{build.toolchain, build.config, build.march};
  if (!trees->is_built(*sha, how)) {
    line.print(fmt::format("run: building {} ({}) by its own make.py", revision, sha->substr(0, 12)));
    line.show(fmt::format("run: the build's log is {}", trees->log_of(*sha).string()));
  }
  auto built = trees->build(*sha, how);
  line.clear();
  if (!built) return in_context(named, Error(built.error()));
  return Checkout{built->build_dir, built->tree, std::move(*trees)};
}

Expected<Checkout> find_base(const std::string& named, const fs::path& root, const fs::path& build_dir,
                             const results::Build& build, const exec::Runner& run, StatusLine& line) {
  std::error_code missing;
  if (fs::is_directory(named, missing)) return from_folder(named, build_dir.lexically_normal().filename().string());
  return build_revision("--against", named, root, build, run, line);
}

}  // namespace lab::cli
