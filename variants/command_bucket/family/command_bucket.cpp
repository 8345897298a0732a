#include "variants/command_bucket/family/command_bucket.h"

#include <fmt/format.h>

#include <functional>

#include "variants/command_bucket/family/workloads.h"
#include "variants/common/growth.h"
#include "variants/common/pinned_workers.h"
#include "variants/designs/addresses/linear.h"

namespace lab::command_bucket {

namespace {

designs::WorkerPool make_pool(Threading threading, unsigned threads) {
  const unsigned workers = workers_for(threading, threads);
  return designs::WorkerPool(workers, pinned_workers(workers));
}

/// Checks the addresses of the packets and used() of their memory. Returns what is wrong, or "". Call after sort().
std::string memory_failure(Frame& frame, unsigned threads) {
  constexpr std::size_t kSlack = 64 * 1024;  // per thread: a block that is partly used
  std::size_t bytes = 0;
  std::uintptr_t begin = UINTPTR_MAX, end = 0;
  for (const Layer layer : {kGBuffer, kShadowMap, kLighting})
    for (const std::byte* packet : frame.packets(layer))
      for (; packet != nullptr; packet = next_packet(packet)) {
        const auto at = reinterpret_cast<std::uintptr_t>(packet);
        const std::size_t size =
            dispatch_of(packet) == &MapConstants::dispatch ? kPacketBytes<MapConstants> : kPacketBytes<Draw>;
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
  const std::size_t bytes = Budget{scene.draws(), scene.maps(), pool.workers()}.bytes(kPacketAlignment);
  const std::unique_ptr<Frame> frame = make_frame(scene, pool);
  return unbounded_growth(bytes, [&]() -> std::string {
    frame->add();
    frame->sort();
    frame->clear();
    return "";
  });
}

/// Renders two frames, the second from the memory that the first freed. Returns how one differs from expected(), or "".
std::string frame_failure(const Scene& scene, designs::WorkerPool& pool, const MakeFrame& make_frame) {
  const Backend want = expected(scene);
  const std::unique_ptr<Frame> frame = make_frame(scene, pool);
  for (int repetition = 0; repetition < 2; ++repetition) {
    frame->add();
    frame->sort();
    for (const Layer layer : {kGBuffer, kShadowMap, kLighting}) {
      const auto keys = frame->keys(layer);
      if (keys.size() != scene.keys_in(layer))
        return fmt::format("bucket {}: {} keys added, {} sorted", static_cast<int>(layer), scene.keys_in(layer),
                           keys.size());
      if (std::adjacent_find(keys.begin(), keys.end(), std::greater_equal<>()) != keys.end())
        return fmt::format("bucket {}: keys are not strictly ascending", static_cast<int>(layer));
    }
    Backend found;
    frame->submit(found);
    const bool right = found.calls == want.calls && found.checksum.value() == want.checksum.value();
    const std::string memory = right ? memory_failure(*frame, pool.workers()) : "";
    frame->clear();
    if (found.calls != want.calls) return fmt::format("{} commands added, {} submitted", want.calls, found.calls);
    if (found.checksum.value() != want.checksum.value())
      return fmt::format("checksum {:016x} expected, {:016x} found", want.checksum.value(), found.checksum.value());
    if (!memory.empty()) return memory;
  }
  return "";
}

std::vector<bench::ConformanceCheck> checks_of(Threading threading, const MakeFrame& make_frame) {
  struct Size {
    std::size_t meshes, lights;
  };
  // Nothing, one, around a block of 32 entries, around a task, many tasks with a remainder, the article's numbers.
  constexpr Size kSizes[] = {{0, 0}, {1, 0}, {0, 1}, {31, 33}, {49, 51}, {50, 50}, {1017, 333}, {kMeshes, kLights}};
  std::vector<bench::ConformanceCheck> checks;
  for (const unsigned threads : {1u, 2u, 3u, 7u, 16u}) {
    if (threading == Threading::kOne && threads != 1) continue;
    for (const Size size : kSizes)
      checks.push_back({fmt::format("{} meshes and {} lights on {} threads are submitted in sorted order", size.meshes,
                                    size.lights, threads),
                        [=] {
                          designs::WorkerPool pool = make_pool(threading, threads);
                          return frame_failure(make_scene(threads, size.meshes, size.lights, 1), pool, make_frame);
                        }});
  }
  if (kMemoryIsMeasurable)
    checks.push_back({"freed packet memory is reused", [=] {
                        designs::WorkerPool pool = make_pool(threading, 2);
                        return growth_failure(make_scene(1, 5000, 5000, 0), pool, make_frame);
                      }});
  return checks;
}

}  // namespace

std::size_t Budget::bytes(std::size_t granule) const {
  return draws * designs::round_up(kPacketBytes<Draw>, granule) +
         maps * designs::round_up(kPacketBytes<MapConstants>, granule);
}

void Draw::dispatch(const void* command, Backend& backend) {
  const Draw& draw = *static_cast<const Draw*>(command);
  ++backend.calls;
  if (backend.recorder != nullptr) return backend.recorder->draw(draw);
  backend.checksum.word(std::uint64_t{draw.index_count} << 32 | draw.first_index);
  backend.checksum.word(std::uint64_t{draw.base_vertex} << 32 | std::uint64_t{draw.vertex_buffer} << 16 |
                        draw.index_buffer);
  backend.checksum.word(draw.constants);
}

void MapConstants::dispatch(const void* command, Backend& backend) {
  const MapConstants& map = *static_cast<const MapConstants*>(command);
  ++backend.calls;
  if (backend.recorder != nullptr) return backend.recorder->map(map);
  backend.checksum.word(std::uint64_t{map.buffer} << 16 | map.value);
}

bench::Variant make_variant(bench::VariantCard version, const Renderer& renderer) {
  version.family = LAB_FAMILY;
  version.traits = {{"threads", renderer.threading == Threading::kPool ? "a worker per logical core" : "one"}};
  return {std::move(version), workloads(renderer), checks_of(renderer.threading, renderer.make_frame)};
}

}  // namespace lab::command_bucket
