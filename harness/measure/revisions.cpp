#include "harness/measure/revisions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string.hpp>
#include <boost/json.hpp>
#include <fstream>
#include <map>
#include <set>

#include "harness/base/glob.h"
#include "harness/base/hash.h"
#include "harness/base/json_file.h"
#include "harness/base/json_struct.h"
#include "harness/base/layout.h"
#include "harness/base/lock.h"
#include "harness/base/nearest.h"
#include "harness/base/usage_error.h"
#include "harness/measure/provenance.h"

namespace lab::measure {

namespace fs = std::filesystem;

namespace {

constexpr double kCheckoutSeconds = 600;  ///< a checkout of a large tree on a slow disk
constexpr double kBuildSeconds = 7200;    ///< and all its downloads
constexpr std::size_t kPlaceDigits = 8;   ///< distinguish two clones of one name

/// Messages of an old make.py when packages are unavailable.
constexpr std::array<std::string_view, 2> kLostPins{"could not fetch", "SPM_MIRROR"};

/// A glob that matches nothing: make.py configures, then refuses with kUsage. A make.py without --variant refuses at
/// once. No make.py has a verb that only configures.
constexpr std::string_view kNoVariant = "configure-only";

using Words = std::vector<std::string>;

/// What is built in a tree.
struct BuildStamp {
  std::string march;
  double seconds = 0;
  std::vector<std::string> variants;
};

LAB_JSON_STRUCT(BuildStamp, march, seconds, variants)

/// For make_build.
constexpr std::string_view kEverything = "";

std::set<std::string> not_in(const Words& built, const Words& wanted) {
  std::set<std::string> missing(wanted.begin(), wanted.end());
  for (const std::string& name : built) missing.erase(name);
  return missing;
}

/// The fewest globs for `missing`: one for a family if all its variants are missing.
Words globs_for(const std::vector<ListedVariant>& listed, const std::set<std::string>& missing) {
  if (missing.empty()) return {};
  std::map<std::string, Words> all, wanted;
  for (const ListedVariant& variant : listed) {
    all[variant.family].push_back(variant.name());
    if (missing.contains(variant.name())) wanted[variant.family].push_back(variant.name());
  }
  if (all == wanted) return {"*"};
  Words globs;
  for (const auto& [family, names] : wanted)
    if (names.size() == all[family].size())
      globs.push_back(family + "/*");
    else
      globs.insert(globs.end(), names.begin(), names.end());
  return globs;
}

std::string last_line(std::string_view text) {
  const std::string trimmed = boost::trim_copy(std::string(text));
  return boost::trim_copy(trimmed.substr(trimmed.rfind('\n') + 1));
}

/// git's error message, and its advice in the lines after it.
std::pair<std::string, std::string> error_and_advice(const std::string& git_output) {
  const std::string last = last_line(git_output);
  Words lines;
  boost::split(lines, git_output, boost::is_any_of("\n"));
  const auto fatal =
      std::find_if(lines.begin(), lines.end(), [](const auto& line) { return line.starts_with("fatal:"); });
  if (fatal == lines.end() || boost::trim_copy(*fatal) == last) return {last, ""};
  return {boost::trim_copy(*fatal), last};
}

std::string build_name(const results::BuildOptions& how) {
  return fmt::format("{}-{}", how.toolchain, how.config);
}

/// One call of a make.py.
struct MakeCall {
  ChildSpec spec;
  ChildOutcome outcome;

  bool ended_with(ExitStatus status) const {
    return outcome.end == ChildEnd::kExited && outcome.code == static_cast<int>(status);
  }
};

/// The bytes of all files in a folder.
std::uintmax_t bytes_of(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code none;
  for (fs::recursive_directory_iterator entry(folder, none), end; !none && entry != end; entry.increment(none))
    if (std::error_code unknown; entry->is_regular_file(unknown) && !entry->is_symlink(unknown))
      if (const std::uintmax_t size = entry->file_size(unknown); !unknown) bytes += size;
  return bytes;
}

/// One call of the tree's own `make.py build`, for one glob of its variants or for all. Its lines go to the log and to
/// `listener`.
MakeCall make_build(const Runner& run, const fs::path& tree, const fs::path& log_file, const results::BuildOptions& how,
                    std::string_view glob, const BuildListener& listener) {
  MakeCall call;
  call.spec.command = {"sh", "-c", R"(cd "$1" && shift && exec "$@" >&2)", "sh", tree.string(), "python3", "make.py"};
  call.spec.command.insert(call.spec.command.end(),
                           {"build", "--toolchain", how.toolchain, "--config", how.config, "--march", how.march});
  if (!glob.empty()) call.spec.command.insert(call.spec.command.end(), {"--variant", std::string(glob)});
  call.spec.environment = {"SPM_LIB", "LAB_BUILD", "LAB_ROOT", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"};
  call.spec.timeout_seconds = kBuildSeconds;
  std::ofstream log(log_file, std::ios::app);
  std::string line;
  bool refused = false;  // as expected
  const auto end_line = [&] {
    refused = refused || line.find(fmt::format("matches '{}'", kNoVariant)) != std::string::npos;
    if (!refused && !line.empty()) {
      log << line << std::endl;
      if (listener) listener(line);
    }
    line.clear();
  };
  call.spec.on_error = [&](std::string_view text) {
    for (const char c : text)
      if (c == '\n' || c == '\r')
        end_line();
      else
        line += c;
  };
  call.outcome = run(call.spec);
  end_line();
  call.spec.on_error = nullptr;
  return call;
}

/// Why `sha` is not built, by the call and its log.
BuildError not_built(const std::string& sha, const MakeCall& call, const fs::path& log_file) {
  using Kind = BuildError::Kind;
  if (call.outcome.end == ChildEnd::kStopped) return BuildError(Kind::kStopped, interrupted_error());
  const Expected<std::string> log = read_file(log_file);
  const std::string said = log ? *log : call.outcome.error_tail;
  if (std::any_of(kLostPins.begin(), kLostPins.end(),
                  [&](auto words) { return said.find(words) != std::string::npos; }))
    return BuildError(
        Kind::kLostPins,
        {fmt::format("commit {}: its packages cannot be fetched: {}", results::short_commit(sha), last_line(said)),
         "set SPM_MIRROR to a mirror that has them (made by: python3 make.py spm mirror push)"});
  return BuildError(Kind::kDoesNotBuild, {fmt::format("commit {} does not build: {}", results::short_commit(sha),
                                                      describe_end(call.spec, call.outcome)),
                                          log_file.string()});
}

}  // namespace

struct Revisions::Impl {
  fs::path repository;
  fs::path common;  ///< git's folder shared by all work trees
  fs::path folder;  ///< the folder of this repository in the cache
  Runner run;
  bool shallow = false;
  bool temporary = false;              ///< no tree is kept
  std::map<std::string, File> in_use;  ///< shared locks, by sha

  Expected<ChildOutcome> start(const ChildSpec& spec) const {
    ChildOutcome outcome = run(spec);
    if (outcome.end == ChildEnd::kStopped) return interrupted_error();
    if (outcome.end != ChildEnd::kExited)
      return Error{fmt::format("git {}: {}", spec.command.back(), describe_end(spec, outcome)),
                   "git must be installed and on PATH"};
    return outcome;
  }

  Expected<ChildOutcome> run_git(const fs::path& root, const Words& arguments) const {
    ChildSpec spec = git_command(root, arguments);
    spec.timeout_seconds = kCheckoutSeconds;
    return start(spec);
  }

  /// The output of git without its last line end; on a failure, an error with git's own message.
  Expected<std::string> git(const Words& arguments) const {
    Expected<ChildOutcome> outcome = run_git(repository, arguments);
    if (!outcome) return outcome.error();
    if (outcome->code != 0) {
      const auto [message, advice] = error_and_advice(outcome->error_tail);
      return Error{fmt::format("git {} in '{}': {}", arguments.front(), repository.string(), message), advice};
    }
    boost::trim_right(outcome->output);
    return std::move(outcome->output);
  }

  std::string unshallow() const {
    return shallow ? fmt::format("the clone is shallow: git -C {} fetch --unshallow", repository.string()) : "";
  }

  fs::path tree(const std::string& sha) const { return folder / results::short_commit(sha); }
  fs::path path_next_to_tree(const std::string& sha, std::string_view ending) const {
    return folder / fmt::format("{}.{}", results::short_commit(sha), ending);
  }

  /// Whether the tree is complete, at this commit and in this repository.
  bool is_valid_tree(const std::string& sha) const {
    if (std::error_code none; !fs::exists(path_next_to_tree(sha, "tree"), none)) return false;
    const Expected<ChildOutcome> head = run_git(tree(sha), {"rev-parse", "--show-toplevel", "HEAD"});
    std::error_code none;
    return head && head->code == 0 && last_line(head->output) == sha &&
           fs::equivalent(head->output.substr(0, head->output.find('\n')), tree(sha), none);
  }

  /// Undoes a command's changes to files of the commit; files that it built are kept. Does nothing while another
  /// process uses the tree. False if git fails: the tree must then be made again.
  bool restore(const std::string& sha) const {
    const Expected<File> alone = lock_file(path_next_to_tree(sha, "lock"), LockKind::kTryExclusive);
    if (alone && alone->get() < 0) return true;
    const Expected<ChildOutcome> reset = run_git(tree(sha), {"reset", "--quiet", "--hard"});
    return reset && reset->code == 0;
  }

  Expected<void> remove(const std::string& sha) const {
    std::error_code problem;
    fs::remove(path_next_to_tree(sha, "tree"), problem);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, problem))
      if (const std::string name = entry.path().filename().string();
          name.starts_with(results::short_commit(sha) + ".") && name.ends_with(".built"))
        fs::remove(entry.path(), problem);
    fs::remove_all(tree(sha), problem);
    if (problem) return Error{fmt::format("removing '{}': {}", tree(sha).string(), problem.message()), ""};
    forget_removed();
    return {};
  }

  /// Removes git's records of this folder's trees that no longer exist, whoever removed them. `git worktree prune`
  /// would also remove records of other users' trees, and could not run after an interrupt.
  void forget_removed() const {
    std::error_code none;
    const fs::path ours = fs::weakly_canonical(folder, none);
    for (const fs::directory_entry& entry : fs::directory_iterator(common / "worktrees", none)) {
      const Expected<std::string> link = read_file(entry.path() / "gitdir");
      if (!link) continue;
      const fs::path file = fs::weakly_canonical(entry.path() / boost::trim_copy(*link), none);
      if (file.parent_path().parent_path() == ours && !fs::exists(file, none)) fs::remove_all(entry.path(), none);
    }
    // git also does this after the last one; it fails if there are others.
    fs::remove(common / "worktrees", none);
  }

  /// Removes every tree that no other process uses.
  void remove_all() {
    in_use.clear();
    const Expected<File> alone = lock_file(folder / "lock", LockKind::kExclusive);
    if (!alone) return;
    std::error_code none;
    std::set<std::string> trees;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, none))
      if (entry.is_directory(none)) trees.insert(entry.path().filename().string());
    for (const std::string& sha : trees) {
      const Expected<File> unused = lock_file(path_next_to_tree(sha, "lock"), LockKind::kTryExclusive);
      // These locks are only requested under the folder's lock, so no process waits for the file that is removed.
      if (unused && unused->get() >= 0 && remove(sha)) fs::remove(path_next_to_tree(sha, "lock"), none);
    }
  }

  /// Requires the folder's lock. Removes the least recently used trees, except those in use.
  void remove_least_recently_used() const {
    std::vector<std::pair<fs::file_time_type, std::string>> trees;
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, none))
      if (entry.path().extension() == ".tree")
        trees.emplace_back(entry.last_write_time(none), entry.path().stem().string());
    std::sort(trees.rbegin(), trees.rend());
    std::uintmax_t bytes = 0;
    for (std::size_t i = 0; i < trees.size(); ++i) {
      if (!temporary) bytes += bytes_of(tree(trees[i].second));  // another repository may be large, and is not kept
      if (i < kKeptTrees && (i == 0 || bytes <= kKeptBytes)) continue;
      const Expected<File> alone = lock_file(path_next_to_tree(trees[i].second, "lock"), LockKind::kTryExclusive);
      if (alone && alone->get() >= 0) static_cast<void>(remove(trees[i].second));
    }
  }

  /// Requires the folder's lock.
  Expected<void> make(const std::string& sha) {
    const Expected<File> alone = lock_file(path_next_to_tree(sha, "lock"), LockKind::kTryExclusive);
    if (!alone) return alone.error();
    if (alone->get() < 0)
      return Error{fmt::format("the work tree '{}' is broken, and another process uses it", tree(sha).string()),
                   "wait until that process ends, or end it, and try again"};
    if (const Expected<void> gone = remove(sha); !gone) return gone.error();
    // --force twice: if git is killed during this command, it leaves a locked entry.
    const Expected<std::string> added =
        git({"worktree", "add", "--detach", "--force", "--force", tree(sha).string(), sha});
    if (!added) return added.error();
    return write_file(path_next_to_tree(sha, "tree"), sha + "\n");
  }

  fs::path stamp_of(const std::string& sha, const results::BuildOptions& how) const {
    return path_next_to_tree(sha, build_name(how) + ".built");
  }

  /// Nothing counts as built if there is no readable stamp, or it is for another processor level.
  BuildStamp read_stamp(const std::string& sha, const results::BuildOptions& how) const {
    BuildStamp none;
    none.march = how.march;
    const Expected<BuildStamp> stamp = read_json_file<BuildStamp>(stamp_of(sha, how));
    return stamp && stamp->march == how.march ? *stamp : none;
  }
};

Revisions::Revisions(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Revisions::Revisions(Revisions&&) noexcept = default;
Revisions& Revisions::operator=(Revisions&&) noexcept = default;
Revisions::~Revisions() {
  if (impl_ && impl_->temporary) impl_->remove_all();
  if (!impl_ || impl_->temporary || impl_->in_use.empty()) return;
  impl_->in_use.clear();
  const Expected<File> alone = lock_file(impl_->folder / "lock", LockKind::kTryExclusive);
  if (alone && alone->get() >= 0) impl_->remove_least_recently_used();
}

fs::path Revisions::default_cache() {
  return place_for(root_dir(), "build/revisions");
}

Expected<Revisions> Revisions::open(const fs::path& repository, const fs::path& cache, Runner run) {
  auto impl = std::make_unique<Impl>();
  impl->repository = fs::absolute(repository).lexically_normal();
  impl->run = std::move(run);
  if (!fs::is_directory(repository))
    return usage_error(fmt::format("expected a folder of a git repository, found no folder '{}'", repository.string()));
  const Expected<std::string> common =
      impl->git({"rev-parse", "--path-format=absolute", "--git-common-dir", "--is-shallow-repository"});
  if (!common) {
    if (common.error().status == ExitStatus::kInterrupted) return common.error();
    return usage_error(fmt::format("expected a git repository at '{}': {}", repository.string(), common.error().what),
                       common.error().hint);
  }
  const fs::path place = common->substr(0, common->find('\n'));
  impl->common = place;
  impl->shallow = last_line(*common) == "true";
  const fs::path named = place.filename() == ".git" ? place.parent_path() : place;
  impl->folder = fs::absolute(cache) /
                 fmt::format("{}-{}", named.filename().string(), content_name(place.string()).substr(0, kPlaceDigits));
  std::error_code problem;
  fs::create_directories(impl->folder, problem);
  if (problem) return Error{fmt::format("creating '{}': {}", impl->folder.string(), problem.message()), ""};
  return Revisions(std::move(impl));
}

Expected<std::string> Revisions::resolve(std::string_view revision) const {
  const Expected<ChildOutcome> found =
      impl_->run_git(impl_->repository,
                     {"rev-parse", "--verify", "--quiet", "--end-of-options", fmt::format("{}^{{commit}}", revision)});
  if (!found) return found.error();
  if (found->code == 0) return boost::trim_copy(found->output);
  const Expected<std::string> refs = impl_->git({"for-each-ref", "--format=%(refname:short)"});
  if (!refs) return refs.error();
  Words names;
  boost::split(names, *refs, boost::is_any_of("\n"));
  const std::string nearest = nearest_name(revision, names);
  std::string hint = nearest.empty() ? impl_->unshallow() : fmt::format("did you mean '{}'?", nearest);
  if (hint.empty()) hint = fmt::format("git -C {} log --oneline", impl_->repository.string());
  return usage_error(fmt::format("expected a commit of '{}', found '{}'", impl_->repository.string(), revision),
                     std::move(hint));
}

Expected<results::Commit> Revisions::describe(const std::string& sha) const {
  const Expected<std::string> line = impl_->git({"log", "-1", "--format=%P%n%s", sha});
  if (!line) return line.error();
  const std::size_t end = std::min(line->find('\n'), line->size());
  return results::Commit{sha, line->substr(std::min(end + 1, line->size())),
                         line->substr(0, end).find(' ') != std::string::npos};
}

Expected<std::vector<results::Commit>> Revisions::between(const std::string& good, const std::string& bad) const {
  if (good == bad)
    return usage_error(fmt::format("expected two commits, found {} for both ends", results::short_commit(good)),
                       "git log --oneline");
  const auto is_ancestor = [&](const std::string& older, const std::string& newer) {
    const Expected<ChildOutcome> answer =
        impl_->run_git(impl_->repository, {"merge-base", "--is-ancestor", older, newer});
    return answer ? Expected<bool>(answer->code == 0) : answer.error();
  };
  const Expected<bool> forward = is_ancestor(good, bad);
  if (!forward) return forward.error();
  if (!*forward) {
    const Expected<bool> backward = is_ancestor(bad, good);
    if (!backward) return backward.error();
    std::string hint = *backward ? "--good is newer than --bad: swap the two" : impl_->unshallow();
    if (hint.empty())
      hint = fmt::format("git merge-base {} {} is an ancestor of both", results::short_commit(good),
                         results::short_commit(bad));
    return usage_error(
        fmt::format("expected the good commit {} to be an ancestor of the bad one {}, found that it is not",
                    results::short_commit(good), results::short_commit(bad)),
        std::move(hint));
  }
  const Expected<std::string> log =
      impl_->git({"log", "--ancestry-path", "--format=%H%n%P%n%s", fmt::format("{}..{}", good, bad)});
  if (!log) return log.error();
  struct LoggedCommit {
    Words parents;
    std::string subject;
  };
  std::map<std::string, LoggedCommit> logged;
  Words lines;
  boost::split(lines, *log, boost::is_any_of("\n"));
  for (std::size_t i = 0; i + 1 < lines.size(); i += 3) {
    LoggedCommit& commit = logged[lines[i]];
    boost::split(commit.parents, lines[i + 1], boost::is_any_of(" "));
    if (i + 2 < lines.size()) commit.subject = lines[i + 2];
  }
  std::vector<results::Commit> path;
  for (std::string at = bad; at != good;) {
    const auto commit = logged.find(at);
    const auto descends = [&](const std::string& parent) { return parent == good || logged.contains(parent); };
    const Words none;
    const Words& parents = commit == logged.end() ? none : commit->second.parents;
    const auto parent = std::find_if(parents.begin(), parents.end(), descends);
    if (parent == parents.end())
      return Error{fmt::format("the path from {} to {} ends at {}", results::short_commit(bad),
                               results::short_commit(good), results::short_commit(at)),
                   impl_->unshallow()};
    path.push_back({at, commit->second.subject, parents.size() > 1});
    at = *parent;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

Expected<fs::path> Revisions::checkout(const std::string& sha) {
  Impl& impl = *impl_;
  const fs::path tree = impl.tree(sha);
  if (impl.in_use.contains(sha) && fs::exists(tree)) return tree;
  const Expected<File> folder = lock_file(impl.folder / "lock", LockKind::kExclusive);
  if (!folder) return folder.error();
  if (!impl.is_valid_tree(sha) || !impl.restore(sha))
    if (const Expected<void> made = impl.make(sha); !made)
      return in_context(fmt::format("a work tree of {}", results::short_commit(sha)), made.error());
  Expected<File> used = lock_file(impl.path_next_to_tree(sha, "lock"), LockKind::kShared);
  if (!used) return used.error();
  impl.in_use[sha] = std::move(*used);
  std::error_code none;
  fs::last_write_time(impl.path_next_to_tree(sha, "tree"), fs::file_time_type::clock::now(), none);
  impl.remove_least_recently_used();
  return tree;
}

fs::path Revisions::log_of(const std::string& sha) const {
  return impl_->path_next_to_tree(sha, "log");
}

bool Revisions::is_of(const fs::path& folder) const {
  const Expected<ChildOutcome> found =
      impl_->run_git(folder, {"rev-parse", "--path-format=absolute", "--git-common-dir"});
  std::error_code none;
  return found && found->code == 0 && fs::equivalent(boost::trim_copy(found->output), impl_->common, none);
}

void Revisions::remove_trees_at_end() {
  impl_->temporary = true;
}

bool Revisions::is_built(const std::string& sha, const results::BuildOptions& how, const VariantChoice& choice) const {
  const auto listed = read_variants(impl_->tree(sha) / "build" / build_name(how));
  return listed && not_in(impl_->read_stamp(sha, how).variants, choice(*listed)).empty();
}

boost::system::result<BuiltCommit, BuildError> Revisions::build(const std::string& sha,
                                                                const results::BuildOptions& how,
                                                                const VariantChoice& choice,
                                                                const BuildListener& listener) {
  using Kind = BuildError::Kind;
  const Expected<fs::path> tree = checkout(sha);
  if (!tree) return BuildError(Kind::kStopped, tree.error());
  if (!fs::exists(*tree / "make.py"))
    return BuildError(Kind::kDoesNotBuild, {fmt::format("commit {} has no make.py", results::short_commit(sha)), ""});
  BuiltCommit built{sha, *tree, *tree / "build" / build_name(how), 0};
  std::error_code none;
  if (!is_built(sha, how, choice)) fs::remove(log_of(sha), none);
  const auto make = [&](std::string_view glob) {
    return make_build(impl_->run, impl_->tree(sha), log_of(sha), how, glob, listener);
  };

  Expected<std::vector<ListedVariant>> listed = read_variants(built.build_dir);
  if (!listed) {
    MakeCall call = make(kNoVariant);
    listed = read_variants(built.build_dir);
    if (!listed && call.ended_with(ExitStatus::kUsage)) {
      call = make(kEverything);
      listed = read_variants(built.build_dir);
    }
    if (!listed) return not_built(sha, call, log_of(sha));
  }
  BuildStamp stamp = impl_->read_stamp(sha, how);
  std::set<std::string> missing = not_in(stamp.variants, choice(*listed));
  for (const std::string& glob : globs_for(*listed, missing)) {
    MakeCall call = make(glob);
    const bool whole = call.ended_with(ExitStatus::kUsage);
    if (whole) call = make(kEverything);
    if (!call.ended_with(ExitStatus::kOk)) return not_built(sha, call, log_of(sha));
    stamp.seconds += call.outcome.wall_seconds;
    for (const ListedVariant& variant : *listed)
      if (whole || glob_matches(glob, variant.name())) stamp.variants.push_back(variant.name());
    if (const Expected<void> stamped =
            write_file(impl_->stamp_of(sha, how), boost::json::serialize(to_json(stamp)) + "\n");
        !stamped)
      return BuildError(Kind::kStopped, stamped.error());
    if (whole) break;
  }
  built.seconds = stamp.seconds;
  return built;
}

}  // namespace lab::measure
