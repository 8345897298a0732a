/// Git revisions of a repository as trees of their own, and those of a laboratory as built ones.
///
/// Each is a detached worktree, <cache>/<repository>-<hash of its place>/<first 12 digits>, kept for the next time; the
/// kKeptTrees used last stay, with what was built in them, unless all of them are to go at the end; files of the commit
/// are put back at each checkout. The repository's own work tree is never touched and its hooks are not run. A tree
/// counts once its stamp lies beside it, so what a kill left half-made is made anew. Several processes may share a
/// cache: trees are made one at a time (flock), and one that somebody uses is neither put back nor removed. A tree is
/// built variant by variant, as they are asked for.
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

/// Which of the variants that a commit lists are to be built, as "family/variant".
using Choice = std::function<std::vector<std::string>(const std::vector<measure::ListedVariant>&)>;

/// Is told every line of the build as it comes.
using Listener = std::function<void(std::string_view line)>;

struct Built {
  std::string commit;
  std::filesystem::path tree;
  std::filesystem::path build_dir;  ///< <tree>/build/<toolchain>-<config>
  double seconds = 0;               ///< that building took, of all its variants so far
};

/// Why a commit has no build; what and hint say more.
struct BuildError : Error {
  enum class Kind {
    kDoesNotBuild,  ///< the commit's own fault: others may do
    kLostPins,      ///< its packages cannot be fetched: a mirror may help
    kStopped,       ///< interrupted, or something that stops every commit alike (no disk space, no git)
  };
  BuildError() = default;
  BuildError(Kind why, Error error) : Error(std::move(error)), kind(why) {}
  Kind kind = Kind::kStopped;
};

class Revisions {
 public:
  /// `repository`: any folder in it. `run` starts every child; a kStopped outcome is an error with status 130.
  static Expected<Revisions> open(const std::filesystem::path& repository, const std::filesystem::path& cache,
                                  Runner run);
  /// <root>/build/revisions of this laboratory.
  static std::filesystem::path default_cache();

  Revisions(Revisions&&) noexcept;
  Revisions& operator=(Revisions&&) noexcept;
  ~Revisions();

  /// The full sha of a branch, tag, sha or expression; else a sentence with the nearest name, or with what to do about
  /// a shallow clone.
  Expected<std::string> resolve(std::string_view revision) const;

  /// The path from `good` (exclusive) to `bad` (inclusive), each commit a child of the one before: from `bad` back
  /// along the first parent that descends from `good`. Both are full shas. An error where `good` is no ancestor of
  /// `bad`.
  Expected<std::vector<results::Commit>> between(const std::string& good, const std::string& bad) const;

  Expected<results::Commit> describe(const std::string& sha) const;

  /// A worktree of the commit, made where there is none yet. It stays while this object lives.
  Expected<std::filesystem::path> checkout(const std::string& sha);

  /// Builds the chosen variants of the commit by its own `make.py build`, with the same store and with a lib of its
  /// own; all of them where that make.py cannot build one alone. What the build says is in log_of(sha). What is built
  /// already is not built again.
  boost::system::result<Built, BuildError> build(const std::string& sha, const results::BuildOptions& how,
                                                 const Choice& choice, const Listener& listener = {});
  bool is_built(const std::string& sha, const results::BuildOptions& how, const Choice& choice) const;
  std::filesystem::path log_of(const std::string& sha) const;

  /// Whether `folder` lies in the same repository, in whatever work tree of it.
  bool is_of(const std::filesystem::path& folder) const;
  /// From now on every tree goes with this object, and those that a kill left behind: the repository is then as it was.
  /// A tree that another process uses stays.
  void remove_trees_at_end();

 private:
  struct State;
  explicit Revisions(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace lab::measure
