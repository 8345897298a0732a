/// The addresses of a farm's live page, and what each of them shows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "harness/app/live.h"
#include "harness/serve/http_server.h"

namespace lab::serve {

/// What the farm's watcher (farm_watcher.h) knows beside the farm itself.
struct WatcherNews {
  std::size_t read = 0, to_read = 0;  ///< results, of those that must be read first
  std::string problem;                ///< why the last reading failed; "" if it did not
  std::string running = "[]";         ///< the sessions that run: the event `session`
  bool measures_here = false;         ///< one of them is on this host: nothing is read until it ends
};

struct SiteOptions {
  bool develops = false;         ///< scripts and styles are read at each request
  bool may_acknowledge = false;  ///< who has the token
};

class FarmSite : public Site {
 public:
  /// `results`: the farm's. `may_acknowledge`: whoever has the token.
  FarmSite(app::LiveFarm& farm, std::filesystem::path results, SiteOptions options);

  Reply answer(const Request& request) override;
  bool is_quick(const Request& request) override;
  std::string first_events() override;

  /// `then` is called, by any thread, when the index cannot be read although it could: somebody should open it again.
  void on_unreadable(std::function<void()> then);

  /// Of the watcher, from its thread.
  void set_news(WatcherNews news);
  WatcherNews news() const;

 private:
  Reply view(const Request& request) const;
  Reply data(const Request& request) const;
  Reply night(const Request& request);
  Reply acknowledge(const Request& request) const;
  Reply reading(const Request& request) const;
  Reply atlas_file(const Request& request) const;
  std::string status_text() const;
  using Files = std::map<std::string, Reply>;  ///< by name
  static Files replies_of(std::map<std::string, std::string> files, Policy policy);
  /// The report of a session; those asked last are kept.
  Expected<std::shared_ptr<const Files>> report_of(const std::string& path);
  std::shared_ptr<const Files> kept_report(const std::string& path) const;
  /// The status of an error's reply.
  int status_of(const Error& error) const;

  app::LiveFarm& farm_;
  std::filesystem::path results_;
  SiteOptions options_;
  Files files_;        ///< scripts and styles by name
  std::string build_;  ///< differs from that of a server with other scripts
  mutable std::mutex mutex_;
  WatcherNews news_;
  std::function<void()> on_unreadable_ = [] {};
  struct Night {
    std::string path;
    std::shared_ptr<const Files> files;
  };
  std::vector<Night> nights_;  ///< the last asked last
  std::mutex night_mutex_;     ///< one report is made at a time: it has all points of a machine in memory
};

}  // namespace lab::serve
