/// A connection to the index for pages, beside the one that updates it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/judge/farm.h"
#include "harness/results/store.h"

namespace lab::app {

class LiveReader {
 public:
  explicit LiveReader(std::filesystem::path results);

  /// What to read from where the folder has no index; none: it has one.
  void use(std::optional<results::Store> in_memory);

  /// The value of `read`, an Expected. The index may be replaced, removed or written meanwhile: then it is opened
  /// again, once.
  template <typename Read>
  auto with(const Read& read) -> decltype(read(std::declval<results::Store&>())) {
    const std::lock_guard lock(mutex_);
    for (bool again = true;; again = false) {
      const Expected<results::Store*> store = open();
      if (!store) return store.error();
      auto value = read(**store);
      if (value || in_memory_ || !again) return value;
      stored_.reset();
    }
  }

 private:
  Expected<results::Store*> open();

  std::filesystem::path results_;
  std::mutex mutex_;  ///< of all below: one connection is for one thread
  std::optional<results::Store> in_memory_, stored_;
  std::uintmax_t file_ = 0;  ///< the inode of what `stored_` reads
};

/// The series with its points. What was found is of the last refresh and the points may be newer: each change is placed
/// at the session of its time, or left out.
judge::SeriesHistory with_points(const judge::FarmSeries& series, std::vector<results::SeriesPoint> points);

}  // namespace lab::app
