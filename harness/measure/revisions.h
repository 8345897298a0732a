/// Checks out git revisions of a repository as separate trees, and builds those of a laboratory.
///
/// Each tree is a detached worktree, <cache>/<repository>-<hash of its place>/<first 12 digits>, and is reused. The
/// kKeptTrees used last are kept with their builds, of kKeptBytes at most (trees in use count, but stay), unless all
/// are to be removed at the end; each checkout restores the commit's files. The repository's own work tree is never
/// changed and its hooks are not run. A tree is valid only if its stamp lies next to it, so an incomplete tree after a
/// kill is made again. Several processes may share a cache: trees are made one at a time (flock), and a tree in use is
/// neither restored nor removed. Variants of a tree are built on request.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/measure/catalog.h"
#include "harness/results/commit.h"

namespace lab::measure {

inline constexpr std::size_t kKeptTrees = 40;
inline constexpr std::uintmax_t kKeptBytes = std::uintmax_t{2} << 30;

/// Chooses which of a commit's listed variants to build, as "family/variant".
using VariantChoice = std::function<std::vector<std::string>(const std::vector<ListedVariant>&)>;

/// Receives every line of the build output as it arrives.
using BuildListener = std::function<void(std::string_view line)>;

struct BuiltCommit {
  std::string commit;
  std::filesystem::path tree;
  std::filesystem::path build_dir;  ///< <tree>/build/<toolchain>-<config>
  double seconds = 0;               ///< build time of all its variants so far
};

/// Why a commit has no build; details are in what and hint.
struct BuildError : Error {
  enum class Kind {
    kDoesNotBuild,  ///< caused by the commit: others may build
    kLostPins,      ///< its packages cannot be fetched: a mirror may help
    kStopped,       ///< interrupted, or a cause that affects every commit (no disk space, no git)
  };
  BuildError() = default;
  BuildError(Kind why, Error error) : Error(std::move(error)), kind(why) {}
  Kind kind = Kind::kStopped;
};

class Revisions {
 public:
  /// `repository`: any folder in it. `run` runs every child; a kStopped outcome is an error with status 130.
  static Expected<Revisions> open(const std::filesystem::path& repository, const std::filesystem::path& cache,
                                  Runner run);
  /// <root>/build/revisions of this laboratory.
  static std::filesystem::path default_cache();

  Revisions(Revisions&&) noexcept;
  Revisions& operator=(Revisions&&) noexcept;
  ~Revisions();

  /// The full sha of a branch, tag, sha or expression; otherwise an error with the nearest name, or with advice for a
  /// shallow clone.
  Expected<std::string> resolve(std::string_view revision) const;

  /// The path from `good` (exclusive) to `bad` (inclusive), each commit a child of the one before: from `bad` back
  /// along the first parent that descends from `good`. Both are full shas. An error if `good` is no ancestor of `bad`.
  Expected<std::vector<results::Commit>> between(const std::string& good, const std::string& bad) const;

  Expected<results::Commit> describe(const std::string& sha) const;

  /// A worktree of the commit, made if missing. It is kept while this object lives.
  Expected<std::filesystem::path> checkout(const std::string& sha);

  /// Builds the chosen variants of the commit with its own `make.py build`, with the same store and a separate lib; all
  /// variants if that make.py cannot build one alone. The build output is in log_of(sha). Variants that are already
  /// built are not built again.
  boost::system::result<BuiltCommit, BuildError> build(const std::string& sha, const results::BuildOptions& how,
                                                       const VariantChoice& choice, const BuildListener& listener = {});
  bool is_built(const std::string& sha, const results::BuildOptions& how, const VariantChoice& choice) const;
  std::filesystem::path log_of(const std::string& sha) const;

  /// Whether `folder` lies in the same repository, in any of its work trees.
  bool is_of(const std::filesystem::path& folder) const;
  /// From now on, all trees are removed with this object, including those left by a kill: the repository is then as
  /// before. A tree that another process uses is kept.
  void remove_trees_at_end();

 private:
  struct Impl;
  explicit Revisions(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lab::measure
