/// The family command_bucket: the frame that all versions render, and make_variant(), which a version's source file
/// calls.
///
/// A frame has three timed phases: add (a command for every component, on one thread or on the pool), sort (each bucket
/// by key), submit (each packet in sorted order, to a backend that computes a checksum of its arguments). A version is
/// the combination of a store of buckets, a way to make keys, and Threading. All other code is the same for all
/// versions and inlined; a phase makes no virtual call.
///
/// The stores are Buckets (bucket.h: the article's arrays, over PacketMemory, EntrySlots and a sort), ItemBuckets
/// (item_buckets.h: commands of one size) and RunBuckets (run_buckets.h: runs of each thread).
///
/// Choices where the article is silent:
/// - The artificial work is a chain of dependent steps before each command. Its result goes into the command.
/// - The sort is a radix sort of whole 64-bit keys, unless the version is about another one.
/// - A bucket that is full drops commands and counts them (discard.h).
/// - The sort phase first closes the holes that unused entries of a block leave. It is timed, because it is part of the
///   cost of the last version.
/// - Packets of global operator new are freed untimed, by the rendering thread. The article does not give the order of
///   the frees, and the order decides where the next frame's packets lie. So there is a variant for each of two orders:
///   submission and allocation.
/// - Every timed frame starts with the same heap. An untimed frame before it is rendered and freed as if its packets
///   had been allocated by ascending address: the same addresses in the same order each time, whichever packets they
///   hold. So fragmentation does not accumulate over frames, and other allocations in between have no lasting effect
///   (a malloc of 1 KiB makes the C library merge all small free chunks). With several threads, a packet returns to
///   the heap of the thread that allocated it. Each of these heaps has served a whole frame beforehand and does not
///   grow.
/// - Each atomic counter has its own cache line in every version: the versions differ in the sharing of counters,
///   packets and entries, not in false sharing with neighbouring data.
/// - Every worker clears its caches, and all workers are awake when the clock starts, as in the middle of a frame. The
///   rendering thread is one of the workers.
/// - The buffers of linear allocators are touched beforehand, so no frame takes a page fault.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "harness/bench/task.h"
#include "variants/command_bucket/family/bucket.h"
#include "variants/command_bucket/family/key_maker.h"
#include "variants/command_bucket/family/keys.h"
#include "variants/command_bucket/family/packet_memory.h"
#include "variants/command_bucket/family/scene.h"
#include "variants/command_bucket/family/sorter.h"
#include "variants/command_bucket/family/watched_parts.h"
#include "variants/designs/threads/worker_pool.h"

namespace lab::command_bucket {

enum class Threading {
  kOne,  ///< the components in order, without the pool
  kPool  ///< tasks of some components, on a worker per logical core
};

/// What a workload may change of a frame.
struct FrameOptions {
  std::size_t components_per_task = 50;  ///< as in the article
  std::size_t at_once = 0;               ///< entries that a thread claims at once; 0: the version's own number
  double room = 1;                       ///< share of a frame's keys that the buckets have entries for
};

Budget budget_of(const Scene& scene, unsigned threads, const FrameOptions& options);

/// Type-erased frame of one version; one virtual call per phase.
class Frame {
 public:
  virtual ~Frame() = default;
  virtual void add() = 0;
  virtual void sort() = 0;
  virtual void submit(Backend& backend) = 0;
  /// A part of one bucket: the chains from `first` until `last` in the order of the keys. Several threads may do so.
  virtual void submit(Layer layer, std::size_t first, std::size_t last, Backend& backend) const = 0;
  /// After sort(): frees all packets.
  virtual void clear() = 0;
  /// Before add(), untimed: if packets are freed one by one, brings the heap into the state in which frames start.
  virtual void reset_heap() = 0;

  /// The number of chains in a bucket, and the key of each, after sort().
  virtual std::size_t size(Layer layer) const = 0;
  virtual std::uint64_t key(Layer layer, std::size_t i) const = 0;
  /// After sort(), the places of all packets in the order of submission; none if the version has no packets.
  struct Place {
    const std::byte* packet;
    std::size_t bytes;
  };
  virtual std::vector<Place> places() const = 0;
  /// After add(): bytes that the packets take; 0: unknown.
  virtual std::size_t packet_memory_bytes() const = 0;
  /// After add(): commands that found no room, and pages that the buckets took beyond a frame's need.
  virtual std::size_t dropped() const = 0;
  virtual std::size_t grown() const = 0;
  /// After sort(): entries that threads claimed and did not use; none if entries are claimed one by one.
  virtual std::optional<std::size_t> unused_entries() const = 0;
  /// Where UpdateBuffer has its effect: kUpdateBytes of each buffer. Null without such commands.
  virtual std::byte* buffers() = 0;
};

/// Submits all of a sorted frame. The checksum contains what the buffers hold afterwards.
Backend submitted(Frame& frame, const Scene& scene);

/// "by depth".
std::string_view name_of(KeyLayout layout);

/// `Store`: see above. `Keys`: of one layout, of keys.h. `Pool`: the pool itself, or what runs its tasks in its place
/// (watched.cpp).
template <typename Store, typename Keys, Threading kThreading, typename Pool = designs::WorkerPool&>
class FrameOf final : public Frame {
 public:
  /// `scene` and `pool` outlive the frame.
  FrameOf(const Scene& scene, designs::WorkerPool& pool, const FrameOptions& options = {})
      : scene_(scene),
        keys_(scene),
        pool_(pool),
        options_(options),
        store_(budget_of(scene, pool.workers(), options)),
        buffer_bytes_(scene.buffer_updates() * kUpdateBytes),
        buffers_(scene.updates == Updates::kDoubleBuffered ? 2 * buffer_bytes_ : buffer_bytes_) {
    if constexpr (kFreesPackets) {
      packets_.reserve(scene.commands());
      if constexpr (Store::kFreeOrder == FreeOrder::kSubmission) submission_ = submission_order(scene);
      grow_heaps();
    }
  }

  void add() override {
    if constexpr (kThreading == Threading::kOne) {
      add_meshes(scene_.meshes);
      add_lights(scene_.lights);
    } else {
      const std::size_t mesh_tasks = tasks_for(scene_.meshes);
      pool_.run(mesh_tasks + tasks_for(scene_.lights), [&](std::size_t task) {
        if (task < mesh_tasks)
          add_meshes(components_of(scene_.meshes, task));
        else
          add_lights(components_of(scene_.lights, task - mesh_tasks));
      });
    }
  }

  void sort() override {
    if constexpr (Store::kSortsInParallel && kThreading == Threading::kPool)
      pool_.run(kLayers, [&](std::size_t layer) { store_.sort(static_cast<Layer>(layer)); });
    else
      for (const Layer layer : kAllLayers) store_.sort(layer);
  }

  void submit(Backend& backend) override {
    for (const Layer layer : kAllLayers) store_.submit(layer, 0, store_.size(layer), backend);
  }

  void submit(Layer layer, std::size_t first, std::size_t last, Backend& backend) const override {
    store_.submit(layer, first, last, backend);
  }

  void clear() override {
    if constexpr (kFreesPackets) store_.each_packet([this](std::byte* packet) { store_.memory().release(packet); });
    store_.clear();
    half_ = buffers_.size() - buffer_bytes_ - half_;  // the device now reads what this frame has written
  }

  void reset_heap() override {
    if constexpr (kFreesPackets) {
      add();
      sort();
      packets_.clear();
      store_.each_packet([this](std::byte* packet) { packets_.push_back(packet); });
      std::sort(packets_.begin(), packets_.end());
      if (submission_.size() == packets_.size())  // not if some were dropped
        for (const std::uint32_t place : submission_) store_.memory().release(packets_[place]);
      else
        for (std::byte* const packet : packets_) store_.memory().release(packet);
      store_.clear();
    }
  }

  std::size_t size(Layer layer) const override { return store_.size(layer); }
  std::uint64_t key(Layer layer, std::size_t i) const override { return store_.key(layer, i); }
  std::vector<Place> places() const override {
    std::vector<Place> places;
    if constexpr (requires { typename Store::Packet; })
      store_.each_packet([&places](std::byte* packet) {
        places.push_back({packet, bytes_of<typename Store::Packet>(packet)});
      });
    return places;
  }
  std::size_t packet_memory_bytes() const override { return store_.used(); }
  std::size_t dropped() const override { return store_.dropped(); }
  std::size_t grown() const override { return store_.grown(); }
  std::optional<std::size_t> unused_entries() const override {
    if constexpr (requires { store_.unused_entries(); }) return store_.unused_entries();
    return std::nullopt;
  }
  std::byte* buffers() override { return buffers_.empty() ? nullptr : &buffers_[half_]; }

  Store& store() { return store_; }

 private:
  static constexpr bool kFreesPackets = requires { Store::kFreeOrder; };

  std::size_t tasks_for(const std::vector<Component>& components) const {
    return (components.size() + options_.components_per_task - 1) / options_.components_per_task;
  }

  std::span<const Component> components_of(const std::vector<Component>& components, std::size_t task) const {
    const std::size_t first = task * options_.components_per_task;
    return {components.data() + first, std::min(options_.components_per_task, components.size() - first)};
  }

  // One worker may execute all tasks, so each allocates a whole frame once.
  void grow_heaps() {
    std::vector<std::vector<std::byte*>> packets(pool_.workers());
    std::atomic<unsigned> waiting = pool_.workers();
    const Budget budget = budget_of(scene_, pool_.workers(), options_);
    pool_.run(pool_.workers(), [&](std::size_t task) {
      waiting.fetch_sub(1);
      while (waiting.load() != 0) std::this_thread::yield();  // so that no worker takes two of these tasks
      packets[task].reserve(scene_.commands());
      const auto allocate = [&](std::size_t count, std::size_t bytes) {
        for (std::size_t i = 0; i < count; ++i) packets[task].push_back(store_.memory().allocate(bytes));
      };
      allocate(budget.draws, Store::Packet::template kBytes<Draw>);
      allocate(budget.maps, Store::Packet::template kBytes<MapConstants>);
      allocate(budget.updates, Store::Packet::template kBytes<UpdateBuffer> + budget.update_bytes);
    });
    for (const std::vector<std::byte*>& of_worker : packets)
      for (std::byte* const packet : of_worker) store_.memory().release(packet);
  }

  void add_meshes(std::span<const Component> meshes) {
    typename Store::Writer writer(store_);
    for (const Component& mesh : meshes) {
      add_draw(writer, kGBuffer, mesh);
      add_draw(writer, kShadowMap, mesh);
    }
  }

  void add_lights(std::span<const Component> lights) {
    if (scene_.updates == Updates::kMapped)
      add_mapped_lights(lights);
    else
      add_updated_lights(lights);
  }

  void add_mapped_lights(std::span<const Component> lights) {
    typename Store::Writer writer(store_);
    for (const Component& light : lights) {
      const std::uint64_t work = artificial_work(scene_, kLighting, light);
      auto* const map = writer.template add<MapConstants>(kLighting, keys_(kLighting, light));
      fill(*map, light, work);
      append_draw(writer, map, light);
    }
  }

  [[gnu::noinline]] void add_updated_lights(std::span<const Component> lights) {
    typename Store::Writer writer(store_);
    const bool staged = scene_.updates == Updates::kStaged;
    for (const Component& light : lights) {
      const std::uint64_t work = artificial_work(scene_, kLighting, light);
      auto* const update =
          writer.template add<UpdateBuffer>(kLighting, keys_(kLighting, light), staged ? kUpdateBytes : 0);
      *update = {light.id, staged};
      write_constants(staged ? update->data() : &buffers_[half_ + std::size_t{light.id} * kUpdateBytes], light, work);
      append_draw(writer, update, light);
    }
  }

  [[gnu::always_inline]] void add_draw(typename Store::Writer& writer, Layer layer, const Component& mesh) {
    const std::uint64_t work = artificial_work(scene_, layer, mesh);
    fill(*writer.template add<Draw>(layer, keys_(layer, mesh)), mesh, work);
  }

  template <typename Before>
  [[gnu::always_inline]] void append_draw(typename Store::Writer& writer, Before* before, const Component& light) {
    const std::uint64_t work = artificial_work(scene_, kLighting + 1, light);
    fill(*writer.template append<Draw>(kLighting, before), light, work);
  }

  const Scene& scene_;
  Keys keys_;
  Pool pool_;
  FrameOptions options_;
  Store store_;
  std::size_t buffer_bytes_;
  std::vector<std::byte> buffers_;         // of the device; two halves if they are double-buffered
  std::size_t half_ = 0;                   // where the half begins that this frame writes
  std::vector<std::byte*> packets_;        // reserved, so that freeing allocates nothing
  std::vector<std::uint32_t> submission_;  // submission_order()
};

using MakeFrame = std::unique_ptr<Frame> (*)(const Scene& scene, designs::WorkerPool& pool,
                                             const FrameOptions& options);

/// How a version renders.
struct Renderer {
  Threading threading = Threading::kOne;
  MakeFrame make_frame = nullptr;
  WatchedParts parts = {};
  MakeSorter make_sorter = {};                  ///< none: version 7 shows its sort
  MakeKeys make_keys = {};                      ///< from fields; none: version 7 shows how it does
  std::size_t at_once = 1;                      ///< entries that a thread claims at once
  bool one_size = false;                        ///< its commands cannot carry data
  bool replaces_malloc = false;                 ///< its executable has another malloc
  std::string (*identity_failure)() = nullptr;  ///< how packets are not a rival's; null: nothing to ask
  bool pictures = false;                        ///< it shows what a device renders, which is the same for all versions
};

/// Of the exhibits' frames: as many meshes and as many lights. Few, so that a chart can show all events of a frame, and
/// six processes of each version fit into the tenth of a short session that exhibits may take.
inline constexpr std::size_t kExhibitComponents = 200;

bench::Variant& make_variant(const char* name, const bench::Card& version, const Renderer& renderer);

template <typename Store, typename Keys, Threading kThreading>
std::unique_ptr<Frame> make_frame(const Scene& scene, designs::WorkerPool& pool, const FrameOptions& options) {
  const auto of = [&]<KeyLayout kLayout>() -> std::unique_ptr<Frame> {
    return std::make_unique<FrameOf<Store, typename Keys::template Of<kLayout>, kThreading>>(scene, pool, options);
  };
  if constexpr (Keys::kHasLayouts) {
    if (scene.keys == KeyLayout::kByDepth) return of.template operator()<KeyLayout::kByDepth>();
    if (scene.keys == KeyLayout::kByMaterial) return of.template operator()<KeyLayout::kByMaterial>();
    if (scene.keys == KeyLayout::kByShortDepth) return of.template operator()<KeyLayout::kByShortDepth>();
  }
  return of.template operator()<KeyLayout::kScattered>();
}

/// `Keys`: ShiftedKeys and the like for a version that shows how keys are made or sorted.
template <typename Store, Threading kThreading, typename Keys = ScatteredKeys>
Renderer renderer_of() {
  Renderer renderer;
  renderer.threading = kThreading;
  renderer.make_frame = make_frame<Store, Keys, kThreading>;
  renderer.parts = parts_of(static_cast<Store*>(nullptr));
  if constexpr (Keys::kHasLayouts && requires { typename Store::Sorting; }) renderer.make_sorter = make_sorter<Store>;
  if constexpr (Keys::kHasLayouts) renderer.make_keys = make_keys<Keys>;
  renderer.at_once = Store::kAtOnce;
  renderer.one_size = !requires {
    typename Store::Packet;
  };
  if constexpr (requires { typename Store::PacketsFrom::General; }) {
    using Heap = typename Store::PacketsFrom::General;
    renderer.replaces_malloc = Heap::kReplacesMalloc;
    if constexpr (requires { Heap::identity_failure(); }) renderer.identity_failure = Heap::identity_failure;
  }
  return renderer;
}

/// What one version shows for all.
struct ShowsForAll {
  bool pictures = false;
};

template <typename Store, Threading kThreading, typename Keys = ScatteredKeys>
bench::Variant& make_variant(const char* name, const bench::Card& version, const ShowsForAll& shows = {}) {
  Renderer renderer = renderer_of<Store, kThreading, Keys>();
  renderer.pictures = shows.pictures;
  return make_variant(name, version, renderer);
}

}  // namespace lab::command_bucket
