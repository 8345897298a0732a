#include "harness/app/live_reader.h"

#include <sys/stat.h>

#include <algorithm>

#include "harness/judge/history.h"

namespace lab::app {

LiveReader::LiveReader(std::filesystem::path results) : results_(std::move(results)) {}

void LiveReader::use(std::optional<results::Store> in_memory) {
  const std::lock_guard lock(mutex_);
  in_memory_ = std::move(in_memory);
  // Now, while it is there. Why it cannot be opened, the next reader is told.
  static_cast<void>(open());
}

Expected<results::Store*> LiveReader::open() {
  if (in_memory_) return &*in_memory_;
  struct stat found {};
  // Without the file, what is open can still be read: it is as the last refresh left it.
  const bool is_there = ::stat((results_ / results::kIndexName).c_str(), &found) == 0;
  if (stored_ && (!is_there || found.st_ino == file_)) return &*stored_;
  Expected<results::Store> opened = results::Store::open_stored(results_, judge::store_rules());
  if (!opened) return opened.error();
  stored_.emplace(std::move(*opened));
  file_ = found.st_ino;
  return &*stored_;
}

judge::SeriesHistory with_points(const judge::FarmSeries& series, std::vector<results::SeriesPoint> points) {
  judge::SeriesHistory history{series.key, series.findings, std::move(points)};
  std::erase_if(history.findings.changes, [&](judge::LevelChange& change) {
    const auto found = std::ranges::lower_bound(history.points, change.started, {}, &results::SeriesPoint::started);
    if (found == history.points.end() || found->started != change.started) return true;
    const auto place = static_cast<std::size_t>(found - history.points.begin());
    // Also where its place was found, which says how many nights that took.
    change.detected_at += place - change.index;
    change.index = place;
    return false;
  });
  return history;
}

}  // namespace lab::app
