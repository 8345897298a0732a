#include "variants/command_bucket/family/command_bucket.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"
#include "harness/bench/exhibits.h"
#include "variants/command_bucket/family/watched.h"
#include "variants/common/growth.h"
#include "variants/designs/addresses/linear.h"
#include "variants/designs/addresses/thread_local_linear.h"
#include "variants/designs/offsets/slot_blocks.h"
#include "variants/designs/offsets/slot_counter.h"

namespace lab::command_bucket {
namespace {

using Simple = FrameOf<LinearPackets<designs::Linear<4>, 4>, designs::SlotCounter, Threading::kOne>;
using Last = FrameOf<LinearPackets<designs::ThreadLocalLinear<4>, 4>, designs::SlotBlocks<32>, Threading::kPool>;

constexpr Layer kAllLayers[] = {kGBuffer, kShadowMap, kLighting};

std::uint64_t submitted(Frame& frame) {
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
    right = submitted(frame);
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
    for (const Component& mesh : scene.meshes) keys.insert(generate_key(scene, layer, mesh));
    EXPECT_EQ(keys.size(), 10'000u);
    for (std::size_t i = 1; i < scene.meshes.size(); ++i) {
      const auto at = keys.find(generate_key(scene, layer, scene.meshes[i - 1]));
      neighbours += std::next(at) != keys.end() && *std::next(at) == generate_key(scene, layer, scene.meshes[i]);
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

  explicit Stacks(const Budget& budget) : buffer_(budget.bytes(4) * budget.threads) {}
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
    for (std::byte* packet : frame.packets(layer))
      for (; packet != nullptr; packet = next_packet(packet)) places[*place++] = packet;
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
using OnStacks = FrameOf<Stacks<kOrder>, designs::SlotCounter, Threading::kOne>;

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
    frame.memory().disturb();
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
              static_cast<std::ptrdiff_t>(order[order.size() - 1 - i] * kPacketBytes<Draw>));
}

TEST(Checksum, changes_when_any_two_packets_are_swapped) {
  Sorted<Last> sorted(23, 17, 3);
  for (const Layer layer : kAllLayers) {
    const auto packets = sorted.frame.packets(layer);
    for (std::size_t a = 0; a < packets.size(); ++a)
      for (std::size_t b = a + 1; b < packets.size(); ++b) {
        std::swap(packets[a], packets[b]);
        EXPECT_NE(submitted(sorted.frame), sorted.right);
        std::swap(packets[a], packets[b]);
      }
  }
  std::swap(sorted.frame.packets(kGBuffer)[0], sorted.frame.packets(kShadowMap)[0]);
  EXPECT_NE(submitted(sorted.frame), sorted.right);
  std::swap(sorted.frame.packets(kGBuffer)[0], sorted.frame.packets(kShadowMap)[0]);
  EXPECT_EQ(submitted(sorted.frame), sorted.right);
}

/// Submits copies of the frame's lists, with one change made to that of `changed`.
template <typename Change>
std::uint64_t submitted_with(Frame& frame, Layer changed, const Change& change) {
  Backend backend;
  for (const Layer layer : kAllLayers) {
    const auto packets = frame.packets(layer);
    std::vector<std::byte*> list(packets.begin(), packets.end());
    if (layer == changed) change(list);
    for (const std::byte* packet : list) submit_chain(packet, backend);
  }
  return backend.checksum.value();
}

TEST(Checksum, changes_when_any_packet_is_dropped_or_repeated) {
  Sorted<Last> sorted(23, 17, 3);
  for (const Layer layer : kAllLayers) {
    EXPECT_EQ(submitted_with(sorted.frame, layer, [](auto&) {}), sorted.right);
    for (std::size_t i = 0; i < sorted.frame.packets(layer).size(); ++i) {
      const auto at = [i](auto& list) { return list.begin() + static_cast<std::ptrdiff_t>(i); };
      EXPECT_NE(submitted_with(sorted.frame, layer, [&](auto& list) { list.erase(at(list)); }), sorted.right);
      EXPECT_NE(submitted_with(sorted.frame, layer, [&](auto& list) { list.insert(at(list), list[i]); }), sorted.right);
    }
  }
}

TEST(Checksum, changes_when_a_chain_loses_repeats_or_swaps_a_packet) {
  Sorted<Last> sorted(0, 17, 3);
  for (std::byte*& first : sorted.frame.packets(kLighting)) {
    std::byte* const map = first;
    std::byte* const draw = next_packet(map);
    ASSERT_NE(draw, nullptr);
    ASSERT_EQ(next_packet(draw), nullptr);

    store_next_packet(map, nullptr);
    EXPECT_NE(submitted(sorted.frame), sorted.right) << "without the draw";
    store_next_packet(draw, map);
    first = draw;
    EXPECT_NE(submitted(sorted.frame), sorted.right) << "draw before map";
    store_next_packet(draw, nullptr);
    EXPECT_NE(submitted(sorted.frame), sorted.right) << "without the map";
    first = map;
    store_next_packet(map, draw);

    std::byte twin[kPacketBytes<Draw>];
    std::memcpy(twin, draw, sizeof twin);
    store_next_packet(draw, twin);
    EXPECT_NE(submitted(sorted.frame), sorted.right) << "the draw twice";
    store_next_packet(draw, nullptr);
    EXPECT_EQ(submitted(sorted.frame), sorted.right);
  }
}

TEST(Checksum, depends_on_every_bit_of_every_command) {
  Sorted<Simple> sorted(3, 3, 1);
  const auto expect_each_bit_counts = [&](std::byte* packet, std::size_t bytes) {
    for (std::size_t bit = 0; bit < 8 * (bytes - kCommandAt); ++bit) {
      std::byte& byte = packet[kCommandAt + bit / 8];
      byte ^= std::byte{1} << bit % 8;
      EXPECT_NE(submitted(sorted.frame), sorted.right) << "bit " << bit;
      byte ^= std::byte{1} << bit % 8;
    }
  };
  for (const Layer layer : {kGBuffer, kShadowMap})
    for (std::byte* packet : sorted.frame.packets(layer)) expect_each_bit_counts(packet, kPacketBytes<Draw>);
  for (std::byte* packet : sorted.frame.packets(kLighting)) {
    expect_each_bit_counts(packet, kPacketBytes<MapConstants>);
    expect_each_bit_counts(next_packet(packet), kPacketBytes<Draw>);
  }
}

/// The number of conformance checks that fail for a version made of these parts.
template <PacketMemory Memory, EntrySlots Slots>
std::size_t failures_of() {
  std::size_t failures = 0;
  for (const bench::ConformanceCheck& check : make_variant<Memory, Slots, Threading::kPool>({}).conformance)
    failures += !check.what_is_wrong().empty();
  return failures;
}

using Packets = LinearPackets<designs::ThreadLocalLinear<4>, 4>;

/// Uses every second entry and closes no hole. (SlotBlocks itself leaves a hole only if threads share a bucket
/// unevenly.)
struct HolesLeft : designs::AtomicSlotCounter {
  using AtomicSlotCounter::AtomicSlotCounter;
  static std::size_t capacity(std::size_t claims, unsigned threads) {
    return 2 * AtomicSlotCounter::capacity(claims, threads);
  }
  std::size_t claim() { return 2 * AtomicSlotCounter::claim(); }
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
  explicit Misaligned(const Budget& budget) : Packets({2 * budget.draws, 2 * budget.maps, budget.threads}) {}
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
  EXPECT_EQ((failures_of<Packets, designs::SlotBlocks<32>>()), 0u);
  EXPECT_GT((failures_of<Packets, HolesLeft>()), 0u);
  EXPECT_GT((failures_of<Packets, OneLost>()), 0u);
  EXPECT_GT((failures_of<Overlapping, designs::AtomicSlotCounter>()), 0u);
}

// --- The sweep and the exhibits --------------------------------------------------------------------------------------

using Blocks = designs::SlotBlocks<32>;

template <PacketMemory Memory, EntrySlots Slots, Threading kThreading>
bench::Workload workload_of(const char* name) {
  const bench::Variant variant = make_variant<Memory, Slots, kThreading>({});
  return *std::ranges::find(variant.workloads, name, &bench::Workload::name);
}

TEST(Sweep, has_the_same_points_and_frames_on_any_machine) {
  const bench::Workload sweep = workload_of<Packets, Blocks, Threading::kPool>("frame_threads");
  const bench::Workload frame = workload_of<Packets, Blocks, Threading::kPool>("frame_work");
  std::vector<double> points;
  for (const bench::AxisPoint& point : sweep.axis->points) points.push_back(point.at);
  EXPECT_EQ(points, (std::vector<double>{1, 2, 4, 8, 16}));
  const auto checksum = [](const bench::Workload& workload, double point) {
    bench::PhaseClock clock(workload.phases.size());
    return workload.prepare({.seed = 7, .threads = 2, .device = {}, .assets = {}, .point = point})->repeat(clock);
  };
  for (const double point : points) EXPECT_EQ(checksum(sweep, point), checksum(frame, 0)) << point << " threads";
}

TEST(Sweep, is_not_of_a_version_on_one_thread) {
  const bench::Workload sweep = workload_of<Packets, Blocks, Threading::kOne>("frame_threads");
  EXPECT_EQ(sweep.unsupported, "the version adds its commands on one thread");
  EXPECT_FALSE(sweep.prepare);
  EXPECT_EQ(sweep.axis->points.size(), 5u);
}

template <PacketMemory Memory, EntrySlots Slots, Threading kThreading>
void expect_exhibits(unsigned threads) {
  const bench::Workload workload = workload_of<Memory, Slots, kThreading>("frame_work");
  const ScratchFolder folder;
  bench::ExhibitFiles files(folder.path(), workload.exhibits);
  workload.exhibit({.seed = 1, .threads = threads}, files);
  EXPECT_TRUE(files.finish());
  EXPECT_EQ(read_file(folder.path() / "frame_times.u32")->size(), 1000 * sizeof(std::uint32_t));
  EXPECT_TRUE(read_file(folder.path() / "thread_events.trace.json"));
}

TEST(Exhibits, are_all_written) {
  expect_exhibits<Packets, Blocks, Threading::kPool>(3);
  expect_exhibits<NewPackets<FreeOrder::kSubmission>, designs::SlotCounter, Threading::kOne>(3);
}

template <PacketMemory Memory, EntrySlots Slots, Threading kThreading>
std::vector<bench::Event> events_of(unsigned threads) {
  const Scene scene = make_scene(1, kExhibitComponents, kExhibitComponents, 1);
  designs::WorkerPool pool(threads);
  const Renderer renderer{kThreading,
                          [](const Scene& of, designs::WorkerPool& on) {
                            return std::make_unique<FrameOf<Memory, Slots, kThreading>>(of, on);
                          },
                          parts_of<Memory, Slots>()};
  return watched_frame(renderer, scene, pool);
}

std::map<std::string, std::size_t> counted(const std::vector<bench::Event>& events) {
  std::map<std::string, std::size_t> counts;
  for (const bench::Event& event : events) ++counts[event.name];
  counts.erase("wait");  // how many there are depends on the kernel
  return counts;
}

using Counts = std::map<std::string, std::size_t>;

TEST(Events, are_a_packet_for_each_command_and_a_claim_for_each_key) {
  // Each of three buckets gets 200 keys: 7 blocks of 32 entries by one thread.
  EXPECT_EQ(counted(events_of<Packets, Blocks, Threading::kPool>(1)),
            (Counts{{"task", 8}, {"packet", 800}, {"block", 21}, {"entry", 579}}));
  EXPECT_EQ(counted(events_of<Packets, designs::AtomicSlotCounter, Threading::kPool>(3)),
            (Counts{{"task", 8}, {"packet", 800}, {"entry", 600}}));
  const Counts one_task{{"task", 1}, {"packet", 800}, {"entry", 600}};
  EXPECT_EQ(counted(events_of<Packets, designs::SlotCounter, Threading::kOne>(1)), one_task);
  EXPECT_EQ(counted(events_of<NewPackets<FreeOrder::kSubmission>, designs::SlotCounter, Threading::kOne>(1)), one_task);
  EXPECT_EQ(counted(events_of<NewPackets<FreeOrder::kAllocation>, HolesLeft, Threading::kOne>(1)), one_task);
}

TEST(Events, of_a_thread_are_tasks_and_waits_in_turn_and_claims_within_tasks) {
  const std::vector<bench::Event> events = events_of<Packets, Blocks, Threading::kPool>(3);
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

// The executables: every variant listed in this family is tested, new ones too.

struct Output {
  boost::json::object object;
  int status = -1;
};

Output start(const std::string& variant, const std::string& arguments) {
  const std::string command = fmt::format("'{}/variants/command_bucket/{}' {}", LAB_BUILD_DIR, variant, arguments);
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
      start(variant, fmt::format("--run {} --seed {} --threads {} --seconds 0.001", workload, seed, threads));
  EXPECT_EQ(output.status, 0);
  return output.object.empty() ? "" : std::string(output.object.at("checksum").as_string());
}

TEST(Executables, are_the_seven_versions_at_least) {
  EXPECT_GE(listed_variants().size(), 7u);
}

TEST(Executables, have_one_checksum_per_seed_for_any_number_of_threads) {
  const std::pair<unsigned, unsigned> kSeedsAndThreads[] = {{1, 1}, {1, 2}, {2, 3}, {99, 16}};
  for (const auto& [seed, threads] : kSeedsAndThreads) {
    const std::string right = fmt::format("{:016x}", expected(make_scene(seed, 10'000, 10'000, 0)).checksum.value());
    for (const std::string& variant : listed_variants())
      EXPECT_EQ(checksum_of(variant, "frame", seed, threads), right) << variant << ", seed " << seed;
  }
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
    EXPECT_EQ(sweep->at("axis").at("points").as_array().size(), 5u) << variant;
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

TEST(Executables, pass_their_conformance) {
  for (const std::string& variant : listed_variants()) {
    const Output output = start(variant, "--conformance");
    EXPECT_EQ(output.status, 0) << variant;
    ASSERT_TRUE(output.object.contains("checks"));
    EXPECT_FALSE(output.object.at("checks").as_array().empty());
    for (const boost::json::value& check : output.object.at("checks").as_array())
      EXPECT_TRUE(check.at("failure").is_null()) << variant << ": " << check;
  }
}

}  // namespace
}  // namespace lab::command_bucket
