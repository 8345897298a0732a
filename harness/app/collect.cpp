#include "harness/app/collect.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <set>
#include <system_error>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/lock.h"
#include "harness/base/open_file.h"
#include "harness/base/usage_error.h"
#include "harness/measure/plan.h"
#include "harness/results/inbox.h"
#include "harness/results/result.h"
#include "harness/results/result_name.h"

namespace lab::app {

namespace fs = std::filesystem;

namespace {

bool is_taken(const fs::path& path) {
  std::error_code none;
  return fs::symlink_status(path, none).type() != fs::file_type::not_found;
}

/// A power cut then loses no rename in this folder.
void sync_folder(const fs::path& folder) {
  const File file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.get() >= 0) ::fsync(file.get());
}

/// Copies a file or a folder.
Expected<void> copy_to(const fs::path& from, const fs::path& to) {
  if (fs::is_regular_file(fs::symlink_status(from))) {
    const Expected<std::string> content = read_file(from);
    return content ? write_file(to, *content) : content.error();
  }
  std::error_code problem;
  fs::create_directories(to, problem);
  for (fs::directory_iterator at(from, problem), end; !problem && at != end; at.increment(problem))
    if (const Expected<void> copied = copy_to(at->path(), to / at->path().filename()); !copied) return copied;
  return problem ? file_error("copying", from, problem.value()) : Expected<void>();
}

/// Renames; between two file systems, copies, renames and removes. `to` is free.
Expected<void> move_to(const fs::path& from, const fs::path& to) {
  std::error_code problem;
  fs::create_directories(to.parent_path(), problem);
  if (problem) return file_error("creating", to.parent_path(), problem.value());
  if (::rename(from.c_str(), to.c_str()) == 0) return {};
  if (errno != EXDEV) return file_error("moving", from, errno);
  const fs::path temporary = to.parent_path() / fmt::format("{}{}", results::kTemporary, to.filename().string());
  fs::remove_all(temporary, problem);
  const Expected<void> copied = copy_to(from, temporary);
  if (copied) {
    fs::rename(temporary, to, problem);
    if (!problem) sync_folder(to.parent_path());
    if (!problem) fs::remove_all(from, problem);
  } else {
    std::error_code ignored;
    fs::remove_all(temporary, ignored);
  }
  return problem ? file_error("moving", from, problem.value()) : copied;
}

/// Whether another program has the file open for writing. False also where the system cannot say.
bool is_being_written(const fs::path& path) {
  const File file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  // Who opens the file meanwhile sends a signal, by default one that ends this process.
  if (file.get() < 0 || ::fcntl(file.get(), F_SETSIG, SIGURG) != 0) return false;
  if (::fcntl(file.get(), F_SETLEASE, F_RDLCK) != 0) return errno == EAGAIN;
  ::fcntl(file.get(), F_SETLEASE, F_UNLCK);
  return false;
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISLNK(mode)) return "a link";
  if (S_ISFIFO(mode)) return "a pipe";
  return S_ISREG(mode) ? "a file" : "a device or a socket";
}

/// The result in a file of the inbox of `machine`, or the sentence why it is none.
Expected<results::Result> checked(const fs::path& path, const std::string& machine, const struct stat& found) {
  const auto wrong = [](std::string why) { return usage_error(std::move(why)); };
  if (!S_ISREG(found.st_mode)) return wrong(fmt::format("expected a file, found {}", kind_of(found.st_mode)));
  if (!results::is_result_name(path.filename().string()))
    return wrong("expected a result, whose name ends in .json or .json.zst");
  if (static_cast<std::size_t>(found.st_size) > measure::kMostResultBytes)
    return wrong(fmt::format("expected at most {} bytes, found {}", measure::kMostResultBytes, found.st_size));
  Expected<results::Result> result = results::load_result(path);
  if (!result) {
    // The sentence stands beside the file, which has another path then.
    const std::string name = path.string() + ": ", why = result.error().what;
    return wrong(why.starts_with(name) ? why.substr(name.size()) : why);
  }
  if (!results::is_machine_name(machine))
    return wrong(fmt::format("expected a machine's name for its folder, found '{}'", machine));
  if (result->machine.id != machine)
    return wrong(fmt::format("expected a result of '{}', as its folder is named, found one of '{}'", machine,
                             result->machine.id));
  return result;
}

bool is_same(const fs::path& a, const fs::path& b) {
  if (a.extension() == b.extension()) {
    const Expected<std::string> one = read_file(a), other = read_file(b);
    return one && other && *one == *other;
  }
  // One of them is compressed.
  const Expected<results::Result> one = results::load_result(a), other = results::load_result(b);
  return one && other && results::serialize(*one) == results::serialize(*other);
}

/// Takes the inbox of one machine.
class MachineInbox {
 public:
  MachineInbox(fs::path results, const std::string& machine)
      : results_(std::move(results)), inbox_(results_ / results::kInbox / machine), folder_(results_ / machine) {
    done_.machine = machine;
  }

  CollectedMachine take() {
    std::set<std::string> names;
    std::error_code problem;
    for (fs::directory_iterator at(inbox_, problem), end; !problem && at != end; at.increment(problem))
      names.insert(at->path().filename().string());
    if (problem) leave(inbox_, file_error("reading", inbox_, problem.value()).what);
    std::error_code missing;
    for (fs::directory_iterator at(folder_, missing), end; !missing && at != end; at.increment(missing))
      if (std::string name = at->path().filename(); results::is_result_name(name)) there_.insert(std::move(name));
    for (const std::string& name : names)
      if (!results::is_temporary(name)) take(name);
    if (!done_.collected.empty()) {
      sync_folder(folder_);
      sync_folder(inbox_);
    }
    return std::move(done_);
  }

 private:
  void take(const std::string& name) {
    const fs::path path = inbox_ / name;
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0) return;  // moved with another
    // Exhibits come before their result, and move with it.
    if (name.ends_with(S_ISDIR(found.st_mode) ? ".exhibits" : ".exhibits.tar.zst")) return;
    if (S_ISREG(found.st_mode) && is_being_written(path)) return;
    const Expected<results::Result> result = checked(path, done_.machine, found);
    if (result)
      collect(name, *result);
    else
      quarantine(name, result.error().what);
  }

  void collect(const std::string& name, const results::Result& result) {
    const fs::path path = inbox_ / name;
    const Expected<std::string> content = read_file(path);
    if (!content) return leave(path, content.error().what);
    const std::string second = results::second_name(name, *content);
    std::string other;  // a file of the same session with another content
    for (const std::string& there : names_like({std::string(results::result_base(name)), result.session.id})) {
      if (is_same(path, folder_ / there)) return drop(name, there);
      const Expected<results::Result> head = results::load_result_head(folder_ / there);
      if (head && head->session.id == result.session.id) other = relative(folder_ / there);
    }
    const bool is_free = std::ranges::none_of(
        there_, [&](const std::string& one) { return results::result_base(one) == results::result_base(name); });
    const std::string as = is_free ? name : second;
    if (const Expected<void> moved = move_exhibits(name, folder_, as); !moved) return leave(path, moved.error().what);
    if (const Expected<void> moved = move_to(path, folder_ / as); !moved) return leave(path, moved.error().what);
    there_.insert(as);
    done_.collected.push_back(relative(folder_ / as));
    if (!other.empty())
      done_.contradicting.push_back(
          {done_.collected.back(),
           fmt::format("session {} is also in '{}', with other contents: neither is in a series", result.session.id,
                       other)});
  }

  /// The collected results that are named after one of `stems`, also with a second name.
  std::set<std::string> names_like(const std::set<std::string>& stems) const {
    std::set<std::string> found;
    for (const std::string& stem : stems)
      for (auto at = there_.lower_bound(stem); !stem.empty() && at != there_.end() && at->starts_with(stem); ++at)
        if ((*at)[stem.size()] == '.' || (*at)[stem.size()] == '-') found.insert(*at);
    return found;
  }

  /// To those of the result `as` in `folder`. What is there is left of a move that was killed, or of an earlier
  /// delivery of the same.
  Expected<void> move_exhibits(const std::string& name, const fs::path& folder, const std::string& as) {
    const auto from = results::exhibits_of(name), to = results::exhibits_of(as);
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (!is_taken(inbox_ / from[i])) continue;
      std::error_code problem;
      fs::remove_all(folder / to[i], problem);
      if (problem) return file_error("removing", folder / to[i], problem.value());
      if (const Expected<void> moved = move_to(inbox_ / from[i], folder / to[i]); !moved) return moved;
    }
    return {};
  }

  static bool has_exhibits(const fs::path& folder, const std::string& name) {
    return std::ranges::any_of(results::exhibits_of(name),
                               [&](const std::string& one) { return is_taken(folder / one); });
  }

  /// Removes a result that is there already; its exhibits are taken if they are missing there.
  void drop(const std::string& name, const std::string& there) {
    if (!has_exhibits(folder_, there))
      if (const Expected<void> moved = move_exhibits(name, folder_, there); !moved)
        return leave(inbox_ / name, moved.error().what);
    std::error_code problem;
    for (const std::string& exhibits : results::exhibits_of(name))
      if (!problem) fs::remove_all(inbox_ / exhibits, problem);
    if (!problem) fs::remove(inbox_ / name, problem);
    if (problem) return leave(inbox_ / name, file_error("removing", inbox_ / name, problem.value()).what);
    done_.there.push_back(relative(folder_ / there));
  }

  void quarantine(const std::string& name, const std::string& why) {
    const fs::path folder = results_ / results::kQuarantine / done_.machine;
    std::string as = name;
    for (int number = 2; is_taken(folder / as) || has_exhibits(folder, as); ++number)
      as = fmt::format("{}-{}", name, number);
    // The reason first: a file without one would explain nothing.
    Expected<void> done = write_file(folder / (as + std::string(results::kWhy)), why + "\n");
    if (done && results::is_result_name(name)) done = move_exhibits(name, folder, as);
    if (done) done = move_to(inbox_ / name, folder / as);
    if (!done) return leave(inbox_ / name, fmt::format("{}; and it is no result: {}", done.error().what, why));
    done_.quarantined.push_back({relative(folder / as), why});
  }

  void leave(const fs::path& file, const std::string& why) { done_.left.push_back({relative(file), why}); }
  std::string relative(const fs::path& path) const { return path.lexically_relative(results_).string(); }

  fs::path results_, inbox_, folder_;
  std::set<std::string> there_;  ///< the names of collected results
  CollectedMachine done_;
};

}  // namespace

Expected<std::vector<CollectedMachine>> collect(const CollectRequest& request) {
  std::error_code missing;
  if (!fs::is_directory(request.results, missing))
    return usage_error(fmt::format("expected a results folder at '{}', found {}", request.results.string(),
                                   fs::exists(request.results, missing) ? "a file" : "nothing"),
                       "--results DIR");
  const fs::path inbox = request.results / results::kInbox;
  std::vector<CollectedMachine> all;
  if (!request.from && !fs::exists(inbox, missing)) return all;
  const Expected<File> lock = lock_file(request.results / "collect.lock", LockKind::kExclusive);
  if (!lock) return lock.error();
  std::set<std::string> machines;
  std::error_code problem;
  if (request.from) {
    const Expected<std::vector<Explained>> left = fetch_inbox(request.results, *request.from, request.stop_file);
    if (!left) return in_context(fmt::format("fetching from '{}'", *request.from), left.error());
    if (!left->empty()) {
      all.emplace_back().machine = *request.from;
      all.back().left = *left;
    }
  }
  for (fs::directory_iterator at(inbox, problem), end; !problem && at != end; at.increment(problem))
    if (const std::string name = at->path().filename(); at->is_directory() && !results::is_temporary(name))
      machines.insert(name);
  if (problem && problem != std::errc::no_such_file_or_directory) return file_error("reading", inbox, problem.value());
  for (const std::string& machine : machines) {
    CollectedMachine done = MachineInbox(request.results, machine).take();
    if (done.has_anything()) all.push_back(std::move(done));
  }
  return all;
}

}  // namespace lab::app
