/// What was told to others (`--notify`), so that nothing is told twice: <folder>/told.jsonl, one record a line, the
/// oldest first. Records are only added.
#pragma once

#include <array>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/base/open_file.h"

namespace lab::results {

/// `kReturn`: a silent machine measures again.
enum class NoticeKind { kAlarm, kRecovery, kSilence, kReturn };
inline constexpr std::array<std::string_view, 4> kNoticeKinds{"alarm", "recovery", "silence", "return"};
constexpr auto& names_of(NoticeKind) {
  return kNoticeKinds;
}

struct ToldRecord {
  std::string at;  ///< UTC, RFC 3339
  NoticeKind kind = NoticeKind::kAlarm;
  std::string key;                 ///< of the object that was told; "" if the first call with --notify found it old
  std::string machine;             ///< of kSilence and kReturn; "" of the whole farm
  std::vector<std::string> items;  ///< what of it may not be told again: an alarm's id, the beginning of a silence
};

/// The file, locked for as long as this lives: another process that tells at the same time waits, and then finds what
/// this one told.
class Told {
 public:
  /// An error (kUsage) names a line that is no record.
  static Expected<Told> open(const std::filesystem::path& folder);

  /// Whether there was no file: then what is already over, or known, is no news.
  bool is_first() const { return is_first_; }
  bool has(NoticeKind kind, const std::string& item) const { return items_.contains({kind, item}); }
  const std::vector<ToldRecord>& records() const { return records_; }
  /// The record is on the disk when this returns. Creates the file also without a record.
  Expected<void> add(const std::vector<ToldRecord>& records);

 private:
  Told(std::filesystem::path file, File lock, bool is_first);
  void keep(const std::vector<ToldRecord>& records);

  std::filesystem::path file_;
  File lock_;
  bool is_first_ = false;
  std::vector<ToldRecord> records_;
  std::set<std::pair<NoticeKind, std::string>> items_;
};

/// The file's name.
inline constexpr const char* kToldName = "told.jsonl";

}  // namespace lab::results
