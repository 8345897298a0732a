#include "harness/results/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/layout.h"
#include "harness/base/lock.h"
#include "harness/base/utc.h"
#include "harness/results/commit.h"
#include "harness/results/described.h"
#include "harness/results/result_name.h"

namespace lab::results {

namespace fs = std::filesystem;

namespace {

constexpr int kMostNames = 1000;

/// Appends all or nothing; 0 or errno.
int append_synced(const File& opened, std::string_view line) {
  const int file = opened.get();
  const off_t before = ::lseek(file, 0, SEEK_END);
  if (before < 0) return errno;
  int code = 0;
  for (std::size_t done = 0; done < line.size() && code == 0;) {
    const ssize_t put = ::write(file, line.data() + done, line.size() - done);
    if (put > 0) done += static_cast<std::size_t>(put);
    if (put < 0 && errno != EINTR) code = errno;
  }
  if (code == 0 && ::fdatasync(file) != 0) code = errno;
  // If this fails too, the incomplete line is the last one and readers ignore it.
  if (code != 0) static_cast<void>(::ftruncate(file, before) == 0);
  return code;
}

/// Renames the journal to `name`. False if `name` exists.
Expected<bool> take_name(const fs::path& unnamed, const fs::path& name) {
  if (::renameat2(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno == EEXIST) return false;
  if (errno != EINVAL && errno != ENOSYS) return file_error("creating", name, errno);
  // This file system has no RENAME_NOREPLACE. It may have hard links, which never replace.
  if (::link(unnamed.c_str(), name.c_str()) != 0) {
    if (errno == EEXIST) return false;
    return file_error("creating", name, errno);
  }
  ::unlink(unnamed.c_str());
  return true;
}

/// Opens and locks a leftover; none (-1) if a running session holds it.
File lock_leftover(const fs::path& path) {
  File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat now {};
  // Between open and lock its session may have finished and removed it.
  const bool ours = file.get() >= 0 && try_lock(file) == 0 && ::fstat(file.get(), &now) == 0 && now.st_nlink > 0;
  return ours ? std::move(file) : File();
}

/// Whether there is such a result, packed or not.
bool is_there(const fs::path& result) {
  return fs::exists(result) || fs::exists(other_name(result.native()));
}

fs::path free_result_path(const fs::path& journal) {
  fs::path path = fs::path(journal).replace_extension(".json");
  for (int i = 2; is_there(path) && i < kMostNames; ++i)
    path = journal.parent_path() / fmt::format("{}-{}.json", journal.stem().string(), i);
  return path;
}

Leftover recover(const fs::path& journal, const ResultCheck& check) {
  Leftover leftover{journal, {}, 0, ""};
  const Expected<std::string> text = read_file(journal);
  Expected<Result> result = text ? parse_journal(*text, journal.string()) : Expected<Result>(text.error());
  if (!result) {
    leftover.problem = result.error().what;
    return leftover;
  }
  struct stat last {};
  if (::stat(journal.c_str(), &last) == 0) result->session.ended = utc(last.st_mtime);
  result->session.state = "interrupted";
  check(*result);
  const fs::path path = free_result_path(journal);
  if (const Expected<void> written = write_file(path, serialize(*result)); !written) {
    leftover.problem = written.error().what;
    return leftover;
  }
  ::unlink(journal.c_str());
  leftover.result = path;
  leftover.processes = result->processes.size();
  return leftover;
}

Expected<void> create_folder(const fs::path& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) return file_error("creating", folder, problem.value());
  return {};
}

/// Creates a locked journal with `head`. Until it is complete, its name is one that readers ignore. -1 if `journal`
/// exists.
Expected<File> start(const fs::path& journal, const Result& head) {
  const fs::path unnamed = journal.parent_path() / fmt::format(".{}.{}.part", journal.filename().string(), ::getpid());
  File file(::open(unnamed.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644));
  if (file.get() < 0) return file_error("creating", unnamed, errno);
  int code = try_lock(file);
  std::string line = serialize(head);
  std::ranges::replace(line, '\n', ' ');
  if (code == 0) code = append_synced(file, line + "\n");
  Expected<bool> named = code == 0 ? take_name(unnamed, journal) : Expected<bool>(file_error("writing", unnamed, code));
  if (!named || !*named) ::unlink(unnamed.c_str());
  if (!named) return named.error();
  return *named ? std::move(file) : File();
}

}  // namespace

Journal::Journal(fs::path path, fs::path result_path, File file)
    : path_(std::move(path)), result_path_(std::move(result_path)), file_(std::move(file)) {}

Expected<Journal> Journal::create(const fs::path& folder, std::string_view stem, Result& head) {
  if (const Expected<void> created = create_folder(folder); !created) return created.error();
  for (int i = 1; i < kMostNames; ++i) {
    head.session.id = i == 1 ? std::string(stem) : fmt::format("{}-{}", stem, i);
    const fs::path journal = folder / (head.session.id + ".journal");
    const fs::path result = folder / (head.session.id + ".json");
    if (fs::exists(journal) || is_there(result)) continue;
    Expected<File> file = start(journal, head);
    if (!file) return file.error();
    if (file->get() < 0) continue;
    // A session of this name may have ended since the check above. It writes its result before it removes its journal.
    if (!fs::exists(result)) return Journal(journal, result, std::move(*file));
    ::unlink(journal.c_str());
  }
  return Error{fmt::format("'{}': no free name for a result beginning with {}", folder.string(), stem), ""};
}

Expected<Journal> Journal::create_for(const fs::path& result_path, std::string_view stem, Result& head) {
  const fs::path folder = result_path.has_parent_path() ? result_path.parent_path() : fs::path(".");
  if (const Expected<void> created = create_folder(folder); !created) return created.error();
  if (fs::is_directory(result_path))
    return Error{fmt::format("'{}' is a folder, expected the name of a file", result_path.string()),
                 fmt::format("--out {}", (result_path / "result.json").string()), ExitStatus::kUsage};
  head.session.id = stem;
  const fs::path journal = journal_for(result_path);
  Expected<File> file = start(journal, head);
  if (!file) return file.error();
  if (file->get() >= 0) return Journal(journal, result_path, std::move(*file));
  return Error{fmt::format("'{}' exists: another run writes its result there", journal.string()),
               "choose another --out"};
}

Expected<void> Journal::append(std::string_view line) {
  const int code = append_synced(file_, std::string(line) + "\n");
  if (code != 0) return file_error("appending to", path_, code);
  return {};
}

Expected<fs::path> Journal::finish(const Result& result) {
  const Expected<void> written = write_file(result_path_, serialize(result));
  if (!written) {
    Error error = in_context(fmt::format("the measurements stay in '{}'", path_.string()), written.error());
    error.status = ExitStatus::kFailed;  // it worked before, so the usage is correct
    return error;
  }
  ::unlink(path_.c_str());
  file_.close();
  return result_path_;
}

Expected<Result> parse_journal(std::string_view text, std::string_view name) {
  std::size_t start = text.find('\n');
  if (start == std::string_view::npos) return Error{fmt::format("{}: no complete line", name), "", ExitStatus::kUsage};
  Expected<Result> result = parse_result(text.substr(0, start), name);
  if (!result) return result;
  ++start;
  for (int number = 2;; ++number) {
    const std::size_t end = text.find('\n', start);
    if (end == std::string_view::npos) break;  // incomplete line, or the end
    if (const Expected<void> added = add_journal_line(text.substr(start, end - start), *result); !added)
      return in_context(fmt::format("{}: line {}", name, number), added.error());
    start = end + 1;
  }
  if (const Expected<void> sound = check_session(*result, name); !sound) return sound.error();
  for (const Process& process : result->processes)
    result->session.blocks = std::max(result->session.blocks, process.block);
  return result;
}

fs::path journal_for(const fs::path& result_path) {
  return fs::path(result_path).replace_extension(".interrupted.journal");
}

std::optional<Leftover> recover_leftover(const fs::path& journal, const ResultCheck& check) {
  const File held = lock_leftover(journal);
  if (held.get() < 0) return std::nullopt;
  return recover(journal, check);
}

std::vector<Leftover> recover_leftovers(const fs::path& folder, const ResultCheck& check) {
  std::vector<Leftover> leftovers;
  for (const fs::path& journal : sorted_files(folder, ".journal"))
    if (std::optional<Leftover> leftover = recover_leftover(journal, check)) leftovers.push_back(std::move(*leftover));
  return leftovers;
}

fs::path machine_folder(const fs::path& root, const Machine& machine) {
  return results_dir(root) / machine.id;
}

std::vector<fs::path> results_in(const fs::path& folder) {
  std::vector<fs::path> found = sorted_files(folder, ".json");
  for (const fs::path& packed : sorted_files(folder, kPackedEnd))
    // With both, a kill came while one was made from the other.
    if (is_packed_name(packed.native()) && !std::ranges::binary_search(found, fs::path(other_name(packed.native()))))
      found.push_back(packed);
  std::erase_if(found, [](const fs::path& path) { return !fs::is_regular_file(path); });
  std::ranges::sort(found, {}, [](const fs::path& path) { return std::string(result_base(path.native())); });
  return found;
}

std::string result_stem(std::string_view started, const Source& source) {
  std::string stem;
  for (const char c : started)
    if (c != '-' && c != ':') stem += c;
  return fmt::format("{}-{}", stem, source.commit ? short_commit(*source.commit) : "nogit");
}

}  // namespace lab::results
