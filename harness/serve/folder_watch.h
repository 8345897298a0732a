/// Waits for changes in folders: at once where the kernel tells them (inotify), else by looking every two seconds, as
/// on a network's file system, which is silent about what other hosts write.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/open_file.h"

namespace lab::serve {

/// Another thread may wake a FolderWatch.
class WakeUp {
 public:
  WakeUp();
  void wake() const;
  int get() const { return file_.get(); }

 private:
  File file_;
};

class FolderWatch {
 public:
  /// `is_of_interest`: by the name of a file. Changes of others wake nobody.
  FolderWatch(std::function<bool(const std::string& name)> is_of_interest, const WakeUp& wake_up);

  /// From now on these folders are watched, and no others. One that does not exist is tried again at each call.
  void watch(const std::set<std::filesystem::path>& folders);

  /// Waits at most so long for a change or a call of WakeUp::wake(). After a change, until it has been quiet for
  /// kQuiet, but no longer than kLongest: a file that is written often comes once. The paths that changed; a folder
  /// itself if the kernel could not say which.
  std::set<std::filesystem::path> wait(std::chrono::milliseconds most);
  static constexpr std::chrono::milliseconds kQuiet{30}, kLongest{500};

 private:
  /// Reads what the kernel has to tell.
  void read(std::set<std::filesystem::path>& changed);

  std::function<bool(const std::string&)> is_of_interest_;
  const WakeUp& wake_up_;
  File file_;  ///< -1: the kernel tells nothing here
  std::map<int, std::filesystem::path> folders_;
};

/// What files (by size and time) and folders (by time) look like: another text after a change.
std::string look_of(const std::vector<std::filesystem::path>& files, const std::set<std::filesystem::path>& folders);

}  // namespace lab::serve
