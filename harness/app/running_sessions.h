/// The sessions that run now in a results folder: those whose journals are locked.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lab::app {

struct RunningSession {
  std::string machine, session;
  std::string started;        ///< UTC, RFC 3339
  std::string last_activity;  ///< when its journal last grew
  std::string host;           ///< where it runs
  std::size_t processes = 0;  ///< that have ended well so far
  std::size_t failures = 0;
  int blocks = 0;             ///< begun, all of whose earlier ones are complete
  double budget_seconds = 0;  ///< 0: none
  bool here = false;          ///< it runs on this host

  friend bool operator==(const RunningSession&, const RunningSession&) = default;
};

boost::json::value running_json(const RunningSession& session);

/// Remembers what it has read, so that asking every two seconds costs little. For one thread at a time.
class RunningSessions {
 public:
  /// Sorted by machine and session. What cannot be read is left out.
  std::vector<RunningSession> in(const std::filesystem::path& results);

 private:
  struct Journal {
    RunningSession told;
    std::uintmax_t file = 0;    ///< its inode: another one of this name is another session
    std::uintmax_t offset = 0;  ///< of the first byte that is not read
    bool has_head = false;
  };
  struct Folder {
    std::int64_t changed = 0;  ///< ns: when it was listed, its time of modification
    bool may_change = true;    ///< it changed so lately that a clock may not show the next change
    std::vector<std::filesystem::path> journals;
  };

  static void list(const std::filesystem::path& path, Folder& folder);
  static void read(const std::filesystem::path& path, Journal& journal);

  std::map<std::string, Folder> folders_;    ///< by machine
  std::map<std::string, Journal> journals_;  ///< by path
};

}  // namespace lab::app
