/// The family command_bucket: the frame that all versions render, and make_variant(), which a version's source file
/// calls.
///
/// A frame has three timed phases: add (a command for every component, on one thread or on the pool), sort (each bucket
/// by key), submit (each packet in sorted order, to a backend that computes a checksum of its arguments). A version is
/// the combination of PacketMemory, EntrySlots and Threading. All other code is the same for all versions and inlined;
/// a phase makes no virtual call.
///
/// Choices where the article is silent:
/// - The artificial work is a chain of dependent steps before each command. Its result goes into the command.
/// - The sort is a radix sort of whole 64-bit keys, for all versions.
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
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "harness/bench/variant.h"
#include "variants/command_bucket/family/bucket.h"
#include "variants/command_bucket/family/packet_memory.h"
#include "variants/command_bucket/family/parts.h"
#include "variants/command_bucket/family/scene.h"
#include "variants/designs/threads/worker_pool.h"

namespace lab::command_bucket {

/// Components per task.
inline constexpr std::size_t kComponentsPerTask = 50;

enum class Threading {
  kOne,  ///< the components in order, without the pool
  kPool  ///< tasks of kComponentsPerTask components, on a worker per logical core
};

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

  /// The entries of one bucket, after sort().
  virtual std::span<std::byte*> packets(Layer layer) = 0;
  virtual std::span<const std::uint64_t> keys(Layer layer) const = 0;
  /// After add(): bytes that the packets take; 0: unknown.
  virtual std::size_t packet_memory_bytes() const = 0;
};

/// `Pool`: the pool itself, or what runs its tasks in its place (watched.h).
template <PacketMemory Memory, EntrySlots Slots, Threading kThreading, typename Pool = designs::WorkerPool&>
class FrameOf final : public Frame {
 public:
  /// `scene` and `pool` outlive the frame.
  FrameOf(const Scene& scene, designs::WorkerPool& pool)
      : scene_(scene),
        pool_(pool),
        memory_(Budget{scene.draws(), scene.maps(), pool.workers()}),
        buckets_{Bucket(scene.keys_in(kGBuffer), pool.workers(), memory_),
                 Bucket(scene.keys_in(kShadowMap), pool.workers(), memory_),
                 Bucket(scene.keys_in(kLighting), pool.workers(), memory_)} {
    if constexpr (FreesPackets<Memory>) {
      packets_.reserve(scene.commands());
      if constexpr (Memory::kFreeOrder == FreeOrder::kSubmission) submission_ = submission_order(scene);
      grow_heaps();
    }
  }

  void add() override {
    if constexpr (kThreading == Threading::kOne) {
      for (const Component& mesh : scene_.meshes) add_mesh(mesh);
      for (const Component& light : scene_.lights) add_light(light);
    } else {
      const std::size_t mesh_tasks = tasks_for(scene_.meshes);
      pool_.run(mesh_tasks + tasks_for(scene_.lights), [&](std::size_t task) {
        if (task < mesh_tasks)
          for (const Component& mesh : components_of(scene_.meshes, task)) add_mesh(mesh);
        else
          for (const Component& light : components_of(scene_.lights, task - mesh_tasks)) add_light(light);
      });
    }
  }

  void sort() override {
    for (Bucket& bucket : buckets_) bucket.sort();
  }

  void submit(Backend& backend) override {
    for (const Bucket& bucket : buckets_) bucket.submit(0, bucket.keys().size(), backend);
  }

  void submit(Layer layer, std::size_t first, std::size_t last, Backend& backend) const override {
    buckets_[layer].submit(first, last, backend);
  }

  void clear() override {
    if constexpr (FreesPackets<Memory>)
      for (std::byte* const packet : all_packets()) memory_.release(packet);
    empty();
  }

  void reset_heap() override {
    if constexpr (FreesPackets<Memory>) {
      add();
      sort();
      std::vector<std::byte*>& packets = all_packets();
      std::sort(packets.begin(), packets.end());
      if constexpr (Memory::kFreeOrder == FreeOrder::kSubmission)
        for (const std::uint32_t place : submission_) memory_.release(packets[place]);
      else
        for (std::byte* const packet : packets) memory_.release(packet);
      empty();
    }
  }

  std::span<std::byte*> packets(Layer layer) override { return buckets_[layer].packets(); }
  std::span<const std::uint64_t> keys(Layer layer) const override { return buckets_[layer].keys(); }
  std::size_t packet_memory_bytes() const override { return memory_.used(); }
  Memory& memory() { return memory_; }

 private:
  using Bucket = CommandBucket<Memory, Slots>;

  static std::size_t tasks_for(const std::vector<Component>& components) {
    return (components.size() + kComponentsPerTask - 1) / kComponentsPerTask;
  }

  static std::span<const Component> components_of(const std::vector<Component>& components, std::size_t task) {
    const std::size_t first = task * kComponentsPerTask;
    return {components.data() + first, std::min(kComponentsPerTask, components.size() - first)};
  }

  // One worker may execute all tasks, so each allocates a whole frame once.
  void grow_heaps() {
    std::vector<std::vector<std::byte*>> packets(pool_.workers());
    std::atomic<unsigned> waiting = pool_.workers();
    pool_.run(pool_.workers(), [&](std::size_t task) {
      waiting.fetch_sub(1);
      while (waiting.load() != 0) std::this_thread::yield();  // so that no worker takes two of these tasks
      packets[task].reserve(scene_.commands());
      for (std::size_t i = 0; i < scene_.draws(); ++i) packets[task].push_back(memory_.allocate(kPacketBytes<Draw>));
      for (std::size_t i = 0; i < scene_.maps(); ++i)
        packets[task].push_back(memory_.allocate(kPacketBytes<MapConstants>));
    });
    for (const std::vector<std::byte*>& of_worker : packets)
      for (std::byte* const packet : of_worker) memory_.release(packet);
  }

  /// In the order of submission.
  std::vector<std::byte*>& all_packets() {
    packets_.clear();
    for (Bucket& bucket : buckets_)
      for (std::byte* packet : bucket.packets())
        for (; packet != nullptr; packet = next_packet(packet)) packets_.push_back(packet);
    return packets_;
  }

  void empty() {
    for (Bucket& bucket : buckets_) bucket.clear();
    memory_.reset();
  }

  void add_mesh(const Component& mesh) {
    for (const Layer layer : {kGBuffer, kShadowMap}) {
      const std::uint64_t work = artificial_work(scene_, layer, mesh);
      fill(*buckets_[layer].template add<Draw>(generate_key(scene_, layer, mesh)), mesh, work);
    }
  }

  void add_light(const Component& light) {
    const std::uint64_t map_work = artificial_work(scene_, kLighting, light);
    auto* const map = buckets_[kLighting].template add<MapConstants>(generate_key(scene_, kLighting, light));
    fill(*map, light, map_work);
    const std::uint64_t draw_work = artificial_work(scene_, kLighting + 1, light);
    fill(*buckets_[kLighting].template append<Draw>(map), light, draw_work);
  }

  const Scene& scene_;
  Pool pool_;
  Memory memory_;
  std::array<Bucket, kLayers> buckets_;
  std::vector<std::byte*> packets_;        // for all_packets(): reserved, so that freeing allocates nothing
  std::vector<std::uint32_t> submission_;  // submission_order()
};

using MakeFrame = std::function<std::unique_ptr<Frame>(const Scene&, designs::WorkerPool&)>;

/// How a version renders.
struct Renderer {
  Threading threading;
  MakeFrame make_frame;
  Parts parts;
};

/// Of the exhibits' frames: as many meshes and as many lights. Few, so that a chart can show all events of a frame, and
/// six processes of each version fit into the tenth of a short session that exhibits may take.
inline constexpr std::size_t kExhibitComponents = 200;

/// Completes a `version`.
bench::Variant make_variant(bench::VariantCard version, const Renderer& renderer);

template <PacketMemory Memory, EntrySlots Slots, Threading kThreading>
bench::Variant make_variant(bench::VariantCard version) {
  const MakeFrame make_frame = [](const Scene& scene, designs::WorkerPool& pool) {
    return std::make_unique<FrameOf<Memory, Slots, kThreading>>(scene, pool);
  };
  return make_variant(std::move(version), {kThreading, make_frame, parts_of<Memory, Slots>()});
}

}  // namespace lab::command_bucket
