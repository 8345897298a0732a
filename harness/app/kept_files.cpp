#include "harness/app/kept_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/layout.h"
#include "harness/base/lock.h"
#include "harness/base/usage_error.h"
#include "harness/base/zstd.h"
#include "harness/judge/history.h"
#include "harness/results/exhibit_archive.h"
#include "harness/results/metrics.h"
#include "harness/results/result.h"
#include "harness/results/result_name.h"
#include "harness/results/store_scan.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;

fs::path with_ending(const fs::path& base, std::string_view ending) {
  return fs::path(base.native() + std::string(ending));
}
fs::path plain_of(const fs::path& base) {
  return with_ending(base, ".json");
}
fs::path packed_of(const fs::path& base) {
  return with_ending(base, ".json.zst");
}
fs::path folder_of(const fs::path& base) {
  return with_ending(base, results::kExhibitsEnd);
}
fs::path archive_of(const fs::path& base) {
  return with_ending(base, results::kExhibitArchiveEnd);
}

struct FileTimes {
  std::int64_t size = 0, modified = 0, changed = 0;
  bool operator==(const FileTimes&) const = default;
};

/// None if there is no such file.
std::optional<FileTimes> times_of(const fs::path& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  const auto ns = [](const timespec& time) { return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec; };
  return FileTimes{found.st_size, ns(found.st_mtim), ns(found.st_ctim)};
}

/// When the result came, as a history reads it from its files (results/store_scan.h).
std::int64_t arrival_of(const fs::path& base) {
  std::int64_t arrived = INT64_MAX;
  if (const auto plain = times_of(plain_of(base))) arrived = plain->changed;
  if (const auto packed = times_of(packed_of(base))) arrived = std::min({arrived, packed->modified, packed->changed});
  return arrived;
}

Expected<void> remove_synced(const fs::path& gone) {
  std::error_code problem;
  fs::remove_all(gone, problem);
  return problem ? file_error("removing", gone, problem.value()) : Expected<void>();
}

std::string content_of(const results::Result& result) {
  return results::content_of(judge::condense(result));
}

/// Replaces the result's files by a packed one with `text`. `read`: the plain file as it was when it was read.
Expected<void> keep_packed(const fs::path& base, const std::string& text, const std::optional<FileTimes>& read) {
  const fs::path packed = packed_of(base), plain = plain_of(base);
  if (const auto written = results::write_result_text(packed, text, arrival_of(base)); !written) return written;
  // Nothing is removed for a file that says something else.
  const Expected<std::string> again = results::read_result_text(packed);
  if (!again) return again.error();
  if (*again != text)
    return Error{fmt::format("'{}' has another content than was written", packed.string()), "check the disk"};
  if (!read) return {};
  if (const Expected<void> synced = sync_folder(base.parent_path()); !synced) return synced;
  if (times_of(plain) != read)
    return Error{fmt::format("'{}' changed while it was packed: both are kept", plain.string()),
                 "pack again when its session is over"};
  return remove_synced(plain);
}

/// The text to keep of a result that may be there twice.
Expected<std::string> text_of(const fs::path& base) {
  const fs::path plain = plain_of(base), packed = packed_of(base);
  if (!times_of(plain)) return results::read_result_text(packed);
  Expected<std::string> text = read_file(plain);
  if (!text) return text;
  const Expected<results::Result> result = results::parse_result(*text, plain.string());
  if (!result) return result.error();
  if (!times_of(packed)) return text;
  Expected<std::string> other = results::read_result_text(packed);
  // A damaged one is replaced by the whole one.
  const Expected<results::Result> of_other =
      other ? results::parse_result(*other, packed.string()) : Expected<results::Result>(other.error());
  if (!of_other || *other == *text) return text;
  if (content_of(*result) != content_of(*of_other))
    return Error{fmt::format("'{}' and '{}' contradict each other: both are kept", plain.string(), packed.string()),
                 "remove the one that is wrong", ExitStatus::kUsage};
  return result->session.medians_only ? other : text;
}

/// All files of the exhibits, of the folder first. An error for what an archive does not hold.
Expected<results::ExhibitFiles> exhibits_of(const fs::path& base) {
  results::ExhibitFiles files;
  std::error_code problem;
  if (fs::exists(archive_of(base), problem)) {
    Expected<results::ExhibitFiles> packed =
        results::read_exhibit_archive(archive_of(base), [](std::string_view) { return true; });
    if (!packed) return packed;
    files = std::move(*packed);
  }
  const fs::path folder = folder_of(base);
  for (auto entry = fs::recursive_directory_iterator(folder, problem); !problem && entry != fs::end(entry);
       entry.increment(problem)) {
    std::error_code none;
    const bool is_link = entry->is_symlink(none);
    if (!is_link && entry->is_directory(none)) continue;
    if (is_link || !entry->is_regular_file(none) || entry->file_size(none) > results::kMostExhibitBytes)
      return Error{fmt::format("'{}' is no file of an exhibit: the folder is kept", entry->path().string()),
                   "remove it", ExitStatus::kUsage};
    Expected<std::string> content = read_file(entry->path());
    if (!content) return content.error();
    files[entry->path().lexically_relative(base.parent_path()).string()] = std::move(*content);
  }
  if (problem && problem != std::errc::no_such_file_or_directory) return file_error("reading", folder, problem.value());
  return files;
}

Expected<void> pack_exhibits(const fs::path& base) {
  std::error_code none;
  if (!fs::is_directory(folder_of(base), none)) return {};
  const Expected<results::ExhibitFiles> files = exhibits_of(base);
  if (!files) return files.error();
  if (!files->empty()) {
    const fs::path archive = archive_of(base);
    const Expected<std::string> bytes = results::exhibit_archive(*files);
    if (!bytes) return bytes.error();
    if (const Expected<void> written = write_file(archive, *bytes); !written) return written;
    const Expected<results::ExhibitFiles> again =
        results::read_exhibit_archive(archive, [](std::string_view) { return true; });
    if (!again) return again.error();
    if (*again != *files)
      return Error{fmt::format("'{}' has other files than were written", archive.string()), "check the disk"};
    if (const Expected<void> synced = sync_folder(base.parent_path()); !synced) return synced;
  }
  return remove_synced(folder_of(base));
}

Expected<void> unpack_exhibits(const fs::path& base) {
  std::error_code none;
  if (!fs::exists(archive_of(base), none)) return {};
  const Expected<results::ExhibitFiles> files = exhibits_of(base);
  if (!files) return files.error();
  std::set<fs::path> folders{base.parent_path()};
  for (const auto& [name, content] : *files) {
    const fs::path file = base.parent_path() / name;
    if (const Expected<void> written = write_file(file, content); !written) return written;
    folders.insert(file.parent_path());
  }
  for (const fs::path& folder : folders)
    if (const Expected<void> synced = sync_folder(folder); !synced) return synced;
  return remove_synced(archive_of(base));
}

/// The same result without its samples. An error if that would change what is told of it.
Expected<std::string> text_without_samples(const fs::path& base) {
  const Expected<std::string> text = text_of(base);
  if (!text) return text;
  const Expected<results::Result> result = results::parse_result(*text, base.string());
  if (!result) return result.error();
  std::string less = results::serialize(results::without_samples(*result));
  const Expected<results::Result> read = results::parse_result(less, base.string());
  if (!read) return read.error();
  const auto changes = [&] {
    if (content_of(*read) != content_of(*result) || read->processes.size() != result->processes.size()) return true;
    for (std::size_t i = 0; i < read->processes.size(); ++i) {
      const results::Process& before = result->processes[i];
      const results::WorkloadInfo workload = results::workload_of(*result, before.benchmark);
      for (const results::Metric& metric : results::metrics_of(workload))
        if (results::metric_value(workload, before, metric.name) !=
            results::metric_value(workload, read->processes[i], metric.name))
          return true;
    }
    return false;
  };
  if (changes())
    return Error{fmt::format("'{}' would say something else without its samples: they are kept", base.string()), ""};
  return less;
}

}  // namespace

std::uintmax_t result_bytes(const fs::path& base) {
  std::uintmax_t bytes = 0;
  for (const fs::path& file : {plain_of(base), packed_of(base)})
    if (const auto times = times_of(file)) bytes += static_cast<std::uintmax_t>(times->size);
  return bytes;
}

std::uintmax_t bytes_of(const fs::path& base) {
  std::uintmax_t bytes = result_bytes(base);
  if (const auto archive = times_of(archive_of(base))) bytes += static_cast<std::uintmax_t>(archive->size);
  std::error_code problem;
  for (auto entry = fs::recursive_directory_iterator(folder_of(base), problem); !problem && entry != fs::end(entry);
       entry.increment(problem))
    if (std::error_code none; entry->is_regular_file(none)) bytes += entry->file_size(none);
  return bytes;
}

Expected<void> pack_result(const fs::path& base) {
  if (const auto plain = times_of(plain_of(base))) {
    const Expected<std::string> text = text_of(base);
    if (!text) return text.error();
    if (const Expected<void> kept = keep_packed(base, *text, plain); !kept) return kept;
  }
  return pack_exhibits(base);
}

Expected<void> unpack_result(const fs::path& base) {
  if (times_of(packed_of(base))) {
    const Expected<std::string> text = text_of(base);
    if (!text) return text.error();
    if (const auto written = write_file(plain_of(base), *text); !written) return written;
    if (const Expected<void> synced = sync_folder(base.parent_path()); !synced) return synced;
    if (const Expected<void> removed = remove_synced(packed_of(base)); !removed) return removed;
  }
  return unpack_exhibits(base);
}

Expected<void> remove_samples(const fs::path& base) {
  const auto plain = times_of(plain_of(base));
  const Expected<std::string> text = text_without_samples(base);
  return text ? keep_packed(base, *text, plain) : text.error();
}

Expected<std::uintmax_t> bytes_without_samples(const fs::path& base) {
  const Expected<std::string> text = text_without_samples(base);
  if (!text) return text.error();
  return zstd_compress(*text).size();
}

Expected<void> remove_exhibits(const fs::path& base) {
  if (const Expected<void> removed = remove_synced(archive_of(base)); !removed) return removed;
  return remove_synced(folder_of(base));
}

Expected<std::vector<fs::path>> machine_folders(const fs::path& results, const std::string& machine) {
  std::vector<fs::path> folders;
  std::error_code problem;
  for (auto entry = fs::directory_iterator(results, problem); !problem && entry != fs::end(entry);
       entry.increment(problem)) {
    const std::string name = entry->path().filename();
    if (name.starts_with('.') || std::ranges::find(kNotMachines, name) != std::end(kNotMachines)) continue;
    std::error_code none;  // such as a link that leads nowhere
    if (entry->is_directory(none) && (machine.empty() || name == machine)) folders.push_back(entry->path());
  }
  if (problem)
    return usage_error(fmt::format("expected a folder of results at '{}', found none that can be read: {}",
                                   results.string(), problem.message()),
                       "name it with --results DIR");
  std::ranges::sort(folders);
  return folders;
}

Expected<File> lock_kept(const fs::path& results) {
  Expected<File> lock = lock_file(results / "kept.lock", LockKind::kTryExclusive);
  if (!lock || lock->get() >= 0) return lock;
  return Error{fmt::format("another process packs results in '{}'", results.string()), "wait until it has ended"};
}

}  // namespace lab::app
