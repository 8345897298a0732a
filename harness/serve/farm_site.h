/// The addresses of a farm's live page, and what each of them shows.
#pragma once

#include <cstdint>
#include <filesystem>
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
  std::string first_events() override;

  /// Of the watcher, from its thread.
  void set_news(WatcherNews news);
  WatcherNews news() const;

 private:
  Reply view(const Request& request) const;
  Reply data(const Request& request) const;
  Reply night(const Request& request);
  Reply acknowledge(const Request& request) const;
  Reply file(const std::string& name, const std::string& content) const;
  Reply reading(const Request& request) const;
  std::string status_text() const;
  using Files = std::map<std::string, std::string>;
  /// The report of a session; those asked last are kept.
  Expected<std::shared_ptr<const Files>> report_of(const std::string& path);

  app::LiveFarm& farm_;
  std::filesystem::path results_;
  SiteOptions options_;
  Files files_;        ///< scripts and styles by name
  std::string build_;  ///< differs from that of a server with other scripts
  mutable std::mutex mutex_;
  WatcherNews news_;
  struct Night {
    std::string path;
    std::shared_ptr<const Files> files;
  };
  std::vector<Night> nights_;  ///< the last asked last
};

}  // namespace lab::serve
