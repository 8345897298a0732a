#include "harness/cli/farm_collect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/json.hpp>
#include <utility>
#include <vector>

#include "harness/app/collect.h"
#include "harness/base/fit.h"
#include "harness/base/interrupt.h"
#include "harness/base/printable.h"
#include "harness/results/inbox.h"

namespace lab::cli {

namespace {

namespace json = boost::json;

json::array explained(const std::vector<app::Explained>& files) {
  json::array array;
  for (const app::Explained& one : files)
    array.push_back(json::object{{"file", printable(one.file)}, {"why", printable(one.why)}});
  return array;
}

std::string json_of(const std::vector<app::CollectedMachine>& machines) {
  json::array array;
  for (const app::CollectedMachine& one : machines)
    array.push_back(json::object{{"machine", printable(one.machine)},
                                 {"collected", json::value_from(one.collected)},
                                 {"there", json::value_from(one.there)},
                                 {"contradicting", explained(one.contradicting)},
                                 {"quarantined", explained(one.quarantined)},
                                 {"left", explained(one.left)}});
  return json::serialize(json::object{{"machines", array}});
}

/// "farm-3: 2 collected, 1 in quarantine"
std::string line_of(const app::CollectedMachine& one) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  add(one.collected.size(), "collected");
  add(one.there.size(), "there already");
  add(one.quarantined.size(), "to quarantine");
  add(one.left.size(), "left");
  return printable(fmt::format("{}: {}", one.machine, fmt::join(parts, ", ")));
}

}  // namespace

Expected<ExitStatus> run_farm_collect(const command::Options& options, const std::filesystem::path& results) {
  const InterruptGuard guard;
  const Expected<std::vector<app::CollectedMachine>> machines =
      app::collect({results, options.value("--from"), guard.file()});
  if (!machines) return machines.error();
  bool has_failed = false;
  for (const app::CollectedMachine& one : *machines) {
    if (!options.has("--json")) fmt::print("{}\n", line_of(one));
    for (const auto* const list : {&one.contradicting, &one.quarantined})
      for (const app::Explained& bad : *list)
        fmt::print(stderr, "farm: {}: {}\n", printable(bad.file), printable(bad.why));
    for (const app::Explained& bad : one.left)
      fmt::print(stderr, "farm: {} stays: {}\n", printable(bad.file), printable(bad.why));
    has_failed = has_failed || !one.left.empty();
  }
  if (options.has("--json")) fmt::print("{}\n", json_of(*machines));
  return has_failed ? ExitStatus::kFailed : ExitStatus::kOk;
}

std::string unread_text(const std::filesystem::path& results) {
  const results::Unread unread = results::unread_in(results);
  std::vector<std::string> parts;
  if (unread.waiting > 0)
    parts.push_back(fmt::format("{} in the inbox, for farm collect", counted(unread.waiting, "result")));
  if (unread.quarantined > 0)
    parts.push_back(fmt::format("{} in quarantine, with the reason beside each", counted(unread.quarantined, "file")));
  return parts.empty() ? "" : fmt::format("not read: {}\n", fmt::join(parts, "; "));
}

}  // namespace lab::cli
