#include "variants/command_bucket/family/command_bucket.h"

#include <fmt/format.h>

#include <functional>

#include "harness/bench/variant.h"
#include "variants/command_bucket/family/workloads.h"
#include "variants/common/heaps/growth.h"
#include "variants/common/workers/pinned_workers.h"
#include "variants/designs/addresses/linear.h"

namespace lab::command_bucket {

namespace {

designs::WorkerPool make_pool(Threading threading, unsigned threads) {
  const unsigned workers = workers_for(threading, threads);
  return designs::WorkerPool(workers, pinned_workers(workers));
}

/// Checks the addresses of the packets and used() of their memory. Returns what is wrong, or "". Call after sort().
std::string memory_failure(const Frame& frame, unsigned threads) {
  constexpr std::size_t kSlack = 64 * 1024;  // per thread: a block that is partly used
  std::size_t bytes = 0;
  std::uintptr_t begin = UINTPTR_MAX, end = 0;
  for (const auto& [packet, size] : frame.places()) {
    const auto at = reinterpret_cast<std::uintptr_t>(packet);
    if (at % kPacketAlignment != 0)
      return fmt::format("the address of a packet of {} bytes is {} bytes past its alignment of {}", size,
                         at % kPacketAlignment, kPacketAlignment);
    bytes += size;
    begin = std::min(begin, at);
    end = std::max(end, at + size);
  }
  const std::size_t used = frame.packet_memory_bytes();
  if (used != 0 && used < bytes) return fmt::format("packets take {} bytes, used() reports {}", bytes, used);
  // Packets in one buffer take no more than the range from the first to the last.
  if (bytes != 0 && used > end - begin + kSlack * threads)
    return fmt::format("packets lie within {} bytes, used() reports {}", end - begin, used);
  return "";
}

/// Renders frames, each from the memory that the previous one freed. Returns that memory grew without bound, or "".
std::string growth_failure(const Scene& scene, designs::WorkerPool& pool, const MakeFrame& make_frame) {
  const std::size_t bytes = budget_of(scene, pool.workers(), {}).bytes<ArticlePacket>(kPacketAlignment);
  const std::unique_ptr<Frame> frame = make_frame(scene, pool, {});
  return unbounded_growth(bytes, [&]() -> std::string {
    frame->add();
    frame->sort();
    frame->clear();
    return "";
  });
}

std::string order_failure(const Frame& frame, Layer layer) {
  for (std::size_t i = 1; i < frame.size(layer); ++i)
    if (frame.key(layer, i - 1) >= frame.key(layer, i))
      return fmt::format("bucket {}: keys are not strictly ascending", static_cast<int>(layer));
  return "";
}

/// Renders two frames, the second from the memory that the first freed. Returns how one differs from expected(), or "".
std::string frame_failure(const Scene& scene, designs::WorkerPool& pool, const MakeFrame& make_frame,
                          const FrameOptions& options) {
  const Backend want = expected(scene);
  const std::unique_ptr<Frame> frame = make_frame(scene, pool, options);
  for (int repetition = 0; repetition < 2; ++repetition) {
    frame->add();
    frame->sort();
    for (const Layer layer : kAllLayers) {
      if (frame->size(layer) != scene.keys_in(layer))
        return fmt::format("bucket {}: {} keys added, {} sorted", static_cast<int>(layer), scene.keys_in(layer),
                           frame->size(layer));
      if (const std::string failure = order_failure(*frame, layer); !failure.empty()) return failure;
    }
    if (frame->dropped() != 0) return fmt::format("{} commands dropped, with room for all", frame->dropped());
    const Backend found = submitted(*frame, scene);
    const std::string memory = memory_failure(*frame, pool.workers());
    frame->clear();
    if (found.calls != want.calls) return fmt::format("{} commands added, {} submitted", want.calls, found.calls);
    if (found.checksum.value() != want.checksum.value())
      return fmt::format("checksum {:016x} expected, {:016x} found", want.checksum.value(), found.checksum.value());
    if (!memory.empty()) return memory;
  }
  return "";
}

/// Renders two frames with room for `room` of the keys: what is submitted and what is reported as dropped must be all.
std::string overflow_failure(const Scene& scene, designs::WorkerPool& pool, const MakeFrame& make_frame, double room) {
  const std::unique_ptr<Frame> frame = make_frame(scene, pool, {.room = room});
  for (int repetition = 0; repetition < 2; ++repetition) {
    frame->add();
    const std::size_t dropped = frame->dropped();
    frame->sort();
    for (const Layer layer : kAllLayers)
      if (const std::string failure = order_failure(*frame, layer); !failure.empty()) return failure;
    const std::size_t calls = submitted(*frame, scene).calls;
    frame->clear();
    if (calls + dropped != scene.commands())
      return fmt::format("{} commands added, {} submitted and {} dropped", scene.commands(), calls, dropped);
  }
  return "";
}

std::vector<bench::ConformanceCheck> checks_of(const Renderer& renderer) {
  struct Size {
    std::size_t meshes, lights;
  };
  // Nothing, one, around a block of 32 entries, around a task, many tasks with a remainder, the article's numbers.
  constexpr Size kSizes[] = {{0, 0}, {1, 0}, {0, 1}, {31, 33}, {49, 51}, {50, 50}, {1017, 333}, {kMeshes, kLights}};
  const Threading threading = renderer.threading;
  const MakeFrame make_frame = renderer.make_frame;
  std::vector<bench::ConformanceCheck> checks;
  const auto add = [&](std::string name, std::function<std::string()> what_is_wrong) {
    checks.push_back({std::move(name), std::move(what_is_wrong)});
  };
  if (renderer.identity_failure != nullptr)
    add("packets come from the allocator that the version names", renderer.identity_failure);
  const auto frames = [=](const Scene& scene, unsigned threads, const FrameOptions& options = {}) {
    designs::WorkerPool pool = make_pool(threading, threads);
    return frame_failure(scene, pool, make_frame, options);
  };
  for (const unsigned threads : {1u, 2u, 3u, 7u, 16u}) {
    if (threading == Threading::kOne && threads != 1) continue;
    for (const Size size : kSizes)
      add(fmt::format("{} meshes and {} lights on {} threads are submitted in sorted order", size.meshes, size.lights,
                      threads),
          [=] { return frames(make_scene(threads, size.meshes, size.lights, 1), threads); });
    add(fmt::format("what does not fit on {} threads is dropped and counted, or the buckets grow", threads), [=] {
      designs::WorkerPool pool = make_pool(threading, threads);
      const Scene scene = make_scene(threads, 3'000, 2'000, 0);
      for (const double room : {0.5, 0.0})
        if (std::string failure = overflow_failure(scene, pool, make_frame, room); !failure.empty()) return failure;
      return std::string();
    });
  }
  for (const KeyLayout layout : {KeyLayout::kByDepth, KeyLayout::kByMaterial, KeyLayout::kByShortDepth}) {
    if (!renderer.make_keys) break;
    add(fmt::format("keys {} give their order", name_of(layout)), [=] {
      Scene scene = make_scene(5, 3'000, 2'000, 0);
      scene.keys = layout;
      return frames(scene, 2);
    });
  }
  for (const Updates updates : {Updates::kStaged, Updates::kDoubleBuffered}) {
    if (updates == Updates::kStaged && renderer.one_size) continue;
    add(fmt::format("updates of buffers that are {} arrive",
                    updates == Updates::kStaged ? "staged" : "double-buffered"),
        [=] {
          Scene scene = make_scene(6, 700, 900, 0);
          scene.updates = updates;
          return frames(scene, 2);
        });
  }
  if (renderer.at_once > 1)
    for (const std::size_t at_once : {1u, 3u, 64u, 256u})
      add(fmt::format("{} entries claimed at once lose none", at_once),
          [=] { return frames(make_scene(7, 1'000, 1'000, 0), 3, {.at_once = at_once}); });
  if (threading == Threading::kPool)
    for (const std::size_t components : {1u, 7u, 1'000u})
      add(fmt::format("tasks of {} components add all", components),
          [=] { return frames(make_scene(8, 1'001, 1'003, 0), 3, {.components_per_task = components}); });
  if (kMemoryIsMeasurable)
    add("freed packet memory is reused", [=] {
      designs::WorkerPool pool = make_pool(threading, 2);
      return growth_failure(make_scene(1, 5000, 5000, 0), pool, make_frame);
    });
  return checks;
}

}  // namespace

Budget budget_of(const Scene& scene, unsigned threads, const FrameOptions& options) {
  Budget budget{.draws = scene.draws(),
                .maps = scene.maps(),
                .updates = scene.buffer_updates(),
                .update_bytes = scene.updates == Updates::kStaged ? kUpdateBytes : 0,
                .threads = threads,
                .at_once = options.at_once};
  for (const Layer layer : kAllLayers)
    budget.keys[layer] = static_cast<std::size_t>(options.room * static_cast<double>(scene.keys_in(layer)));
  return budget;
}

std::string_view name_of(KeyLayout layout) {
  constexpr std::string_view kNames[] = {"scattered", "by depth", "by material", "by depth in 24 bits"};
  return kNames[static_cast<std::size_t>(layout)];
}

Backend submitted(Frame& frame, const Scene& scene) {
  Backend backend;
  backend.buffers = frame.buffers();
  frame.submit(backend);
  if (backend.buffers != nullptr) backend.checksum.bytes(backend.buffers, scene.buffer_updates() * kUpdateBytes);
  return backend;
}

bench::Variant& make_variant(const char* name, const bench::Card& version, const Renderer& renderer) {
  bench::VariantCard card = bench::variant_card(LAB_FAMILY, name, version);
  card.traits["threads"] = renderer.threading == Threading::kPool ? "a worker per logical core" : "one";
  return bench::keep({std::move(card), workloads(renderer), checks_of(renderer)});
}

}  // namespace lab::command_bucket
