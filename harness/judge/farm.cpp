#include "harness/judge/farm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "harness/base/utc.h"
#include "harness/stats/change_points.h"
#include "harness/stats/quantile.h"

namespace lab::judge {

namespace {

constexpr std::time_t kDay = 24 * 60 * 60;
/// Places of one change on different machines are at most so many commits apart: a level's first nights may be missed.
constexpr std::size_t kNearCommits = 2;
/// Two groups of benchmarks changed together if they share this part of the machines of the smaller one.
constexpr double kSharedMachines = 0.5;
/// What most of the machines that have something show, is said to be due to it.
constexpr double kMostOf = 0.5;
/// Sessions that a machine needs before a change and after it, to tell that there is none.
constexpr std::size_t kBefore = stats::ChangePointDetector::kFewest, kAfter = stats::ChangePointDetector::kPlain;

/// The commits in the order of the repository; those that it does not know by the time they were first measured.
std::map<std::string, std::size_t> positions_of(const FarmInput& input) {
  std::map<std::string, std::string> first;  // by commit, when it was first measured
  for (const results::SessionRecord& session : input.sessions)
    if (session.commit && session.skipped.empty()) {
      const auto [found, added] = first.emplace(*session.commit, session.started);
      if (!added) found->second = std::min(found->second, session.started);
    }
  std::vector<std::string> order;
  std::vector<std::string> by_time;
  for (const auto& [commit, started] : first) by_time.push_back(commit);
  std::ranges::sort(
      by_time, [&](const auto& a, const auto& b) { return std::pair(first.at(a), a) < std::pair(first.at(b), b); });
  std::map<std::string, std::size_t> in_repository;
  for (const std::string& commit : input.commits)
    if (first.contains(commit)) in_repository.emplace(commit, in_repository.size());
  // A commit that the repository does not know stays where its time places it.
  std::vector<std::string> known(in_repository.size());
  for (const auto& [commit, place] : in_repository) known[place] = commit;
  std::size_t next = 0;
  for (const std::string& commit : by_time) order.push_back(in_repository.contains(commit) ? known[next++] : commit);
  std::map<std::string, std::size_t> positions;
  for (const std::string& commit : order) positions.emplace(commit, positions.size());
  return positions;
}

/// A machine and what only the judgement needs of it.
struct Node {
  FarmMachine told;
  std::vector<std::size_t> positions;  ///< of the commits of its sessions in series, ascending
  std::vector<std::time_t> seen;  ///< when its sessions were, ascending; a wrong clock counts as the file's arrival
  std::shared_ptr<const results::MeasurementEnvironment> environment;  ///< of its last session with a right clock
  std::set<std::pair<std::string, int>> measured;

  /// Whether it measured long enough before `after` and from `until` on to tell that there was no change.
  bool can_tell(const std::pair<std::string, int>& benchmark, std::size_t after, std::size_t until) const {
    const auto before = std::ranges::upper_bound(positions, after) - positions.begin();
    const auto later = positions.end() - std::ranges::lower_bound(positions, until);
    return measured.contains(benchmark) && told.hosts.empty() && before >= static_cast<std::ptrdiff_t>(kBefore) &&
           later >= static_cast<std::ptrdiff_t>(kAfter);
  }
};

/// Seconds between two sessions of a machine.
double usual_gap(const Node& node, const results::KnownMachine& known) {
  if (known.every_hours) return *known.every_hours * 3600;
  std::vector<double> gaps;
  for (std::size_t i = 1; i < node.seen.size(); ++i)
    gaps.push_back(static_cast<double>(node.seen[i] - node.seen[i - 1]));
  return gaps.empty() ? kDay : std::max<double>(kDay, stats::median(gaps));
}

std::map<std::string, Node> nodes_of(const FarmInput& input, const std::map<std::string, std::size_t>& positions) {
  std::map<std::string, Node> nodes;
  for (const results::SessionRecord& session : input.sessions) {
    Node& node = nodes[session.machine];
    node.told.id = session.machine;
    ++node.told.sessions;
    const std::optional<std::time_t> started = seconds_of(session.started);
    if (session.wrong_clock || !started) {
      ++node.told.wrong_clocks;
      node.seen.push_back(static_cast<std::time_t>(session.arrived / 1'000'000'000));
      continue;
    }
    node.seen.push_back(*started);
    node.environment = session.environment;
    if (node.told.first.empty()) node.told.first = session.started;
    node.told.last = session.started;
    if (session.skipped.empty() && session.commit) node.positions.push_back(positions.at(*session.commit));
  }
  for (const FarmSeries& series : input.series) {
    Node& node = nodes[series.key.machine];
    ++node.told.series;
    node.measured.emplace(series.key.benchmark, series.key.version);
    for (const std::string& host : series.findings.hosts)
      if (std::ranges::find(node.told.hosts, host) == node.told.hosts.end()) node.told.hosts.push_back(host);
  }
  for (auto& [id, node] : nodes) {
    const results::KnownMachine& known = input.known.at(id);
    node.told.was = known.was;
    if (node.environment == nullptr) node.environment = std::make_shared<results::MeasurementEnvironment>();
    node.told.hardware = hardware_of(*node.environment);
    node.told.class_name = known.class_name.value_or(node.told.hardware);
    std::ranges::sort(node.positions);
    std::ranges::sort(node.seen);
    std::ranges::sort(node.told.hosts);
    node.told.retired = known.retired && utc(input.now) >= *known.retired;
  }
  return nodes;
}

/// Says which machines are silent, and whether all are.
void tell_silence(const FarmInput& input, std::map<std::string, Node>& nodes, Farm& farm) {
  std::time_t last = 0;
  std::vector<double> gaps;
  for (const auto& [id, node] : nodes) {
    const std::optional<std::time_t> started = seconds_of(node.told.last);  // by a right clock
    if (node.told.retired || !started) continue;
    last = std::max(last, *started);
    gaps.push_back(usual_gap(node, input.known.at(id)));
  }
  if (gaps.empty() || input.now == 0) return;
  std::time_t now = input.now;
  if (static_cast<double>(now - last) > kSilentAfter * stats::median(gaps)) {
    farm.silent_since = utc(last);
    now = last;
  }
  for (auto& [id, node] : nodes) {
    if (node.told.retired || node.seen.empty()) continue;
    const std::time_t silent = now - node.seen.back();
    if (static_cast<double>(silent) > kSilentAfter * usual_gap(node, input.known.at(id)))
      node.told.silent_days = static_cast<std::size_t>(silent / kDay);
  }
}

const std::string& fact_of(const Node& node, const char* name) {
  static const std::string kNone;
  const auto found = node.environment->find(name);
  return found == node.environment->end() ? kNone : found->second;
}

/// A silent machine may have lost its name: its host measures under another one.
void tell_lost_names(std::map<std::string, Node>& nodes) {
  for (auto& [id, node] : nodes) {
    if (node.told.silent_days == 0) continue;
    for (const auto& [other_id, other] : nodes)
      if (other_id != id && std::ranges::find(other.told.hosts, fact_of(node, kHost)) != other.told.hosts.end())
        node.told.measures_as = other_id;
  }
}

/// A machine that began when another one of the same host or hardware fell silent may be that one.
void tell_renamed(std::map<std::string, Node>& nodes) {
  for (auto& [id, node] : nodes) {
    if (node.seen.empty() || !node.told.was.empty()) continue;
    for (const auto& [other_id, other] : nodes) {
      if (other.told.silent_days == 0 || other.told.retired || other.seen.empty()) continue;
      if (other.told.measures_as == id) continue;  // one of two hosts of this name: their series are not one
      const std::time_t between = node.seen.front() - other.seen.back();
      if (between < 0 || between > static_cast<std::time_t>(kSilentAfter) * kDay) continue;
      if (hardware_of(*node.environment) != hardware_of(*other.environment)) continue;
      node.told.may_be = other_id;
      if (fact_of(node, kHost) == fact_of(other, kHost)) break;
    }
  }
}

/// One change of one series.
struct Event {
  const FarmSeries* series = nullptr;
  const LevelChange* change = nullptr;
  std::size_t after = 0, until = 0;  ///< positions of the commits surely before it and surely after it

  const std::string& machine() const { return series->key.machine; }
  std::pair<std::string, int> benchmark() const { return {series->key.benchmark, series->key.version}; }
};

/// Changes that belong together.
struct Group {
  std::vector<Event> events;
  std::size_t after = 0, until = 0;  ///< of the places that most of them allow

  bool has(const std::string& machine, const std::pair<std::string, int>& benchmark) const {
    return std::ranges::any_of(
        events, [&](const Event& one) { return one.machine() == machine && one.benchmark() == benchmark; });
  }
  bool is_near(std::size_t other_after, std::size_t other_until) const {
    return other_after < until + kNearCommits && after < other_until + kNearCommits;
  }
  std::set<std::string> machines() const {
    std::set<std::string> all;
    for (const Event& one : events) all.insert(one.machine());
    return all;
  }

  /// The longest run of places that as many events allow as any does.
  void place() {
    std::map<std::size_t, int> bounds;
    std::size_t last = 0;
    for (const Event& one : events) {
      last = std::max({last, one.after, one.until});
      ++bounds[one.after + 1];
      --bounds[std::max(one.until, one.after + 1) + 1];
    }
    int here = 0, most = 0;
    for (auto at = bounds.begin(); at != bounds.end(); ++at) {
      here += at->second;
      const auto next = std::next(at);
      if (next == bounds.end() || here <= most) continue;
      most = here;
      after = at->first - 1;
      until = std::min(next->first - 1, last);  // both are one commit where nights of one commit differ
    }
  }
  void add(const Event& event) {
    events.push_back(event);
    place();
  }
};

bool is_code(const LevelChange& change) {
  return change.may_be_code();
}

/// The events that `wanted` selects, those whose places are best known first.
std::vector<Event> events_of(const FarmInput& input, const std::map<std::string, Node>& nodes,
                             const std::map<std::string, std::size_t>& positions,
                             const std::function<bool(const LevelChange&)>& wanted) {
  std::vector<Event> events;
  for (const FarmSeries& series : input.series) {
    if (!nodes.at(series.key.machine).told.hosts.empty()) continue;
    for (const LevelChange& change : series.findings.changes) {
      if (!wanted(change) || !change.commits.from || !change.commits.to) continue;
      const auto from = positions.find(*change.commits.from), to = positions.find(*change.commits.to);
      if (from == positions.end() || to == positions.end()) continue;
      events.push_back({&series, &change, std::min(from->second, to->second), std::max(from->second, to->second)});
    }
  }
  std::ranges::stable_sort(events, {}, [](const Event& one) { return one.until - one.after; });
  return events;
}

/// Joins the events of one key that are near each other; one machine has one of them for each benchmark.
template <typename Key>
std::vector<Group> grouped(const std::vector<Event>& events, const Key& key) {
  using Name = std::decay_t<decltype(key(events.front()))>;
  std::map<Name, std::vector<Group>> groups;
  for (const Event& event : events) {
    std::vector<Group>& of = groups[key(event)];
    Group* best = nullptr;
    for (Group& group : of)
      if (group.is_near(event.after, event.until) && !group.has(event.machine(), event.benchmark()) &&
          (best == nullptr || group.events.size() > best->events.size()))
        best = &group;
    (best == nullptr ? of.emplace_back() : *best).add(event);
  }
  std::vector<Group> all;
  for (auto& [name, of] : groups) std::ranges::move(of, std::back_inserter(all));
  return all;
}

/// Joins groups that are near each other, if `together` says so of the larger and the smaller one.
std::vector<Group> joined(std::vector<Group> groups, const std::function<bool(const Group&, const Group&)>& together) {
  std::ranges::stable_sort(groups, std::greater<>(), [](const Group& one) { return one.events.size(); });
  std::vector<Group> all;
  for (Group& group : groups) {
    const auto found = std::ranges::find_if(
        all, [&](const Group& one) { return one.is_near(group.after, group.until) && together(one, group); });
    if (found == all.end()) {
      all.push_back(std::move(group));
      continue;
    }
    std::ranges::copy(group.events, std::back_inserter(found->events));
    found->place();
  }
  return all;
}

bool shares_machines(const Group& a, const Group& b) {
  const std::set<std::string> ours = a.machines(), theirs = b.machines();
  const auto both = std::ranges::count_if(theirs, [&](const std::string& one) { return ours.contains(one); });
  return static_cast<double>(both) >= kSharedMachines * static_cast<double>(std::min(ours.size(), theirs.size()));
}

class Teller {
 public:
  Teller(const std::map<std::string, Node>& nodes, const std::map<std::string, std::size_t>& positions)
      : nodes_(nodes), commits_(positions.size()) {
    for (const auto& [commit, position] : positions) commits_[position] = commit;
  }

  FarmChange told(const Group& group) const {
    FarmChange change;
    const LevelChange& one = *group.events.front().change;
    change.regressed = one.regressed();
    change.cause = one.cause;
    change.commits = {commits_[group.after], commits_[group.until]};
    std::vector<double> ratios;
    std::set<std::string> benchmarks;
    for (const Event& event : group.events) {
      if (change.started.empty() || event.change->started < change.started) change.started = event.change->started;
      ratios.push_back(event.change->ratio);
      benchmarks.insert(event.series->key.benchmark);
      change.confidence = std::max(change.confidence, event.change->confidence);
      if (is_code(*event.change)) continue;
      for (const std::string& text : event.change->changed)
        if (event.change->cause != kMachineCause && std::ranges::find(change.changed, text) == change.changed.end())
          change.changed.push_back(text);
    }
    change.ratio = stats::median(ratios);
    std::tie(change.low, change.high) = std::pair(std::ranges::min(ratios), std::ranges::max(ratios));
    change.benchmarks.assign(benchmarks.begin(), benchmarks.end());
    const std::set<std::string> machines = group.machines();
    change.machines.assign(machines.begin(), machines.end());
    for (const auto& [id, node] : nodes_)
      if (!machines.contains(id) && std::ranges::any_of(group.events, [&](const Event& event) {
            return node.can_tell(event.benchmark(), group.after, group.until);
          }))
        change.others.push_back(id);
    tell_reason(change);
    change.is_sure = is_sure(group);
    const auto class_of = [&](const std::string& id) { return nodes_.at(id).told.class_name; };
    change.others_of_class = static_cast<std::size_t>(std::ranges::count_if(
        change.others, [&](const std::string& id) { return class_of(id) == class_of(change.machines.front()); }));
    change.is_confirmed = is_confirmed(group, change);
    return change;
  }

 private:
  /// Two machines that show one benchmark's change are no chance.
  bool is_confirmed(const Group& group, const FarmChange& change) const {
    std::map<std::pair<std::string, int>, std::size_t> shown;
    for (const Event& event : group.events)
      if (++shown[event.benchmark()] >= 2) return true;
    return change.is_sure && change.others_of_class == 0;
  }

  /// Whether its benchmarks would all change by chance in fewer than one in a hundred unchanged machines.
  static bool is_sure(const Group& group) {
    double chance = 1;
    for (const Event& event : group.events) {
      if (event.change->settled) return true;
      if (!event.change->in_hindsight) chance *= 1 - event.change->confidence;
    }
    return chance <= 1 - kSureAlone;
  }

  /// The facts of a machine that may be a reason, the plainest first.
  std::vector<std::pair<std::string, std::string>> facts_of(const std::string& id) const {
    const Node& node = nodes_.at(id);
    std::vector<std::pair<std::string, std::string>> facts{{"class", node.told.class_name}};
    for (const auto& [name, value] : *node.environment)
      if (name != kSeed && name != kHost && name != "memory" && name != "gpus") facts.emplace_back(name, value);
    return facts;
  }

  void tell_reason(FarmChange& change) const {
    if (change.others.empty() || change.machines.size() < 2) return;
    std::map<std::pair<std::string, std::string>, std::pair<std::size_t, std::size_t>> counts;  // with it, and of all
    for (const std::string& id : change.machines)
      for (const auto& fact : facts_of(id)) ++counts[fact].first, ++counts[fact].second;
    for (const std::string& id : change.others)
      for (const auto& fact : facts_of(id))
        if (const auto found = counts.find(fact); found != counts.end()) ++found->second.second;
    double best = kMostOf;
    const std::size_t all = change.machines.size() + change.others.size();
    for (const auto& fact : facts_of(change.machines.front())) {
      const auto [with, of] = counts.at(fact);
      // All that show it have it, and some others have not.
      if (with < change.machines.size() || of == all) continue;
      const double share = static_cast<double>(with) / static_cast<double>(of);
      if (share <= best) continue;
      best = share;
      change.reason = fmt::format("{} {}", fact.first, fact.second);
      change.with_reason = of;
    }
  }

  const std::map<std::string, Node>& nodes_;
  std::vector<std::string> commits_;
};

/// Changes of the code: each benchmark's first, over the machines; then the benchmarks that changed together.
std::vector<Group> code_groups(const FarmInput& input, const std::map<std::string, Node>& nodes,
                               const std::map<std::string, std::size_t>& positions) {
  const std::vector<Event> events = events_of(input, nodes, positions, is_code);
  const auto by_benchmark = [](const Event& event) {
    return std::tuple(event.series->key.benchmark, event.series->key.version, event.change->regressed());
  };
  return joined(grouped(events, by_benchmark), [](const Group& large, const Group& small) {
    if (large.events.front().change->regressed() != small.events.front().change->regressed()) return false;
    // One machine's chance is no part of what several show.
    if ((large.machines().size() > 1) != (small.machines().size() > 1)) return false;
    return shares_machines(large, small);
  });
}

/// Changes of the machines: each machine's first, over its benchmarks; then the machines to which the same happened.
std::vector<Group> machine_groups(const FarmInput& input, const std::map<std::string, Node>& nodes,
                                  const std::map<std::string, std::size_t>& positions) {
  const std::vector<Event> events =
      events_of(input, nodes, positions, [](const LevelChange& change) { return !is_code(change); });
  const auto by_machine = [](const Event& event) {
    const LevelChange& change = *event.change;
    const std::string what = change.cause == kMachineCause || change.changed.empty() ? "" : change.changed.front();
    return std::tuple(event.machine(), change.cause, what, change.regressed());
  };
  return joined(grouped(events, by_machine), [&](const Group& large, const Group& small) {
    const auto [machine, cause, what, regressed] = by_machine(large.events.front());
    const auto [other, other_cause, other_what, other_regressed] = by_machine(small.events.front());
    // What no fact explains on two machines is two machines'.
    return cause != kMachineCause && cause == other_cause && what == other_what && regressed == other_regressed;
  });
}

/// Says of how many commits each change may be.
void count_commits(const FarmInput& input, Farm& farm) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < input.commits.size(); ++i) places.emplace(input.commits[i], i);
  for (FarmChange& change : farm.changes) {
    const auto from = places.find(change.commits.from.value_or("")), to = places.find(change.commits.to.value_or(""));
    if (from != places.end() && to != places.end() && from->second < to->second)
      change.commit_count = to->second - from->second;
  }
}

/// Finds the known alarms among the changes, and those that were fixed.
void tell_alarms(const FarmInput& input, const std::map<std::string, std::size_t>& positions, Farm& farm) {
  const auto place = [&](const std::optional<std::string>& commit) -> std::optional<std::size_t> {
    const auto found = commit ? positions.find(*commit) : positions.end();
    return found == positions.end() ? std::nullopt : std::optional(found->second);
  };
  const auto shares = [](const FarmChange& change, const results::FarmAlarm& alarm) {
    return std::ranges::any_of(change.benchmarks, [&](const std::string& name) {
      return std::ranges::find(alarm.benchmarks, name) != alarm.benchmarks.end();
    });
  };
  for (const results::FarmAlarm& alarm : input.alarms) {
    const auto from = place(alarm.commits.from), to = place(alarm.commits.to);
    if (!from || !to) continue;
    std::set<std::string> worse(alarm.benchmarks.begin(), alarm.benchmarks.end());
    const FarmChange* last = nullptr;
    for (FarmChange& change : farm.changes) {
      const auto after = place(change.commits.from), until = place(change.commits.to);
      if (!after || !until || !change.is_confirmed || !shares(change, alarm)) continue;
      if (change.is_alarm() && *after < *to + kNearCommits && *from < *until + kNearCommits) change.alarm = alarm.id;
      if (change.regressed || *until <= *to) continue;
      for (const std::string& name : change.benchmarks) worse.erase(name);
      if (last == nullptr) last = &change;
    }
    if (worse.empty() && last != nullptr && alarm.state != results::AlarmStep::kEnded)
      farm.fixed.push_back({alarm.id, last->commits});
  }
}

}  // namespace

std::string hardware_of(const results::MeasurementEnvironment& environment) {
  std::vector<std::string> facts;
  for (const char* name : {"processor", "cores", "memory"})
    if (const auto found = environment.find(name); found != environment.end() && !found->second.empty())
      facts.push_back(found->second);
  return facts.empty() ? "unknown hardware" : fmt::format("{}", fmt::join(facts, ", "));
}

Farm judge_farm(const FarmInput& input) {
  Farm farm;
  const std::map<std::string, std::size_t> positions = positions_of(input);
  std::map<std::string, Node> nodes = nodes_of(input, positions);
  tell_silence(input, nodes, farm);
  tell_lost_names(nodes);
  tell_renamed(nodes);
  const Teller teller(nodes, positions);
  for (const std::vector<Group>& groups :
       {code_groups(input, nodes, positions), machine_groups(input, nodes, positions)})
    for (const Group& group : groups) farm.changes.push_back(teller.told(group));
  std::ranges::stable_sort(farm.changes, std::greater<>(), &FarmChange::started);
  count_commits(input, farm);
  tell_alarms(input, positions, farm);
  std::set<std::string> benchmarks;
  for (const FarmSeries& series : input.series) benchmarks.insert(series.key.benchmark);
  farm.benchmarks = benchmarks.size();
  for (auto& [id, node] : nodes) farm.machines.push_back(std::move(node.told));
  return farm;
}

}  // namespace lab::judge
