/// The allocator family: what a variant provides, and how it becomes an executable.
///
/// A variant is a class that models Allocator; what else it can do (free by pointer, free with size, reset, a capacity
/// of its own) it declares by having the member. Workloads and conformance ask for members, never for names, and call
/// them directly.
#pragma once

#include <concepts>
#include <cstddef>
#include <map>
#include <string>

namespace lab::allocator {

/// The most that is ever live at once; a variant that works in one buffer makes it large enough.
struct Demand {
  std::size_t bytes = 0;  ///< as requested
  std::size_t blocks = 0;
  void* heap = nullptr;  ///< whole pages to work in, for one that works in a buffer; nullptr: it makes one
  std::size_t heap_bytes = 0;
};

template <typename A>
concept Allocator = std::constructible_from<A, const Demand&> && requires(A allocator, void* block, std::size_t bytes) {
  /// A block of `bytes` (0 too), or nullptr if there is none.
  { allocator.allocate(bytes) } -> std::same_as<void*>;
  /// What the address of a block of `bytes` is promised to be a multiple of.
  { allocator.alignment(bytes) } -> std::same_as<std::size_t>;
  /// What a live block that `bytes` were asked for takes from everyone else: rounding and header included.
  { allocator.occupied(block, bytes) } -> std::same_as<std::size_t>;
};

/// Frees a block given its address; ignores nullptr.
template <typename A>
concept FreesByPointer = requires(A allocator, void* block) {
  allocator.free(block);
};

/// Frees a block given its address and what was asked for; ignores nullptr.
template <typename A>
concept FreesBySize = requires(A allocator, void* block, std::size_t bytes) {
  allocator.free(block, bytes);
};

template <typename A>
concept FreesBlocks = FreesByPointer<A> || FreesBySize<A>;

/// Frees everything at once.
template <typename A>
concept Resets = requires(A allocator) {
  allocator.reset();
};

/// Works in a buffer of its own, or of Demand::heap where there is one: states the largest request that it serves
/// when empty, and is as if new once all is freed.
template <typename A>
concept FixedCapacity = requires(const A allocator) {
  { allocator.largest_request() } -> std::same_as<std::size_t>;
};

/// Is somebody else's: says its version, and what is wrong if the calls do not reach it ("" if they do).
template <typename A>
concept Rival = requires {
  { A::version() } -> std::same_as<std::string>;
  { A::impostor() } -> std::same_as<std::string>;
};

/// Has exact facts of its own for a workload's counters.
template <typename A>
concept Counts = requires(const A allocator) {
  { allocator.counters() } -> std::same_as<std::map<std::string, double>>;
};

template <Allocator A>
requires FreesBlocks<A>
void free_block(A& allocator, void* block, std::size_t bytes) {
  if constexpr (FreesByPointer<A>) {
    allocator.free(block);
  } else {
    allocator.free(block, bytes);
  }
}

/// What buffers are made of.
inline constexpr std::size_t kPageBytes = 4096;

/// Whole pages from the operating system, given back at the end; ends the process if there are none.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes);
  /// The demand's own heap, which stays its maker's, or else a new one of `bytes`.
  Buffer(const Demand& demand, std::size_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* begin() const { return begin_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  void* begin_;
  bool borrowed_;
};

/// Ends the process: a workload's buffer was too small, so there is no number.
[[noreturn]] void out_of_memory(std::size_t bytes);

/// The four lines a variant opens with.
struct Lines {
  std::string idea, cost, source, weakness;
};

}  // namespace lab::allocator
