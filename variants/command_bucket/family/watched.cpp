#include "variants/command_bucket/family/watched.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "variants/designs/threads/thread_slot.h"

namespace lab::command_bucket {

namespace {

using Moment = std::chrono::steady_clock::time_point;

struct Noted {
  const char* what;
  Moment begin, end;
};

struct alignas(designs::kApart) NotedByThread {
  std::vector<Noted> events;
};

// What is watched. A store constructs its memory and its slots by itself, so that nothing can be handed to them; one
// frame of a process is watched at a time.
const WatchedParts* watched_parts = nullptr;
std::vector<NotedByThread> noted;  // by thread; empty while nothing is noted

/// The calling thread did `what` from `begin` until now. Allocates nothing: that would change the heap that is watched.
void note(const char* what, Moment begin) {
  if (designs::thread_slot >= noted.size()) return;
  std::vector<Noted>& events = noted[designs::thread_slot].events;
  if (events.size() < events.capacity()) events.push_back({what, begin, std::chrono::steady_clock::now()});
}

/// `most`: events of one thread.
void start_notes(unsigned threads, std::size_t most) {
  noted.assign(threads, {});
  for (NotedByThread& of_thread : noted) of_thread.events.reserve(most);
}

std::int64_t nanoseconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

/// By their begin; what contains others is before them.
void sort_events(std::vector<bench::Event>& events) {
  std::ranges::stable_sort(events, [](const bench::Event& a, const bench::Event& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.length > b.length;
  });
}

std::vector<bench::Event> end_notes(Moment zero) {
  std::vector<bench::Event> events;
  for (unsigned thread = 0; thread < noted.size(); ++thread)
    for (const Noted& one : noted[thread].events)
      events.push_back({one.what, thread, nanoseconds(one.begin - zero), nanoseconds(one.end - one.begin)});
  noted.clear();
  sort_events(events);
  return events;
}

class WatchedMemory {
 public:
  explicit WatchedMemory(const Budget& budget) : memory_(watched_parts->make_memory(budget)) {}
  std::byte* allocate(std::size_t bytes) {
    const Moment begin = std::chrono::steady_clock::now();
    std::byte* const packet = memory_->allocate(bytes);
    note("packet", begin);
    return packet;
  }
  void reset() { memory_->reset(); }
  std::size_t used() const { return memory_->used(); }

 protected:
  std::unique_ptr<AnyMemory> memory_;
};

template <FreeOrder kOrder>
class WatchedFreeingMemory : public WatchedMemory {
 public:
  static constexpr FreeOrder kFreeOrder = kOrder;
  using WatchedMemory::WatchedMemory;
  void release(std::byte* packet) { memory_->release(packet); }
};

/// Remembers the claims, so that it can close the holes of any slots.
class WatchedSlots {
 public:
  static constexpr std::size_t kAtOnce = 1;  // unused: the watched slots have their own

  WatchedSlots(std::size_t capacity, unsigned threads, std::size_t = kAtOnce)
      : slots_(watched_parts->make_slots(capacity, threads)), claimed_(threads) {
    for (ClaimedByThread& of_thread : claimed_) of_thread.slots.reserve(2 * kExhibitComponents);
  }
  static std::size_t capacity(std::size_t claims, unsigned threads, std::size_t = kAtOnce) {
    return watched_parts->capacity(claims, threads);
  }

  std::size_t claim() {
    const std::size_t at_once = watched_parts->at_once;
    const Moment begin = std::chrono::steady_clock::now();
    const std::size_t slot = slots_->claim();
    note(at_once > 1 && slot % at_once == 0 ? "block" : "entry", begin);
    if (slot != designs::kNoSlot) claimed_[designs::thread_slot].slots.push_back(slot);
    return slot;
  }
  void reset() {
    slots_->reset();
    for (ClaimedByThread& of_thread : claimed_) of_thread.slots.clear();
  }

  template <typename Move>
  std::size_t compact(Move&& move) const {
    std::vector<std::size_t> claimed;
    for (const ClaimedByThread& of_thread : claimed_)
      claimed.insert(claimed.end(), of_thread.slots.begin(), of_thread.slots.end());
    std::ranges::sort(claimed);
    std::size_t last = claimed.size();
    for (std::size_t slot = 0, next = 0; slot < claimed.size(); ++slot) {
      if (claimed[next] == slot)
        ++next;
      else
        move(claimed[--last], slot, 1);
    }
    return claimed.size();
  }

 private:
  struct alignas(designs::kApart) ClaimedByThread {
    std::vector<std::size_t> slots;
  };
  std::unique_ptr<AnySlots> slots_;
  std::vector<ClaimedByThread> claimed_;
};

/// For RunBuckets.
class Noting {
 public:
  void packet() { end("packet"); }
  void entry(bool block) { end(block ? "block" : "entry"); }

 private:
  void end(const char* what) {
    note(what, begin_);
    begin_ = std::chrono::steady_clock::now();
  }
  Moment begin_ = std::chrono::steady_clock::now();
};

class WatchedPool {
 public:
  WatchedPool(designs::WorkerPool& pool) : pool_(pool) {}
  unsigned workers() const { return pool_.workers(); }
  template <typename Task>
  void run(std::size_t tasks, const Task& task) {
    pool_.run(tasks, [&](std::size_t i) {
      const Moment begin = std::chrono::steady_clock::now();
      task(i);
      note("task", begin);
    });
  }

 private:
  designs::WorkerPool& pool_;
};

using OneLayout = ScatteredKeys::Of<KeyLayout::kScattered>;

template <typename Store>
std::unique_ptr<Frame> frame_over(const Renderer& renderer, const Scene& scene, designs::WorkerPool& pool) {
  FrameOptions options;
  if (renderer.parts.kind == StoreKind::kPagedRuns) options.at_once = renderer.parts.at_once;
  if (renderer.threading == Threading::kOne)
    return std::make_unique<FrameOf<Store, OneLayout, Threading::kOne, WatchedPool>>(scene, pool, options);
  return std::make_unique<FrameOf<Store, OneLayout, Threading::kPool, WatchedPool>>(scene, pool, options);
}

using FreeingBySubmission = WatchedFreeingMemory<FreeOrder::kSubmission>;
using FreeingByAllocation = WatchedFreeingMemory<FreeOrder::kAllocation>;
using PagedRuns = RunBuckets<CompactPacket, SortFromRuns, 1, false, Noting>;  // the options have the size of a page
using WholeRuns = RunBuckets<ArticlePacket, MergeSortedRuns, kWholeBucket, false, Noting>;

std::unique_ptr<Frame> make_watched_frame(const Renderer& renderer, const Scene& scene, designs::WorkerPool& pool) {
  watched_parts = &renderer.parts;
  switch (renderer.parts.kind) {
    case StoreKind::kUnionItems:
      return frame_over<ItemBuckets<UnionItem, WatchedSlots>>(renderer, scene, pool);
    case StoreKind::kDrawItems:
      return frame_over<ItemBuckets<DrawItem, WatchedSlots>>(renderer, scene, pool);
    case StoreKind::kPagedRuns:
      return frame_over<PagedRuns>(renderer, scene, pool);
    case StoreKind::kWholeRuns:
      return frame_over<WholeRuns>(renderer, scene, pool);
    case StoreKind::kBuckets:
      break;
  }
  if (!renderer.parts.frees) return frame_over<Buckets<WatchedMemory, WatchedSlots>>(renderer, scene, pool);
  return *renderer.parts.frees == FreeOrder::kSubmission
             ? frame_over<Buckets<FreeingBySubmission, WatchedSlots>>(renderer, scene, pool)
             : frame_over<Buckets<FreeingByAllocation, WatchedSlots>>(renderer, scene, pool);
}

/// Adds what each thread does between its tasks, from 0 to `end`: it waits.
void add_waits(std::vector<bench::Event>& events, unsigned threads, std::int64_t end) {
  std::vector<std::int64_t> free_since(threads, 0);
  std::vector<bench::Event> waits;
  const auto wait = [&](unsigned thread, std::int64_t until) {
    if (until > free_since[thread]) waits.push_back({"wait", thread, free_since[thread], until - free_since[thread]});
  };
  for (const bench::Event& event : events) {
    if (event.name != "task") continue;
    wait(event.thread, event.begin);
    free_since[event.thread] = event.begin + event.length;
  }
  for (unsigned thread = 0; thread < threads; ++thread) wait(thread, end);
  events.insert(events.end(), waits.begin(), waits.end());
  sort_events(events);
}

}  // namespace

std::vector<bench::Event> watched_frame(const Renderer& renderer, const Scene& scene, designs::WorkerPool& pool) {
  const std::unique_ptr<Frame> frame = make_watched_frame(renderer, scene, pool);
  frame->reset_heap();
  frame->add();
  frame->sort();
  frame->clear();
  frame->reset_heap();
  start_notes(pool.workers(), 3 * scene.commands());  // at most a packet, an entry and a task for each command
  pool.gather();
  const Moment begin = std::chrono::steady_clock::now();
  frame->add();
  const Moment end = std::chrono::steady_clock::now();
  if (renderer.threading == Threading::kOne) note("task", begin);  // it has no smaller ones
  std::vector<bench::Event> events = end_notes(begin);
  add_waits(events, pool.workers(), nanoseconds(end - begin));
  frame->sort();
  frame->clear();
  return events;
}

}  // namespace lab::command_bucket
