#include "harness/bisect/record.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "harness/base/files.h"
#include "harness/base/hash.h"
#include "harness/results/fields.h"

namespace lab::revisions {

template <typename F>
void fields(F& f, Commit& c) {
  f("sha", c.sha);
  f("subject", c.subject);
  f("merge", c.merge);
}

template <typename F>
void fields(F& f, How& h) {
  f("toolchain", h.toolchain);
  f("config", h.config);
  f("march", h.march);
}

}  // namespace lab::revisions

namespace lab::bisect {

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
void fields(F& f, Suspect& s) {
  f("commit", s.commit);
  f("probability", s.probability);
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

/// What makes two bisects the same one.
bool same_question(const Cell& a, const Cell& b) {
  return a.repository == b.repository && a.benchmark == b.benchmark && a.command == b.command && !a.commits.empty() &&
         !b.commits.empty() && a.commits.front().sha == b.commits.front().sha &&
         a.commits.back().sha == b.commits.back().sha;
}

template <typename T>
Expected<T> parse_line(std::string_view line, std::string_view name, std::size_t number) {
  boost::system::error_code problem;
  const json::value value = json::parse(line, problem);
  if (problem)
    return Error{fmt::format("'{}', line {}: not JSON: {}", name, number, problem.message()),
                 "bisect --restart begins anew", ExitStatus::kUsage};
  Expected<T> parsed = results::from_json<T>(value);
  if (!parsed)
    return Error{fmt::format("'{}', line {}: {}", name, number, parsed.error().what), "bisect --restart begins anew",
                 ExitStatus::kUsage};
  return parsed;
}

}  // namespace

Expected<Story> parse_record(std::string_view text, std::string_view name) {
  Story story;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (number == 1) {
      Expected<Cell> cell = parse_line<Cell>(line, name, number);
      if (!cell) return cell.error();
      if (cell->bisect != kRecordVersion)
        return Error{fmt::format("'{}': expected a bisect of version {}, found {}", name, kRecordVersion, cell->bisect),
                     "bisect --restart begins anew", ExitStatus::kUsage};
      story.cell = std::move(*cell);
      continue;
    }
    Expected<Entry> entry = parse_line<Entry>(line, name, number);
    if (!entry) return entry.error();
    story.entries.push_back(std::move(*entry));
  }
  if (story.cell.commits.size() < 2)
    return Error{fmt::format("'{}': expected a bisect's commits, found {}", name, story.cell.commits.size()),
                 "bisect --restart begins anew", ExitStatus::kUsage};
  return story;
}

fs::path record_path(const fs::path& folder, const Cell& cell) {
  const std::string question =
      fmt::format("{}\n{}\n{}\n{}", cell.repository, cell.benchmark, cell.command, cell.commits.front().sha);
  return folder /
         fmt::format("{}-{}.jsonl", cell.commits.back().sha.substr(0, 12), content_name(question).substr(0, 8));
}

Expected<Record> Record::open(const fs::path& path, const Cell& cell, bool restart) {
  Record record;
  record.path_ = path;
  Expected<File> lock = lock_file(path.string() + ".lock", LockKind::kAloneOrNot);
  if (!lock) return lock.error();
  if (lock->get() < 0)
    return Error{fmt::format("another bisect works on '{}'", path.string()), "wait for it, or end it"};
  record.lock_ = std::move(*lock);
  if (!restart && fs::exists(path)) {
    Expected<std::string> text = read_file(path);
    if (!text) return text.error();
    Expected<Story> story = parse_record(*text, path.string());
    if (!story) return story.error();
    if (!same_question(story->cell, cell))
      return Error{fmt::format("'{}' is of another bisect", path.string()), "bisect --restart begins anew"};
    record.cell_ = std::move(story->cell);
    record.entries_ = std::move(story->entries);
    record.found_ = record.entries_.size();
    record.text_ = std::move(*text);
    return record;
  }
  record.cell_ = cell;
  record.text_ = json::serialize(results::to_json(cell)) + "\n";
  if (const Expected<void> written = write_file(path, record.text_); !written) return written.error();
  return record;
}

Expected<void> Record::append(Entry entry) {
  text_ += json::serialize(results::to_json(entry)) + "\n";
  entries_.push_back(std::move(entry));
  return write_file(path_, text_);
}

}  // namespace lab::bisect
