#include "harness/results/bisect_record.h"

#include <fmt/format.h>

#include "harness/base/files.h"
#include "harness/base/hash.h"
#include "harness/base/json_fields.h"

namespace lab::results {

LAB_JSON_STRUCT(Commit, sha, subject, merge)
LAB_JSON_STRUCT(BuildOptions, toolchain, config, march)

namespace fs = std::filesystem;

LAB_JSON_STRUCT(BisectQuestion, bisect, repository, benchmark, command, (malloc_hash), seed, process_seconds,
                timeout_seconds, cpu, threads, how, commits)

LAB_JSON_STRUCT(BisectEntry, commit, at, value, (layout), (pair), (against), skip, again, identity, prepare_seconds,
                measure_seconds, null, most)

namespace {

/// The identity of a bisect among those of one bad commit. A benchmark depends on its commits only, and the checkout's
/// path differs between CI runners. A command may depend on anything, so its repository's path is included. A preloaded
/// library counts by its content.
std::string identity(const BisectQuestion& question) {
  return fmt::format("{}\n{}\n{}\n{}{}", question.benchmark.empty() ? question.repository : "", question.benchmark,
                     question.command, question.commits.front().sha,
                     question.malloc_hash.empty() ? "" : "\n" + question.malloc_hash);
}

Error unreadable(std::string what) {
  return Error{std::move(what), "bisect --restart starts a new record", ExitStatus::kUsage};
}

}  // namespace

Expected<ParsedBisectRecord> parse_bisect_record(std::string_view text, std::string_view name) {
  ParsedBisectRecord record;
  for (std::size_t number = 1; record.whole_bytes < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', record.whole_bytes), text.size());
    const std::size_t next = std::min(end + 1, text.size());
    const std::string line = fmt::format("'{}', line {}", name, number);
    const Expected<json::value> value =
        parse_printable_json(text.substr(record.whole_bytes, end - record.whole_bytes), line);
    if (!value && number > 1 && next == text.size()) {
      record.torn = fmt::format("{} (this incomplete last line is ignored)", value.error().what);
      break;
    }
    if (!value) return unreadable(value.error().what);
    record.whole_bytes = next;
    if (number == 1) {
      Expected<BisectQuestion> question = from_json<BisectQuestion>(*value);
      if (!question) return unreadable(fmt::format("{}: {}", line, question.error().what));
      if (question->bisect != kBisectRecordVersion)
        return unreadable(fmt::format("'{}': expected a bisect of version {}, found {}", name, kBisectRecordVersion,
                                      question->bisect));
      record.question = std::move(*question);
      continue;
    }
    Expected<BisectEntry> entry = from_json<BisectEntry>(*value);
    if (!entry) return unreadable(fmt::format("{}: {}", line, entry.error().what));
    // The search uses logarithms.
    if (entry->value && !(*entry->value > 0))
      return unreadable(fmt::format("{}: value: expected a number above 0, found {}", line, *entry->value));
    record.entries.push_back(std::move(*entry));
  }
  if (record.question.commits.size() < 2)
    return unreadable(
        fmt::format("'{}': expected the commits of a bisect, found {}", name, record.question.commits.size()));
  return record;
}

fs::path bisect_record_path(const fs::path& folder, const BisectQuestion& question) {
  return folder / fmt::format("{}-{}.jsonl", short_commit(question.commits.back().sha),
                              content_name(identity(question)).substr(0, 8));
}

Expected<BisectRecord> BisectRecord::open(const fs::path& path, const BisectQuestion& question, bool restart) {
  BisectRecord record;
  record.path_ = path;
  Expected<File> lock = lock_file(path.string() + ".lock", LockKind::kTryExclusive);
  if (!lock) return lock.error();
  if (lock->get() < 0) return Error{fmt::format("another bisect uses '{}'", path.string()), "wait for it, or stop it"};
  record.lock_ = std::move(*lock);
  if (!restart && fs::exists(path)) {
    Expected<std::string> text = read_file(path);
    if (!text) return text.error();
    if (text->find('\n') == std::string::npos) {
      record.warning_ =
          fmt::format("'{}': the first line is incomplete, so there is no measurement yet: a new record was started",
                      path.string());
      return begin(std::move(record), question);
    }
    Expected<ParsedBisectRecord> parsed = parse_bisect_record(*text, path.string());
    if (!parsed) return parsed.error();
    if (identity(parsed->question) != identity(question) ||
        parsed->question.commits.back().sha != question.commits.back().sha)
      return Error{fmt::format("'{}' belongs to another bisect", path.string()),
                   "bisect --restart starts a new record"};
    record.question_ = std::move(parsed->question);
    record.entries_ = std::move(parsed->entries);
    record.found_ = record.entries_.size();
    record.text_ = text->substr(0, parsed->whole_bytes);
    if (!record.text_.ends_with('\n')) record.text_ += '\n';
    record.warning_ = std::move(parsed->torn);
    return record;
  }
  return begin(std::move(record), question);
}

Expected<BisectRecord> BisectRecord::begin(BisectRecord record, const BisectQuestion& question) {
  record.question_ = question;
  record.text_ = json::serialize(lab::to_json(question)) + "\n";
  if (const Expected<void> written = write_file(record.path_, record.text_); !written) return written.error();
  return record;
}

Expected<void> BisectRecord::append(BisectEntry entry) {
  text_ += json::serialize(lab::to_json(entry)) + "\n";
  entries_.push_back(std::move(entry));
  return write_file(path_, text_);
}

}  // namespace lab::results
