#include "harness/results/bisect_record.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cmath>

#include "harness/base/files.h"
#include "harness/base/hash.h"
#include "harness/base/json_fields.h"

namespace lab::results {

template <typename F>
void fields(F& f, Commit& c) {
  f("sha", c.sha);
  f("subject", c.subject);
  f("merge", c.merge);
}

template <typename F>
void fields(F& f, BuildOptions& h) {
  f("toolchain", h.toolchain);
  f("config", h.config);
  f("march", h.march);
}

namespace fs = std::filesystem;
namespace json = boost::json;

template <typename F>
void fields(F& f, Cell& c) {
  f("bisect", c.bisect);
  f("repository", c.repository);
  f("benchmark", c.benchmark);
  f("command", c.command);
  f("seed", c.seed);
  f("process_seconds", c.process_seconds);
  f("timeout_seconds", c.timeout_seconds);
  f("cpu", c.cpu);
  f("threads", c.threads);
  f("how", c.how);
  f("commits", c.commits);
}

template <typename F>
void fields(F& f, Entry& e) {
  f("commit", e.commit);
  f("at", e.at);
  f("value", e.value);
  f("skip", e.skip);
  f("again", e.again);
  f("identity", e.identity);
  f("prepare_seconds", e.prepare_seconds);
  f("measure_seconds", e.measure_seconds);
  f("null", e.null);
  f("most", e.most);
}

namespace {

/// The identity of a bisect among those of one bad commit. A benchmark depends on its commits only, and the checkout's
/// path differs between CI runners. A command may depend on anything, so its repository's path is included.
std::string question(const Cell& cell) {
  return fmt::format("{}\n{}\n{}\n{}", cell.benchmark.empty() ? cell.repository : "", cell.benchmark, cell.command,
                     cell.commits.front().sha);
}

Error line_error(std::string_view name, std::size_t number, std::string_view problem) {
  return Error{fmt::format("'{}', line {}: {}", name, number, problem), "bisect --restart begins anew",
               ExitStatus::kUsage};
}

}  // namespace

Expected<Story> parse_record(std::string_view text, std::string_view name) {
  Story story;
  for (std::size_t number = 1; story.whole_bytes < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', story.whole_bytes), text.size());
    const std::string_view line = text.substr(story.whole_bytes, end - story.whole_bytes);
    const std::size_t next = std::min(end + 1, text.size());
    boost::system::error_code problem;
    const json::value value = json::parse(line, problem);
    if (problem && number > 1 && next == text.size()) {
      story.torn = fmt::format("'{}', line {}: cut off, and dropped: not JSON: {}", name, number, problem.message());
      break;
    }
    if (problem) return line_error(name, number, "not JSON: " + problem.message());
    story.whole_bytes = next;
    if (number == 1) {
      Expected<Cell> cell = from_json<Cell>(value);
      if (!cell) return line_error(name, number, cell.error().what);
      if (cell->bisect != kRecordVersion)
        return Error{fmt::format("'{}': expected a bisect of version {}, found {}", name, kRecordVersion, cell->bisect),
                     "bisect --restart begins anew", ExitStatus::kUsage};
      story.cell = std::move(*cell);
      continue;
    }
    Expected<Entry> entry = from_json<Entry>(value);
    if (!entry) return line_error(name, number, entry.error().what);
    // The search uses logarithms.
    if (entry->value && !(*entry->value > 0 && std::isfinite(*entry->value)))
      return line_error(name, number, fmt::format("value: expected a number above 0, found {}", *entry->value));
    story.entries.push_back(std::move(*entry));
  }
  if (story.cell.commits.size() < 2)
    return Error{fmt::format("'{}': expected a bisect's commits, found {}", name, story.cell.commits.size()),
                 "bisect --restart begins anew", ExitStatus::kUsage};
  return story;
}

fs::path record_path(const fs::path& folder, const Cell& cell) {
  return folder /
         fmt::format("{}-{}.jsonl", short_commit(cell.commits.back().sha), content_name(question(cell)).substr(0, 8));
}

Expected<Record> Record::open(const fs::path& path, const Cell& cell, bool restart) {
  Record record;
  record.path_ = path;
  Expected<File> lock = lock_file(path.string() + ".lock", LockKind::kTryExclusive);
  if (!lock) return lock.error();
  if (lock->get() < 0)
    return Error{fmt::format("another bisect works on '{}'", path.string()), "wait for it, or end it"};
  record.lock_ = std::move(*lock);
  if (!restart && fs::exists(path)) {
    Expected<std::string> text = read_file(path);
    if (!text) return text.error();
    if (text->find('\n') == std::string::npos) {
      record.warning_ =
          fmt::format("'{}': cut off in its first line, before any measurement: begun anew", path.string());
      return begin(std::move(record), cell);
    }
    Expected<Story> story = parse_record(*text, path.string());
    if (!story) return story.error();
    if (question(story->cell) != question(cell) || story->cell.commits.back().sha != cell.commits.back().sha)
      return Error{fmt::format("'{}' is of another bisect", path.string()), "bisect --restart begins anew"};
    record.cell_ = std::move(story->cell);
    record.entries_ = std::move(story->entries);
    record.found_ = record.entries_.size();
    record.text_ = text->substr(0, story->whole_bytes);
    if (!record.text_.ends_with('\n')) record.text_ += '\n';
    record.warning_ = std::move(story->torn);
    return record;
  }
  return begin(std::move(record), cell);
}

Expected<Record> Record::begin(Record record, const Cell& cell) {
  record.cell_ = cell;
  record.text_ = json::serialize(to_json(cell)) + "\n";
  if (const Expected<void> written = write_file(record.path_, record.text_); !written) return written.error();
  return record;
}

Expected<void> Record::append(Entry entry) {
  text_ += json::serialize(to_json(entry)) + "\n";
  entries_.push_back(std::move(entry));
  return write_file(path_, text_);
}

}  // namespace lab::results
