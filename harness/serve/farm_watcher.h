/// Keeps a live farm up to date: reads new results as they come, tells pages what changed and which sessions run. While
/// a session runs on this host, nothing is read: what is measured there has the machine for itself.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <thread>

#include "harness/app/live.h"
#include "harness/serve/farm_site.h"
#include "harness/serve/folder_watch.h"

namespace lab::serve {

class FarmWatcher {
 public:
  using Tell = std::function<void(std::string event)>;              ///< event_text(), to every page
  using Remark = std::function<void(const std::string& sentence)>;  ///< for the terminal; each once in a row

  /// Both must outlive it. It starts at once, on a thread of its own.
  FarmWatcher(app::LiveFarm& farm, std::filesystem::path results, FarmSite& site, Tell tell, Remark remark);
  ~FarmWatcher();
  FarmWatcher(const FarmWatcher&) = delete;
  FarmWatcher& operator=(const FarmWatcher&) = delete;

 private:
  void run();
  void look_at_sessions();
  void read();
  void say(const std::string& sentence);
  std::set<std::filesystem::path> folders() const;
  std::string look(const std::set<std::filesystem::path>& folders) const;

  app::LiveFarm& farm_;
  std::filesystem::path results_;
  FarmSite& site_;
  Tell tell_;
  Remark remark_;
  WatcherNews news_;
  std::string said_;
  WakeUp wake_up_;
  std::atomic<bool> stopped_ = false;
  std::atomic<bool> is_unreadable_ = false;  ///< a page could not read the index
  std::thread thread_;
};

/// Tells pages which of the files of `folder` (and of its folder charts) was saved: the event `develop`.
class DevelopWatcher {
 public:
  DevelopWatcher(const std::filesystem::path& folder, FarmWatcher::Tell tell);
  ~DevelopWatcher();
  DevelopWatcher(const DevelopWatcher&) = delete;
  DevelopWatcher& operator=(const DevelopWatcher&) = delete;

 private:
  void run(const std::set<std::filesystem::path>& folders);

  FarmWatcher::Tell tell_;
  WakeUp wake_up_;
  std::atomic<bool> stopped_ = false;
  std::thread thread_;
};

}  // namespace lab::serve
