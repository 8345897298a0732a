#include "variants/object_pool/family/workloads.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "variants/common/workloads/workload.h"

namespace lab::object_pool {

namespace {

constexpr std::size_t kExhibitPairs = 100'000;
constexpr std::size_t kSoakOperations = 100'000'000;
constexpr std::size_t kObjects[] = {10, 100, 1'000, 10'000, 100'000, 1'000'000};
constexpr std::size_t kPercents[] = {10, 25, 50, 75, 90, 99};
constexpr std::size_t kAccesses[] = {1, 4, 16, 64, 256};
constexpr std::size_t kFullCapacity = 131'072, kFullPercent = 99;  // very large and mostly full

constexpr const char* kPair = "pair";
constexpr const char* kSoakMemory = "soak_memory";
constexpr const char* kSoakShare = "soak_share";

constexpr const char* kNoStableRefs =
    "a reference to one of its objects is no longer valid when another one is destroyed";
constexpr const char* kMoves = "its objects move, so a pointer to one cannot be kept";
constexpr const char* kSearchesMillions = "its search would take minutes";

using enum bench::MetricKind;
using enum bench::Better;

bench::Metric memory_metric() {
  return {"memory_bytes", "Memory of the pool", "bytes", kExact, kLess};
}
bench::Metric live_metric() {
  return {"live_bytes", "Bytes of the live objects", "bytes", kExact, kNeither};
}

constexpr std::size_t size_index(std::size_t bytes) {
  return static_cast<std::size_t>(std::find(kChurnBytes.begin(), kChurnBytes.end(), bytes) - kChurnBytes.begin());
}

/// Room beside what lives, as in churn.
constexpr std::size_t capacity_for(std::size_t live) {
  return live + live / 2 + live / 8;
}

std::vector<bench::Workload> churn(const TaskTable& tasks) {
  const bool can = tasks.churn[0] != nullptr, searches = tasks.searches;
  const std::size_t pairs = churn_pairs(kLive, searches);
  const auto make = tasks.churn[size_index(kBytes)];

  bench::Workload one = make_workload(
      "churn", "a random one of 10,000 objects of 64 bytes is destroyed, and one is created; 16,384 slots", {"total"},
      pairs, "pair");
  one.metrics = {memory_metric(), live_metric()};
  one.prepare = [=](const bench::Case& inputs) { return make(churn_plan(inputs.seed, kCapacity, kLive, pairs)); };
  one.exhibits = {{kPair, "Time of a destruction and a creation", bench::ExhibitKind::kLatency}};
  one.exhibit = [=](const bench::Case& inputs, bench::ExhibitFiles& files) {
    files.latency(kPair, make(churn_plan(inputs.seed, kCapacity, kLive, kExhibitPairs))->pair_times());
  };

  bench::Workload bursts = make_workload(
      "churn_bursts",
      "of 10,000 objects of 64 bytes, 1 to 256 random ones are destroyed in a burst, then as many are created; 16,384 "
      "slots",
      {"total"}, pairs, "pair");
  bursts.prepare = [=](const bench::Case& inputs) { return make(burst_plan(inputs.seed, kCapacity, kLive, pairs)); };

  bench::Workload objects =
      make_workload("churn_objects", "churn, by the number of live objects", {"total"}, pairs, "pair");
  objects.axis = bench::Axis{"live objects", "", {}};
  for (const std::size_t live : kObjects)
    objects.axis->points.push_back({static_cast<double>(live), churn_pairs(live, searches)});
  objects.prepare = [=](const bench::Case& inputs) {
    const auto live = static_cast<std::size_t>(inputs.point);
    return make(churn_plan(inputs.seed, capacity_for(live), live, churn_pairs(live, searches)));
  };

  bench::Workload bytes = make_workload("churn_bytes", "churn, by the size of an object", {"total"}, pairs, "pair");
  bytes.axis = bench::Axis{"size of an object", "bytes", {}};
  for (const std::size_t size : kChurnBytes) bytes.axis->points.push_back({static_cast<double>(size)});
  bytes.prepare = [=, churn = tasks.churn](const bench::Case& inputs) {
    return churn[size_index(static_cast<std::size_t>(inputs.point))](churn_plan(inputs.seed, kCapacity, kLive, pairs));
  };

  bench::Workload share =
      make_workload("churn_share", "churn, by the share of the slots that is in use", {"total"}, pairs, "pair");
  share.axis = bench::Axis{"slots in use", "%", {}};
  const auto live_at = [](double percent) { return kCapacity * static_cast<std::size_t>(percent) / 100; };
  for (const std::size_t percent : kPercents)
    share.axis->points.push_back(
        {static_cast<double>(percent), churn_pairs(live_at(static_cast<double>(percent)), searches)});
  share.prepare = [=](const bench::Case& inputs) {
    const std::size_t live = live_at(inputs.point);
    return make(churn_plan(inputs.seed, kCapacity, live, churn_pairs(live, searches)));
  };

  constexpr std::size_t kFullLive = kFullCapacity * kFullPercent / 100;
  bench::Workload full =
      make_workload("churn_full", "churn of a very large pool that is mostly full: 129,761 of 131,072 slots", {"total"},
                    churn_pairs(kFullLive, searches), "pair");
  full.prepare = [=](const bench::Case& inputs) {
    return make(churn_plan(inputs.seed, kFullCapacity, kFullLive, churn_pairs(kFullLive, searches)));
  };

  bench::Workload init = make_workload(
      "init", "churn with all 56 bytes set: by arguments of create() inside the pool, or by the user outside",
      {"inside", "outside"}, pairs, "pair");
  init.prepare = [=, make_init = tasks.init](const bench::Case& inputs) {
    return make_init(churn_plan(inputs.seed, kCapacity, kLive, pairs));
  };

  std::vector<bench::Workload> all;
  for (bench::Workload* workload : {&one, &bursts, &objects, &bytes, &share, &full, &init})
    all.push_back(supported_if(can, kNoStableRefs, std::move(*workload)));
  return all;
}

std::vector<bench::Workload> iteration(const TaskTable& tasks) {
  const auto half = [&](const char* name, const char* title, std::size_t capacity) {
    bench::Workload workload = make_workload(name, title, {"total"}, capacity / 2, "object");
    workload.metrics = {memory_metric(), live_metric()};
    workload.prepare = [make = tasks.iterate, plan = iterate_plan(capacity, tasks.searches)](
                           const bench::Case& inputs) { return make(inputs.seed, plan); };
    return workload;
  };
  return {
      half("iterate_half", "a walk over the half of 16,384 objects that lives; others were replaced before each walk",
           kCapacity),
      supported_if(!tasks.searches, kSearchesMillions,
                   half("iterate_half_large", "a walk over the half of 1,048,576 objects that lives: beyond the caches",
                        kLargeCapacity))};
}

bench::Workload frame(const TaskTable& tasks) {
  bench::Workload workload =
      make_workload("frame", "the chapter's particles: 64 frames that move about 10,000, and create 312 each",
                    {"update", "create"}, kFrames * kSpawned * kFrames / 2, "update");
  workload.phase_operations = {{"create", kFrames * kSpawned}};
  workload.prepare = [make = tasks.frame](const bench::Case& inputs) { return make(frame_plan(inputs.seed), true); };
  return workload;
}

bench::Workload printed_frame(const TaskTable& tasks) {
  bench::Workload workload = make_workload(
      "frame_printed", "the chapter's particles in its pool of 100: 64 frames that move about 64, and create 2 each",
      {"total"}, kFrames * kPrintedSpawned * kFrames / 2, "update");
  workload.prepare = [make = tasks.frame](const bench::Case& inputs) {
    return make(printed_frame_plan(inputs.seed), false);
  };
  return workload;
}

bench::Workload start_up(const TaskTable& tasks) {
  bench::Workload workload = make_workload(
      "start_up", "a pool of 1,048,576 objects is made in fresh memory, gets its first object, and is filled",
      {"construct", "first", "fill"}, kLargeCapacity, "object");
  workload.phase_operations = {{"construct", 1}, {"first", 1}, {"fill", kLargeCapacity - 1}};
  workload.prepare = [make = tasks.start_up](const bench::Case&) { return make(kLargeCapacity); };
  return supported_if(tasks.start_up != nullptr, kNoStableRefs, std::move(workload));
}

std::vector<bench::Workload> overload(const TaskTable& tasks) {
  struct Rule {
    const char* name;
    const char* title;
    LoadRule rule;
  };
  constexpr Rule kRules[] = {
      {"overload_sized", "sounds with a burst beyond 64 voices: the pool has as many as are asked for at once",
       LoadRule::kSized},
      {"overload_ignore", "sounds with a burst beyond 64 voices: a full pool creates nothing", LoadRule::kIgnore},
      {"overload_replace",
       "sounds with a burst beyond 64 voices: in a full pool the quietest sound ends for the new one",
       LoadRule::kReplace},
      {"overload_grow",
       "sounds with a burst beyond 64 voices: a full pool gets another one of 64, which goes when it is empty",
       LoadRule::kGrow}};
  std::vector<bench::Workload> all;
  // All seeds have about as many requests, but not exactly; a time is that of the whole scenario.
  for (const Rule& rule : kRules) {
    bench::Workload workload = make_workload(rule.name, rule.title, {"total"}, 1, "scenario");
    workload.metrics = {
        {"created", "Sounds created", "", kExact, kNeither},
        {"dropped", "Sounds not created", "", kExact, kLess},
        {"replaced", "Sounds ended for a new one", "", kExact, kLess},
        {"grown", "Pools added", "", kExact, kLess},
        {"given_back", "Pools given back", "", kExact, kNeither},
        {"peak_bytes", "Most memory", "bytes", kExact, kLess},
        {"bytes_after", "Memory afterwards", "bytes", kExact, kLess},
        {"unheard_share", "Share of loudness x time that is asked for and not heard", "", kExact, kLess}};
    if (rule.rule == LoadRule::kReplace) workload.version = 2;  // version 1 ended no sound for a quieter one
    workload.prepare = [make = tasks.overload, rule = rule.rule](const bench::Case& inputs) {
      return make(sound_plan(inputs.seed), rule);
    };
    all.push_back(std::move(workload));
  }
  return all;
}

bench::Workload references(const TaskTable& tasks) {
  bench::Workload workload =
      make_workload("references", "objects with a counted reference are destroyed without clearing it, and with",
                    {"kept", "cleared"}, AnyReferences::kObjects * AnyReferences::kRounds, "object");
  workload.metrics = {{"kept_targets", "Targets still referred to when nothing lives", "", kExact, kLess},
                      {"kept_targets_cleared", "The same after clearing", "", kExact, kLess}};
  workload.prepare = [make = tasks.references](const bench::Case&) { return make(); };
  return supported_if(tasks.references != nullptr, kNoStableRefs, std::move(workload));
}

bench::Workload holders(const TaskTable& tasks) {
  bench::Workload workload = make_workload(
      "holders", "4,096 holders of 1,024 objects, in 2,048 slots: pointers that are told when an object ends, or IDs",
      {"pointers", "ids"}, AnyHolders::kCreations, "access");
  workload.axis = bench::Axis{"accesses per creation", "", {}};
  for (const std::size_t accesses : kAccesses)
    workload.axis->points.push_back({static_cast<double>(accesses), AnyHolders::kCreations * accesses});
  workload.prepare = [make = tasks.holders](const bench::Case& inputs) {
    return make(inputs.seed, static_cast<std::size_t>(inputs.point));
  };
  return supported_if(tasks.holders != nullptr, tasks.moves ? kMoves : kNoStableRefs, std::move(workload));
}

std::vector<bench::Metric> soak_metrics() {
  return {{"held_bytes", "Memory held", "bytes", kMemory, kLess},
          live_metric(),
          {"free_bytes", "Part of the heap that is free", "bytes", kMemory, kLess},
          {"largest_free_bytes", "Its largest piece", "bytes", kMemory, kMore}};
}

bench::Workload sizes(const TaskTable& tasks, const char* name, const char* title, MakeSoak make) {
  bench::Workload workload = make_workload(name, title, {"total"}, 200'000, "pair");
  workload.metrics = soak_metrics();
  workload.prepare = [is_heap = tasks.is_heap, make](const bench::Case& inputs) {
    return soak_task(is_heap, make, inputs.seed, SizeMix::kRarelyLarge);
  };
  return supported_if(make != nullptr, tasks.unstable_refs ? kNoStableRefs : kSearchesMillions, std::move(workload));
}

bench::Workload soak(const TaskTable& tasks) {
  bench::Workload workload =
      make_workload("soak", "16,384 objects of 8 sizes with long and short lives; each level of a game wants others",
                    {"total"}, 200'000, "pair");
  workload.metrics = soak_metrics();
  workload.prepare = [tasks](const bench::Case& inputs) {
    return soak_task(tasks.is_heap, tasks.soak, inputs.seed, SizeMix::kLevels);
  };
  workload.exhibits = {
      {kSoakMemory, "Memory held over 100,000,000 creations and destructions", bench::ExhibitKind::kSeries},
      {kSoakShare, "Memory held per live byte over 100,000,000 creations and destructions",
       bench::ExhibitKind::kSeries}};
  workload.exhibit = [tasks](const bench::Case& inputs, bench::ExhibitFiles& files) {
    const SoakSeries series = soak_series(tasks, inputs.seed, kSoakOperations);
    files.series(kSoakMemory, series.memory);
    files.series(kSoakShare, series.share);
  };
  return supported_if(tasks.soak != nullptr, tasks.unstable_refs ? kNoStableRefs : kSearchesMillions,
                      std::move(workload));
}

}  // namespace

std::vector<bench::Workload> workloads(const TaskTable& tasks) {
  std::vector<bench::Workload> all = churn(tasks);
  const auto add = [&all](std::vector<bench::Workload> more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  add(iteration(tasks));
  all.push_back(frame(tasks));
  all.push_back(printed_frame(tasks));
  all.push_back(start_up(tasks));
  add(overload(tasks));
  all.push_back(references(tasks));
  all.push_back(holders(tasks));
  all.push_back(sizes(tasks, "sizes_apart",
                      "16,384 objects of 16 to 512 bytes, of which each size is half as many as the next smaller one: "
                      "a pool for each size",
                      tasks.soak));
  all.push_back(sizes(tasks, "sizes_largest",
                      "16,384 objects of 16 to 512 bytes, of which each size is half as many as the next smaller one: "
                      "one pool, whose slots have the largest size",
                      tasks.largest_slots));
  all.push_back(soak(tasks));
  return all;
}

}  // namespace lab::object_pool
