/// A trace: the requests of a workload in their order, without its other work.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "variants/common/heaps/handle.h"
#include "variants/common/plans/demand.h"

namespace lab {

struct Request {
  enum class What : std::uint8_t { kAllocate, kFree, kFreeAll };
  What what;
  std::uint32_t slot = 0;   ///< names the block; it is empty before kAllocate
  std::uint32_t bytes = 0;  ///< of kAllocate
};

/// From an empty allocator on.
struct Trace {
  std::size_t slots = 0;
  std::vector<Request> requests;

  void allocate(std::uint32_t slot, std::uint32_t bytes) {
    requests.push_back({Request::What::kAllocate, slot, bytes});
  }
  void free(std::uint32_t slot) { requests.push_back({Request::What::kFree, slot}); }
  void free_all() { requests.push_back({Request::What::kFreeAll}); }
};

/// What replays a trace, over addresses or offsets.
template <typename H>
concept Replayer = requires(H& heap, std::size_t bytes) {
  { heap.allocate(bytes) } -> BlockHandle;
  heap.free(heap.allocate(bytes), bytes);
  { heap.resets() } -> std::same_as<bool>;  // whether it has reset(), which frees everything
  heap.reset();
};

/// Whether `heap` serves all requests. It stops at the first that it refuses. No block is touched. Without reset(),
/// kFreeAll frees the slots in ascending order.
template <Replayer H>
bool replay(const Trace& trace, H& heap) {
  using Handle = decltype(heap.allocate(0));
  struct Block {
    Handle handle{};
    std::size_t bytes = 0;
    bool live = false;
  };
  std::vector<Block> slots(trace.slots);
  const auto release = [&](Block& block) {
    if (std::exchange(block.live, false)) heap.free(block.handle, block.bytes);
  };
  for (const Request& request : trace.requests) {
    if (request.what == Request::What::kAllocate) {
      const Handle handle = heap.allocate(request.bytes);
      if (is_none(handle)) return false;
      slots[request.slot] = {handle, request.bytes, true};
    } else if (request.what == Request::What::kFree) {
      release(slots[request.slot]);
    } else if (heap.resets()) {
      heap.reset();
      slots.assign(trace.slots, {});
    } else {
      for (Block& block : slots) release(block);
    }
  }
  return true;
}

}  // namespace lab
