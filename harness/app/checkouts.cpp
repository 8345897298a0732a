#include "harness/app/checkouts.h"

#include <fmt/format.h>

#include <utility>

#include "harness/base/usage_error.h"

namespace lab::app {

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
  return usage_error(
      fmt::format("--against '{}': expected variants.json and build_info.json in it or in build/{}, found "
                  "neither",
                  folder.string(), build_name),
      hint);
}

bool is_folder(const std::string& named) {
  std::error_code missing;
  return fs::is_directory(named, missing);
}

std::string build_name(const fs::path& build_dir) {
  return build_dir.lexically_normal().filename().string();
}

struct ResolvedRevision {
  measure::Revisions trees;
  std::string sha;
};

Expected<ResolvedRevision> resolve(std::string_view option, const std::string& revision, const fs::path& root,
                                   const Runner& run) {
  Expected<measure::Revisions> trees = measure::Revisions::open(root, measure::Revisions::default_cache(), run);
  if (!trees) return in_context(fmt::format("{} '{}'", option, revision), trees.error());
  const Expected<std::string> sha = trees->resolve(revision);
  if (!sha) return in_context(option, sha.error());
  return ResolvedRevision{std::move(*trees), *sha};
}

}  // namespace

Expected<Checkout> build_revision(std::string_view option, const std::string& revision, const fs::path& root,
                                  const results::Build& build, const measure::VariantChoice& choice, const Runner& run,
                                  measure::SessionEvents& events) {
  Expected<ResolvedRevision> resolved = resolve(option, revision, root, run);
  if (!resolved) return resolved.error();
  auto& [trees, sha] = *resolved;
  const results::BuildOptions how{build.toolchain, build.config, build.march};
  events.on_build(revision, sha, trees.is_built(sha, how, choice) ? fs::path() : trees.log_of(sha));
  auto built = trees.build(sha, how, choice, [&](std::string_view line) { events.on_build_output(line); });
  events.on_build_end();
  if (!built) return in_context(fmt::format("{} '{}'", option, revision), Error(built.error()));
  return Checkout{built->build_dir, built->tree, std::move(trees)};
}

Expected<Checkout> find_base(const std::string& named, const fs::path& root, const fs::path& build_dir,
                             const results::Build& build, const measure::VariantChoice& choice, const Runner& run,
                             measure::SessionEvents& events) {
  if (is_folder(named)) return from_folder(named, build_name(build_dir));
  return build_revision("--against", named, root, build, choice, run, events);
}

Expected<void> check_base(const std::string& named, const fs::path& root, const fs::path& build_dir,
                          const Runner& run) {
  if (is_folder(named)) {
    const Expected<Checkout> found = from_folder(named, build_name(build_dir));
    return found ? Expected<void>() : found.error();
  }
  const Expected<ResolvedRevision> found = resolve("--against", named, root, run);
  return found ? Expected<void>() : found.error();
}

}  // namespace lab::app
