#include "harness/app/farm.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/child.h"
#include "harness/base/error.h"
#include "harness/measure/provenance.h"

namespace lab::app {

namespace {

/// The first parents of what is checked out, the oldest first; none outside git.
std::vector<std::string> first_parents(const std::filesystem::path& repository) {
  const ChildOutcome outcome = run_child(
      measure::git_command(repository, {"-c", "safe.directory=*", "rev-list", "--first-parent", "--reverse", "HEAD"}));
  std::vector<std::string> commits;
  if (outcome.end != ChildEnd::kExited || outcome.code != 0) return commits;
  std::string_view rest = outcome.output;
  for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    commits.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  return commits;
}

}  // namespace

Expected<judge::FarmInput> farm_input(results::Store& store, const FarmRequest& request) {
  if (const Expected<void> some = require_series(store, request.results); !some) return some.error();
  judge::FarmInput input;
  Expected<std::vector<results::SessionRecord>> sessions = store.sessions();
  if (!sessions) return sessions.error();
  const auto findings = store.all_findings();
  if (!findings) return findings.error();
  input.sessions = std::move(*sessions);
  for (const auto& [series, text] : *findings) input.series.push_back({series, judge::parse_findings(text)});
  input.known = store.known_machines();
  Expected<std::vector<results::FarmAlarm>> alarms = results::load_farm_alarms(request.results);
  if (!alarms) return alarms.error();
  input.alarms = std::move(*alarms);
  input.commits = first_parents(request.repository);
  input.now = request.now;
  return input;
}

Expected<judge::Farm> farm(const FarmRequest& request, const HistoryObserver& observer) {
  Expected<results::Store> store = open_store(request.results, observer);
  if (!store) return store.error();
  const Expected<judge::FarmInput> input = farm_input(*store, request);
  return input ? Expected<judge::Farm>(judge::judge_farm(*input)) : input.error();
}

}  // namespace lab::app
