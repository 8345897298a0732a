#include "variants/command_bucket/family/command_bucket.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/random.h"
#include "harness/base/scratch_folder.h"
#include "harness/bench/exhibits.h"
#include "harness/bench/variant.h"
#include "variants/command_bucket/family/item_buckets.h"
#include "variants/command_bucket/family/run_buckets.h"
#include "variants/command_bucket/family/watched.h"
#include "variants/common/heaps/growth.h"
#include "variants/designs/addresses/linear.h"
#include "variants/designs/addresses/thread_local_linear.h"
#include "variants/designs/offsets/slot_blocks.h"
#include "variants/designs/offsets/slot_counter.h"

namespace lab::command_bucket {
namespace {

template <typename Store, Threading kThreading>
using FrameOver = FrameOf<Store, ScatteredKeys::Of<KeyLayout::kScattered>, kThreading>;

using Simple = FrameOver<Buckets<LinearPackets<designs::Linear>, designs::SlotCounter>, Threading::kOne>;
using Last = FrameOver<Buckets<LinearPackets<designs::ThreadLocalLinear>, designs::SlotBlocks<>>, Threading::kPool>;
using Items = FrameOver<ItemBuckets<UnionItem, designs::AtomicSlotCounter>, Threading::kPool>;
using DrawItems = FrameOver<ItemBuckets<DrawItem, designs::SaturatingSlotCounter>, Threading::kPool>;
using PagedRuns = FrameOver<RunBuckets<CompactPacket, SortFromRuns, 256, true>, Threading::kPool>;
using ThreadBuckets = FrameOver<RunBuckets<ArticlePacket, MergeSortedRuns, kWholeBucket, false>, Threading::kPool>;

std::uint64_t checksum_of(Frame& frame) {
  Backend backend;
  frame.submit(backend);
  return backend.checksum.value();
}

/// A sorted frame and its checksum.
template <typename Version>
struct Sorted {
  Sorted(std::size_t meshes, std::size_t lights, unsigned workers)
      : scene(make_scene(1, meshes, lights, 0)), pool(workers), frame(scene, pool) {
    frame.add();
    frame.sort();
    right = checksum_of(frame);
  }

  Scene scene;
  designs::WorkerPool pool;
  Version frame;
  std::uint64_t right = 0;
};

TEST(Scene, has_unique_keys_in_random_order_in_every_bucket) {
  const Scene scene = make_scene(5, 10'000, 10'000, 0);
  for (const Layer layer : kAllLayers) {
    std::set<std::uint64_t> keys;
    std::size_t neighbours = 0;
    for (const Component& mesh : scene.meshes) keys.insert(scattered_key(scene, layer, mesh));
    EXPECT_EQ(keys.size(), 10'000u);
    for (std::size_t i = 1; i < scene.meshes.size(); ++i) {
      const auto at = keys.find(scattered_key(scene, layer, scene.meshes[i - 1]));
      neighbours += std::next(at) != keys.end() && *std::next(at) == scattered_key(scene, layer, scene.meshes[i]);
    }
    EXPECT_LT(neighbours, 10u);  // a random order has one on average
  }
}

TEST(Scene, depends_only_on_its_seed) {
  EXPECT_EQ(expected(make_scene(1, 50, 50, 3)).checksum.value(), expected(make_scene(1, 50, 50, 3)).checksum.value());
  EXPECT_NE(expected(make_scene(1, 50, 50, 3)).checksum.value(), expected(make_scene(2, 50, 50, 3)).checksum.value());
  EXPECT_NE(expected(make_scene(1, 50, 50, 3)).checksum.value(), expected(make_scene(1, 50, 50, 4)).checksum.value());
}

TEST(Packets, have_the_articles_sizes_and_no_gaps) {
  Sorted<Simple> sorted(10'000, 10'000, 1);
  EXPECT_EQ(sorted.frame.packet_memory_bytes(), 30'000u * 36 + 10'000u * 20);
}

// --- Packets that are freed one by one -------------------------------------------------------------------------------

/// A heap with one LIFO list of free blocks per size.
template <FreeOrder kOrder>
class Stacks {
 public:
  static constexpr FreeOrder kFreeOrder = kOrder;

  explicit Stacks(const Budget& budget) : buffer_(budget.bytes<ArticlePacket>(4) * budget.threads) {}
  std::byte* allocate(std::size_t bytes) {
    std::vector<std::byte*>& free = free_[bytes];
    if (free.empty()) {
      sizes_[&buffer_.at(used_)] = bytes;
      free.push_back(&buffer_[used_]);
      used_ += bytes;
    }
    std::byte* const block = free.back();
    free.pop_back();
    return block;
  }
  void release(std::byte* packet) { free_[sizes_.at(packet)].push_back(packet); }
  void reset() {}
  std::size_t used() const { return 0; }

  /// Reorders the free lists, as other allocations between two frames may do.
  void disturb() {
    for (auto& [bytes, free] : free_) std::sort(free.begin(), free.end());
  }

 private:
  std::vector<std::byte> buffer_;
  std::size_t used_ = 0;
  std::map<std::byte*, std::size_t> sizes_;
  std::map<std::size_t, std::vector<std::byte*>> free_;
};

/// The addresses of the next frame's packets, in the order of allocation.
template <typename Version>
std::vector<std::byte*> next_places(Version& frame, const std::vector<std::uint32_t>& order) {
  frame.add();
  frame.sort();
  std::vector<std::byte*> places(order.size());
  auto place = order.begin();
  for (const Layer layer : kAllLayers)
    for (std::byte* packet : frame.store().packets(layer))
      for (; packet != nullptr; packet = ArticlePacket::next(packet)) places[*place++] = packet;
  frame.clear();
  return places;
}

TEST(SubmissionOrder, maps_submission_to_allocation_order) {
  const Scene scene = make_scene(3, 40, 30, 0);
  designs::WorkerPool pool(1);
  Simple frame(scene, pool);
  const std::vector<std::byte*> places = next_places(frame, submission_order(scene));
  EXPECT_EQ(places.size(), scene.commands());
  EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
}

template <FreeOrder kOrder>
using OnStacks = FrameOver<Buckets<Stacks<kOrder>, designs::SlotCounter>, Threading::kOne>;

template <FreeOrder kOrder>
void expect_the_same_heap_in_every_frame() {
  const Scene scene = make_scene(3, 400, 300, 0);
  const std::vector<std::uint32_t> order = submission_order(scene);
  designs::WorkerPool pool(1);
  OnStacks<kOrder> frame(scene, pool);
  frame.reset_heap();
  const std::vector<std::byte*> first = next_places(frame, order);
  EXPECT_NE(next_places(frame, order), first) << "without reset_heap() a frame changes the heap";
  for (int repetition = 0; repetition < 3; ++repetition) {
    frame.reset_heap();
    EXPECT_EQ(next_places(frame, order), first);
    frame.store().memory().disturb();
  }
}

TEST(FreedPackets, leave_the_same_heap_for_every_timed_frame) {
  expect_the_same_heap_in_every_frame<FreeOrder::kSubmission>();
  expect_the_same_heap_in_every_frame<FreeOrder::kAllocation>();
}

TEST(FreedPackets, decide_by_their_order_whether_the_next_frames_packets_are_neighbours) {
  const Scene scene = make_scene(3, 400, 0, 0);
  const std::vector<std::uint32_t> order = submission_order(scene);
  designs::WorkerPool pool(1);
  OnStacks<FreeOrder::kAllocation> fifo(scene, pool);
  fifo.reset_heap();
  const std::vector<std::byte*> neighbours = next_places(fifo, order);
  EXPECT_TRUE(std::is_sorted(neighbours.rbegin(), neighbours.rend())) << "the last freed block is allocated first";

  OnStacks<FreeOrder::kSubmission> scattered(scene, pool);
  scattered.reset_heap();
  const std::vector<std::byte*> places = next_places(scattered, order);
  for (std::size_t i = 0; i < order.size(); ++i)
    EXPECT_EQ(places[i] - *std::min_element(places.begin(), places.end()),
              static_cast<std::ptrdiff_t>(order[order.size() - 1 - i] * ArticlePacket::kBytes<Draw>));
}

TEST(Checksum, changes_when_any_two_packets_are_swapped) {
  Sorted<Last> sorted(23, 17, 3);
  for (const Layer layer : kAllLayers) {
    const auto packets = sorted.frame.store().packets(layer);
    for (std::size_t a = 0; a < packets.size(); ++a)
      for (std::size_t b = a + 1; b < packets.size(); ++b) {
        std::swap(packets[a], packets[b]);
        EXPECT_NE(checksum_of(sorted.frame), sorted.right);
        std::swap(packets[a], packets[b]);
      }
  }
  std::swap(sorted.frame.store().packets(kGBuffer)[0], sorted.frame.store().packets(kShadowMap)[0]);
  EXPECT_NE(checksum_of(sorted.frame), sorted.right);
  std::swap(sorted.frame.store().packets(kGBuffer)[0], sorted.frame.store().packets(kShadowMap)[0]);
  EXPECT_EQ(checksum_of(sorted.frame), sorted.right);
}

/// Submits the chains of every bucket in these orders.
std::uint64_t submitted_in(Frame& frame, const std::array<std::vector<std::size_t>, kLayers>& orders) {
  Backend backend;
  for (const Layer layer : kAllLayers)
    for (const std::size_t i : orders[layer]) frame.submit(layer, i, i + 1, backend);
  return backend.checksum.value();
}

template <typename Version>
void expect_any_dropped_repeated_or_swapped_chain_changes_the_checksum() {
  Sorted<Version> sorted(23, 17, 3);
  std::array<std::vector<std::size_t>, kLayers> orders;
  for (const Layer layer : kAllLayers)
    for (std::size_t i = 0; i < sorted.frame.size(layer); ++i) orders[layer].push_back(i);
  EXPECT_EQ(submitted_in(sorted.frame, orders), sorted.right);
  for (const Layer layer : kAllLayers)
    for (std::size_t i = 0; i < orders[layer].size(); ++i) {
      const auto changed = [&](const auto& change) {
        auto other = orders;
        change(other[layer], other[layer].begin() + static_cast<std::ptrdiff_t>(i));
        return submitted_in(sorted.frame, other);
      };
      EXPECT_NE(changed([](auto& list, auto at) { list.erase(at); }), sorted.right);
      EXPECT_NE(changed([](auto& list, auto at) { list.insert(at, *at); }), sorted.right);
      for (std::size_t other = 0; other < i; ++other)
        EXPECT_NE(changed([&](auto& list, auto at) { std::swap(*at, list[other]); }), sorted.right);
    }
}

TEST(Checksum, changes_when_any_chain_of_any_store_is_dropped_repeated_or_swapped) {
  expect_any_dropped_repeated_or_swapped_chain_changes_the_checksum<Last>();
  expect_any_dropped_repeated_or_swapped_chain_changes_the_checksum<Items>();
  expect_any_dropped_repeated_or_swapped_chain_changes_the_checksum<DrawItems>();
  expect_any_dropped_repeated_or_swapped_chain_changes_the_checksum<PagedRuns>();
  expect_any_dropped_repeated_or_swapped_chain_changes_the_checksum<ThreadBuckets>();
}

TEST(Checksum, changes_when_a_chain_loses_repeats_or_swaps_a_packet) {
  Sorted<Last> sorted(0, 17, 3);
  for (std::byte*& first : sorted.frame.store().packets(kLighting)) {
    std::byte* const map = first;
    std::byte* const draw = ArticlePacket::next(map);
    ASSERT_NE(draw, nullptr);
    ASSERT_EQ(ArticlePacket::next(draw), nullptr);

    ArticlePacket::store_next(map, nullptr);
    EXPECT_NE(checksum_of(sorted.frame), sorted.right) << "without the draw";
    ArticlePacket::store_next(draw, map);
    first = draw;
    EXPECT_NE(checksum_of(sorted.frame), sorted.right) << "draw before map";
    ArticlePacket::store_next(draw, nullptr);
    EXPECT_NE(checksum_of(sorted.frame), sorted.right) << "without the map";
    first = map;
    ArticlePacket::store_next(map, draw);

    std::byte twin[ArticlePacket::kBytes<Draw>];
    std::memcpy(twin, draw, sizeof twin);
    ArticlePacket::store_next(draw, twin);
    EXPECT_NE(checksum_of(sorted.frame), sorted.right) << "the draw twice";
    ArticlePacket::store_next(draw, nullptr);
    EXPECT_EQ(checksum_of(sorted.frame), sorted.right);
  }
}

TEST(Checksum, depends_on_every_bit_of_every_command) {
  Sorted<Simple> sorted(3, 3, 1);
  const auto expect_each_bit_counts = [&](std::byte* packet, std::size_t bytes) {
    for (std::size_t bit = 0; bit < 8 * (bytes - ArticlePacket::kCommandAt); ++bit) {
      std::byte& byte = packet[ArticlePacket::kCommandAt + bit / 8];
      byte ^= std::byte{1} << bit % 8;
      EXPECT_NE(checksum_of(sorted.frame), sorted.right) << "bit " << bit;
      byte ^= std::byte{1} << bit % 8;
    }
  };
  for (const Layer layer : {kGBuffer, kShadowMap})
    for (std::byte* packet : sorted.frame.store().packets(layer))
      expect_each_bit_counts(packet, ArticlePacket::kBytes<Draw>);
  for (std::byte* packet : sorted.frame.store().packets(kLighting)) {
    expect_each_bit_counts(packet, ArticlePacket::kBytes<MapConstants>);
    expect_each_bit_counts(ArticlePacket::next(packet), ArticlePacket::kBytes<Draw>);
  }
}

/// The number of conformance checks that fail for a version made of these parts.
template <PacketMemory Memory, EntrySlots Slots>
std::size_t failures_of() {
  std::size_t failures = 0;
  for (const bench::ConformanceCheck& check :
       make_variant<Buckets<Memory, Slots>, Threading::kPool>("", {}).conformance)
    failures += !check.what_is_wrong().empty();
  return failures;
}

using Packets = LinearPackets<designs::ThreadLocalLinear>;

/// Uses every second entry and closes no hole. (SlotBlocks itself leaves a hole only if threads share a bucket
/// unevenly.)
struct HolesLeft : designs::AtomicSlotCounter {
  explicit HolesLeft(std::size_t capacity, unsigned threads = 1, std::size_t = 1)
      : AtomicSlotCounter(capacity / 2, threads) {}
  static std::size_t capacity(std::size_t claims, unsigned threads, std::size_t = 1) {
    return 2 * AtomicSlotCounter::capacity(claims, threads);
  }
  std::size_t claim() {
    const std::size_t slot = AtomicSlotCounter::claim();
    return slot == designs::kNoSlot ? slot : 2 * slot;
  }
};

/// Loses the last entry of each frame.
struct OneLost : designs::AtomicSlotCounter {
  using AtomicSlotCounter::AtomicSlotCounter;
  template <typename Move>
  std::size_t compact(Move&& move) const {
    const std::size_t count = AtomicSlotCounter::compact(move);
    return count == 0 ? 0 : count - 1;
  }
};

/// Returns packets that overlap by 4 bytes.
struct Overlapping : Packets {
  using Packets::Packets;
  std::byte* allocate(std::size_t bytes) { return Packets::allocate(bytes - 4); }
};

/// Returns packets at odd addresses.
struct Misaligned : Packets {
  explicit Misaligned(Budget budget) : Packets(twice(budget)) {}
  static Budget twice(Budget budget) {
    budget.draws *= 2;
    budget.maps *= 2;
    return budget;
  }
  std::byte* allocate(std::size_t bytes) { return Packets::allocate(bytes + 4) + 1; }
};

struct Understating : Packets {
  using Packets::Packets;
  std::size_t used() const { return Packets::used() / 2; }
};

struct Overstating : Packets {
  using Packets::Packets;
  std::size_t used() const { return 3 * Packets::used(); }
};

struct Leaking : NewPackets<FreeOrder::kAllocation> {
  using NewPackets::NewPackets;
  void release(std::byte*) {}
};

TEST(Conformance, finds_misaligned_packets_wrong_used_bytes_and_leaks) {
#if !defined(__SANITIZE_ADDRESS__)  // its build has UBSan, which ends a process that uses such a packet
  EXPECT_GT((failures_of<Misaligned, designs::AtomicSlotCounter>()), 0u);
#endif
  EXPECT_GT((failures_of<Understating, designs::AtomicSlotCounter>()), 0u);
  EXPECT_GT((failures_of<Overstating, designs::AtomicSlotCounter>()), 0u);
  EXPECT_EQ((failures_of<NewPackets<FreeOrder::kAllocation>, designs::AtomicSlotCounter>()), 0u);
  if (kMemoryIsMeasurable) {
    EXPECT_EQ((failures_of<Leaking, designs::AtomicSlotCounter>()), 1u);
  }
}

TEST(Conformance, finds_holes_lost_entries_and_overlapping_packets) {
  EXPECT_EQ((failures_of<Packets, designs::SlotBlocks<>>()), 0u);
  EXPECT_GT((failures_of<Packets, HolesLeft>()), 0u);
  EXPECT_GT((failures_of<Packets, OneLost>()), 0u);
  EXPECT_GT((failures_of<Overlapping, designs::AtomicSlotCounter>()), 0u);
}

// --- The sweep and the exhibits --------------------------------------------------------------------------------------

using Version7 = Buckets<Packets, designs::SlotBlocks<>>;
using OnNew = Buckets<NewPackets<FreeOrder::kSubmission>, designs::SlotCounter>;

template <typename Store, Threading kThreading>
bench::Workload workload_of(const char* name) {
  const bench::Variant& variant = make_variant<Store, kThreading>("", {});
  return *std::ranges::find(variant.workloads, name, &bench::Workload::name);
}

TEST(Sweep, of_threads_goes_to_16_or_twice_the_cores_and_every_point_renders_the_same_frame) {
  const bench::Workload sweep = workload_of<Version7, Threading::kPool>("frame_threads");
  const bench::Workload frame = workload_of<Version7, Threading::kPool>("frame_work");
  std::vector<double> points;
  for (const bench::AxisPoint& point : sweep.axis->points) points.push_back(point.at);
  std::vector<double> wanted{1, 2, 4, 8, 16};
  while (2 * wanted.back() <= 2 * std::thread::hardware_concurrency()) wanted.push_back(2 * wanted.back());
  EXPECT_EQ(points, wanted);
  points = {1, 2, 4, 8, 16};
  const auto checksum = [](const bench::Workload& workload, double point) {
    bench::PhaseClock clock(workload.phases.size());
    return workload.prepare({.seed = 7, .threads = 2, .device = {}, .assets = {}, .point = point})->repeat(clock);
  };
  for (const double point : points) EXPECT_EQ(checksum(sweep, point), checksum(frame, 0)) << point << " threads";
}

TEST(Sweep, is_not_of_a_version_on_one_thread) {
  const bench::Workload sweep = workload_of<Version7, Threading::kOne>("frame_threads");
  EXPECT_EQ(sweep.unsupported, "the version adds its commands on one thread");
  EXPECT_FALSE(sweep.prepare);
  EXPECT_GE(sweep.axis->points.size(), 5u);
}

TEST(Sweeps, of_tasks_and_claims_render_the_same_frame_at_every_point) {
  for (const char* name : {"frame_tasks", "frame_claims"}) {
    const bench::Workload sweep = workload_of<Version7, Threading::kPool>(name);
    std::set<std::uint64_t> checksums;
    for (const bench::AxisPoint& point : sweep.axis->points) {
      bench::PhaseClock clock(sweep.phases.size());
      checksums.insert(
          sweep.prepare({.seed = 7, .threads = 2, .device = {}, .assets = {}, .point = point.at})->repeat(clock));
    }
    EXPECT_EQ(checksums.size(), 1u) << name;
  }
  using Counted = Buckets<Packets, designs::AtomicSlotCounter>;
  EXPECT_FALSE((workload_of<Counted, Threading::kPool>("frame_claims").prepare));
}

template <typename Store, Threading kThreading>
void expect_exhibits(unsigned threads) {
  const bench::Workload workload = workload_of<Store, kThreading>("frame_work");
  const ScratchFolder folder;
  bench::ExhibitFiles files(folder.path(), workload.exhibits);
  workload.exhibit({.seed = 1, .threads = threads}, files);
  EXPECT_TRUE(files.finish());
  EXPECT_EQ(read_file(folder.path() / "frame_times.u32")->size(), 1000 * sizeof(std::uint32_t));
  EXPECT_TRUE(read_file(folder.path() / "thread_events.trace.json"));
}

TEST(Exhibits, are_all_written) {
  expect_exhibits<Version7, Threading::kPool>(3);
  expect_exhibits<OnNew, Threading::kOne>(3);
}

template <typename Store, Threading kThreading>
std::vector<bench::Event> events_of(unsigned threads) {
  const Scene scene = make_scene(1, kExhibitComponents, kExhibitComponents, 1);
  designs::WorkerPool pool(threads);
  return watched_frame(renderer_of<Store, kThreading>(), scene, pool);
}

std::map<std::string, std::size_t> counted(const std::vector<bench::Event>& events) {
  std::map<std::string, std::size_t> counts;
  for (const bench::Event& event : events) ++counts[event.name];
  counts.erase("wait");  // how many there are depends on the kernel
  return counts;
}

using Counts = std::map<std::string, std::size_t>;

TEST(Events, are_a_packet_for_each_command_and_a_claim_for_each_key) {
  // Each of three buckets gets 200 keys: 7 blocks of 32 entries by one thread, or a page of 256.
  EXPECT_EQ(counted(events_of<Version7, Threading::kPool>(1)),
            (Counts{{"task", 8}, {"packet", 800}, {"block", 21}, {"entry", 579}}));
  EXPECT_EQ(counted(events_of<Buckets<Packets, designs::AtomicSlotCounter>, Threading::kPool>(3)),
            (Counts{{"task", 8}, {"packet", 800}, {"entry", 600}}));
  const Counts one_task{{"task", 1}, {"packet", 800}, {"entry", 600}};
  EXPECT_EQ(counted(events_of<Buckets<Packets, designs::SlotCounter>, Threading::kOne>(1)), one_task);
  EXPECT_EQ(counted(events_of<OnNew, Threading::kOne>(1)), one_task);
  EXPECT_EQ(counted(events_of<Buckets<NewPackets<FreeOrder::kAllocation>, HolesLeft>, Threading::kOne>(1)), one_task);
  // A light takes two union items, and one item of a draw with what is set before it.
  EXPECT_EQ(counted(events_of<ItemBuckets<UnionItem, designs::AtomicSlotCounter>, Threading::kPool>(3)),
            (Counts{{"task", 8}, {"entry", 800}}));
  EXPECT_EQ(counted(events_of<ItemBuckets<DrawItem, designs::SaturatingSlotCounter>, Threading::kPool>(3)),
            (Counts{{"task", 8}, {"entry", 600}}));
  EXPECT_EQ(counted(events_of<RunBuckets<CompactPacket, SortFromRuns, 256, false>, Threading::kPool>(1)),
            (Counts{{"task", 8}, {"packet", 800}, {"block", 3}, {"entry", 597}}));
  EXPECT_EQ(counted(events_of<RunBuckets<ArticlePacket, MergeSortedRuns, kWholeBucket, false>, Threading::kPool>(1)),
            (Counts{{"task", 8}, {"packet", 800}, {"block", 3}, {"entry", 597}}));
}

TEST(Events, of_a_thread_are_tasks_and_waits_in_turn_and_claims_within_tasks) {
  const std::vector<bench::Event> events = events_of<Version7, Threading::kPool>(3);
  EXPECT_TRUE(std::ranges::is_sorted(events, {}, &bench::Event::begin));
  std::map<unsigned, std::int64_t> until;  // by thread: the end of its tasks and waits
  for (const bench::Event& event : events) {
    ASSERT_LT(event.thread, 3u);
    const std::int64_t end = event.begin + event.length;
    if (event.name == "task" || event.name == "wait") {
      EXPECT_EQ(event.begin, until[event.thread]) << event.name;
      until[event.thread] = end;
    } else {
      EXPECT_LE(end, until[event.thread]) << event.name << " outside a task";
    }
  }
  EXPECT_EQ(until.size(), 3u);
  for (const auto& [thread, end] : until) EXPECT_EQ(end, until[0]) << thread;
}

// --- Keys ------------------------------------------------------------------------------------------------------------

template <KeyLayout kLayout>
void expect_one_key_from_every_maker() {
  Scene scene = make_scene(11, 2'000, 2'000, 0);
  scene.keys = kLayout;
  const typename ShiftedKeys::Of<kLayout> shifted(scene);
  const typename MaskedKeys::Of<kLayout> masked(scene);
  const typename BitFieldKeys::Of<kLayout> packed(scene);
  const FunctionPointerKeys::Any called(scene);
  for (const Layer layer : kAllLayers)
    for (const Component& component : layer == kLighting ? scene.lights : scene.meshes) {
      EXPECT_EQ(masked(layer, component), shifted(layer, component));
      EXPECT_EQ(packed(layer, component), shifted(layer, component));
      EXPECT_EQ(called(layer, component), shifted(layer, component));
    }
}

TEST(Keys, are_the_same_by_shifting_masks_bit_fields_and_a_function_pointer) {
  expect_one_key_from_every_maker<KeyLayout::kScattered>();
  expect_one_key_from_every_maker<KeyLayout::kByDepth>();
  expect_one_key_from_every_maker<KeyLayout::kByMaterial>();
  expect_one_key_from_every_maker<KeyLayout::kByShortDepth>();
}

/// A key of a component whose number and material are too wide for their fields.
template <typename Keys>
std::uint64_t key_of_wide_fields() {
  const Scene scene = make_scene(1, 1, 1, 0);
  Component component{};
  component.depth = 1;
  component.id = 0xffffffff;
  component.material = 0xffff;
  return typename Keys::template Of<KeyLayout::kByMaterial>(scene)(kGBuffer, component);
}

TEST(Keys, with_masks_do_the_work_of_bit_fields_and_without_them_do_less) {
  EXPECT_EQ(key_of_wide_fields<MaskedKeys>(), key_of_wide_fields<BitFieldKeys>());
  EXPECT_NE(key_of_wide_fields<ShiftedKeys>(), key_of_wide_fields<BitFieldKeys>())
      << "a field that is too wide runs into its neighbours";
}

TEST(Keys, made_by_themselves_are_those_of_the_scene) {
  Scene scene = make_scene(3, 1'000, 0, 0);
  for (const KeyLayout layout : {KeyLayout::kByDepth, KeyLayout::kByMaterial, KeyLayout::kByShortDepth}) {
    scene.keys = layout;
    const FunctionPointerKeys::Any called(scene);
    for (const MakeKeys make :
         {make_keys<ShiftedKeys>, make_keys<MaskedKeys>, make_keys<BitFieldKeys>, make_keys<FunctionPointerKeys>}) {
      std::vector<std::uint64_t> keys(scene.meshes.size());
      make(scene, keys);
      for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(keys[i], called(kGBuffer, scene.meshes[i]));
    }
  }
}

TEST(Keys, sort_opaque_draws_front_to_back_and_translucent_ones_after_them_back_to_front) {
  Component component{};
  const auto key = [&](float depth, std::uint16_t blend) {
    component.depth = depth;
    component.blend = blend;
    return shifted_key<KeyLayout::kByDepth>(kGBuffer, component);
  };
  EXPECT_LT(key(0.1f, 0), key(0.2f, 0));
  EXPECT_LT(key(999.0f, 0), key(1000.0f, 0));
  EXPECT_LT(key(1000.0f, 0), key(1000.0f, 1));
  EXPECT_LT(key(1000.0f, 1), key(0.1f, 1));
}

TEST(Keys, by_material_change_it_as_often_as_there_are_materials_and_by_depth_nearly_with_every_draw) {
  Scene scene = make_scene(1, 10'000, 10'000, 0);
  scene.keys = KeyLayout::kByMaterial;
  // In each of three layers, of opaque draws and of translucent ones, and from the former to the latter; a few
  // translucent draws have no neighbour of every material.
  EXPECT_LE(material_changes(scene), 3u * (2 * kMaterials - 1));
  EXPECT_GE(material_changes(scene), 3u * (2 * kMaterials - 5));
  scene.keys = KeyLayout::kByDepth;
  EXPECT_GT(material_changes(scene), 29'000u);
}

TEST(Depths, in_24_bits_grow_with_the_depth_up_to_the_ends_of_both_views) {
  std::uint32_t nearer = 0;
  for (float depth = kNearest; depth <= kFarthest; depth = std::nextafter(depth, 2 * kFarthest) * 1.00001f) {
    EXPECT_LE(nearer, short_depth(depth)) << depth;
    nearer = short_depth(depth);
  }
  EXPECT_LE(nearer, short_depth(kFarthest));
  Component component{};
  component.depth = kNearest;
  const float of_shadow_map = depth_in(kShadowMap, component);
  EXPECT_GE(of_shadow_map, kFarthest - 1);
  EXPECT_GE(short_depth(of_shadow_map), short_depth(std::nextafter(of_shadow_map, 0.0f)));
  EXPECT_GT(short_depth(of_shadow_map), 0xfffff0u);
}

TEST(Depths, in_24_bits_keep_their_order_within_a_binade_and_lose_it_without_the_exponent) {
  const Scene scene = make_scene(1, 10'000, 0, 0);
  const ShortDepths binade = short_depths(scene, 64, 128);
  EXPECT_EQ(binade.misplaced, 0u);
  const ShortDepths all = short_depths(scene, kNearest, kFarthest);
  EXPECT_EQ(all.misplaced, 13u) << "once at each power of two from 0.125 to 512";
  EXPECT_GT(all.merged, binade.merged);
  EXPECT_GT(all.merged, 100u);
}

// --- What does not fit -----------------------------------------------------------------------------------------------

TEST(Overflow, of_fixed_buckets_is_counted_and_the_rest_is_submitted) {
  const Scene scene = make_scene(2, 100, 100, 0);
  designs::WorkerPool pool(1);
  FrameOver<Buckets<Packets, designs::AtomicSlotCounter>, Threading::kPool> frame(scene, pool, {.room = 0.25});
  frame.add();
  EXPECT_EQ(frame.dropped(), 75u + 75u + 2 * 75u);
  frame.sort();
  EXPECT_EQ(submitted(frame, scene).calls, 25u + 25u + 2 * 25u);
  frame.clear();
  frame.add();
  EXPECT_EQ(frame.dropped(), 300u) << "the count is of one frame";
}

TEST(Overflow, of_pages_grows_and_is_counted_until_the_reserve_is_used_up) {
  const Scene scene = make_scene(2, 5'000, 5'000, 0);
  designs::WorkerPool pool(1);
  PagedRuns half(scene, pool, {.room = 0.5});
  half.add();
  EXPECT_EQ(half.dropped(), 0u);
  // Each bucket has 5,000 keys: 20 pages of 256, of which 10 and one for the thread were made.
  EXPECT_EQ(half.grown(), 3u * (20 - 11));
  half.sort();
  EXPECT_EQ(submitted(half, scene).checksum.value(), expected(scene).checksum.value());

  PagedRuns nothing(scene, pool, {.room = 0});
  nothing.add();
  EXPECT_EQ(nothing.dropped() + 256 * 12, scene.commands()) << "the reserve has 12 pages, and the meshes come first";
}

TEST(Overflow, gives_memory_back_once_threads_share_the_work_otherwise) {
  const Scene scene = make_scene(2, 5'000, 5'000, 0);
  designs::WorkerPool pool(3);
  PagedRuns frame(scene, pool);
  for (int repetition = 0; repetition < 50; ++repetition) {
    frame.add();
    EXPECT_EQ(frame.dropped(), 0u);
    EXPECT_EQ(frame.grown(), 0u);
    frame.sort();
    EXPECT_EQ(submitted(frame, scene).checksum.value(), expected(scene).checksum.value());
    frame.clear();
  }
}

// --- Sorts by themselves ---------------------------------------------------------------------------------------------

template <typename Store>
void expect_sorted_entries(std::size_t count) {
  Random random(count);
  std::vector<Keyed> entries(count);
  for (std::size_t i = 0; i < count; ++i) entries[i] = {random.next() >> random.below(60), i};
  const auto sorter = make_sorter<Store>(count);
  for (int repetition = 0; repetition < 2; ++repetition) {
    sorter->load(entries);
    sorter->sort();
    std::vector<Keyed> sorted;
    for (std::size_t i = 0; i < count; ++i) sorted.push_back(sorter->at(i));
    EXPECT_TRUE(std::ranges::is_sorted(sorted, less_key));
    const auto by_value = [](const Keyed& a, const Keyed& b) { return a.value < b.value; };
    std::ranges::sort(sorted, by_value);
    EXPECT_EQ(sorted, entries);
  }
}

TEST(Sorter, of_every_kind_sorts_what_it_loads) {
  for (const std::size_t count : {1u, 2u, 257u, 5'001u, 12'345u}) {
    expect_sorted_entries<Version7>(count);
    expect_sorted_entries<Buckets<Packets, designs::SlotBlocks<>, StdSort>>(count);
    expect_sorted_entries<Buckets<Packets, designs::SlotBlocks<>, MergeSort>>(count);
    expect_sorted_entries<RunBuckets<CompactPacket, SortFromRuns, 256, false>>(count);
    expect_sorted_entries<RunBuckets<ArticlePacket, MergeSortedRuns, kWholeBucket, false>>(count);
  }
}

// The executables: every variant listed in this family is tested, new ones too.

struct Output {
  boost::json::object object;
  int status = -1;
};

// Of sanitizers, which see a driver's calls but not its code: its leaks and its locks are its own.
constexpr const char* kDriverIsForeign =
    "ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=ignore_noninstrumented_modules=1:detect_deadlocks=0 ";

Output start(const std::string& variant, const std::string& arguments, const std::string& environment = "") {
  const std::string command =
      fmt::format("{}'{}/variants/command_bucket/{}' {}", environment, LAB_BUILD_DIR, variant, arguments);
  std::FILE* const pipe = popen(command.c_str(), "r");
  std::string text;
  char chunk[4096];
  for (std::size_t size; (size = std::fread(chunk, 1, sizeof chunk, pipe)) != 0;) text.append(chunk, size);
  Output output;
  output.status = pclose(pipe);
  boost::json::error_code error;
  const boost::json::value value = boost::json::parse(text, error);
  EXPECT_TRUE(!error && value.is_object()) << command << " printed: " << text;
  if (!error && value.is_object()) output.object = value.as_object();
  return output;
}

std::vector<std::string> listed_variants() {
  const Expected<std::string> list = read_file(LAB_BUILD_DIR "/variants.json");
  EXPECT_TRUE(list);
  const boost::json::value entries = boost::json::parse(*list);
  std::vector<std::string> names;
  for (const boost::json::value& entry : entries.as_array())
    if (entry.at("family").as_string() == "command_bucket") names.emplace_back(entry.at("variant").as_string());
  return names;
}

std::string checksum_of(const std::string& variant, const std::string& workload, unsigned seed, unsigned threads) {
  const Output output =
      start(variant, fmt::format("--run {} --seed {} --threads {} --seconds 0", workload, seed, threads),
            workload.starts_with("record_") ? kDriverIsForeign : "");
  EXPECT_EQ(output.status, 0);
  return output.object.empty() ? "" : std::string(output.object.at("checksum").as_string());
}

TEST(Executables, are_the_seven_versions_and_those_beyond) {
  EXPECT_GE(listed_variants().size(), 20u);
}

TEST(Executables, have_one_checksum_per_seed_for_any_number_of_threads) {
  const std::pair<unsigned, unsigned> kSeedsAndThreads[] = {{1, 1}, {1, 2}, {2, 3}, {99, 16}};
  for (const auto& [seed, threads] : kSeedsAndThreads) {
    const std::string right = fmt::format("{:016x}", expected(make_scene(seed, 10'000, 10'000, 0)).checksum.value());
    for (const std::string& variant : listed_variants())
      EXPECT_EQ(checksum_of(variant, "frame", seed, threads), right) << variant << ", seed " << seed;
  }
}

bool supports(const std::string& variant, std::string_view workload) {
  const Output output = start(variant, "--describe");
  for (const boost::json::value& one : output.object.at("workloads").as_array())
    if (one.at("name").as_string() == workload) return one.at("unsupported").is_null();
  return false;
}

TEST(Executables, agree_in_every_workload_that_they_support) {
  std::map<std::string, std::set<std::string>> checksums;
  std::map<std::string, std::size_t> supporting;
  for (const std::string& variant : listed_variants())
    for (const char* workload : {"frame_by_depth", "frame_by_material", "frame_by_depth24", "updates_staged",
                                 "updates_double_buffered", "frame_overflow", "sort_by_depth", "sort_equal"})
      if (supports(variant, workload)) {
        checksums[workload].insert(checksum_of(variant, workload, 3, 2));
        ++supporting[workload];
      }
  EXPECT_EQ(checksums.size(), 8u);
  for (const auto& [workload, found] : checksums) {
    EXPECT_EQ(found.size(), 1u) << workload;
    EXPECT_GE(supporting[workload], 5u) << workload;
  }
}

// A driver under a sanitizer takes seconds for each frame: there, one version of each store.
bool is_rendered_here([[maybe_unused]] const std::string& variant) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr std::string_view kOneOfEachStore[] = {"v7_mt_thread_local_blocks", "mt_bgfx", "mt_thread_runs"};
  return std::ranges::find(kOneOfEachStore, variant) != std::end(kOneOfEachStore);
#else
  return true;
#endif
}

TEST(Executables, render_the_same_images_at_every_number_of_threads) {
  if (!supports("v7_mt_thread_local_blocks", "record_primary")) GTEST_SKIP() << "needs the package lavapipe";
  std::set<std::string> checksums;
  for (const std::string& variant : listed_variants()) {
    if (!is_rendered_here(variant) || !supports(variant, "record_primary")) continue;
    checksums.insert(checksum_of(variant, "record_primary", 1, 2));
    if (supports(variant, "record_secondaries"))
      for (const unsigned threads : {1u, 3u}) checksums.insert(checksum_of(variant, "record_secondaries", 1, threads));
  }
  EXPECT_EQ(checksums.size(), 1u);
  EXPECT_NE(*checksums.begin(), "");
}

TEST(Executables, sweep_over_the_same_threads_or_say_why_not) {
  std::size_t sweeping = 0;
  for (const std::string& variant : listed_variants()) {
    const Output output = start(variant, "--describe");
    const boost::json::array& workloads = output.object.at("workloads").as_array();
    const auto sweep = std::ranges::find_if(workloads, [](const boost::json::value& workload) {
      return workload.at("name").as_string() == "frame_threads";
    });
    ASSERT_NE(sweep, workloads.end()) << variant;
    EXPECT_GE(sweep->at("axis").at("points").as_array().size(), 5u) << variant;
    sweeping += sweep->at("unsupported").is_null();
  }
  EXPECT_GE(sweeping, 2u) << "a sweep needs something to be compared with";
}

TEST(Executables, have_another_common_checksum_with_work) {
  std::set<std::string> checksums;
  for (const std::string& variant : listed_variants()) checksums.insert(checksum_of(variant, "frame_work", 1, 2));
  EXPECT_EQ(checksums.size(), 1u);
  EXPECT_NE(*checksums.begin(), checksum_of(listed_variants().front(), "frame", 1, 2));
}

}  // namespace
}  // namespace lab::command_bucket
