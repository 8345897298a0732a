#include "variants/allocator/family/fuzz.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "variants/allocator/family/request_sequences.h"
#include "variants/common/plans/fuzz_input.h"

#ifdef __has_feature
#if __has_feature(address_sanitizer)
// A request that no process can serve is refused, as by the C library, and no finding.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}
#endif
#endif

namespace lab::allocator {

namespace {

/// Blocks are written whole, so their sum is bounded: an input should take microseconds.
constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::size_t kMostBlocks = 4096;

constexpr std::size_t kLeastPages = 16, kFurtherPages = 64;

/// One allocator and its live blocks.
class Session {
 public:
  /// In the first `pages` of `arena`, whatever earlier inputs left there.
  Session(const Subject& subject, const Buffer& arena, std::size_t pages)
      // The demand is a small part of the arena, so that every variant has room for its own data. What it refuses
      // within the arena is its own business, but for the largest request.
      : demand_{.bytes = pages * kPageBytes / 8, .blocks = pages * kPageBytes / 1024} {
    if (subject.can.fixed_capacity) {
      demand_.heap = arena.begin();
      demand_.heap_bytes = pages * kPageBytes;
    }
    allocator_ = subject.make(demand_);
    ledger_.emplace(*allocator_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    // Without checks: after a finding the blocks may be anything.
    if (wrong_.empty()) free_all();
  }

  const std::string& wrong() const { return wrong_; }

  void allocate(std::size_t bytes) {
    if (live_.size() == kMostBlocks) return;
    void* const block = allocator_->allocate(bytes);
    if (block == nullptr) return;
    if (bytes > kMostBytes && can().fixed_capacity)
      return fail(fmt::format("a request of {} bytes returned a block", bytes));
    if (bytes_ + bytes > kMostBytes) {  // of an allocator that grows
      allocator_->free(block, bytes);
      return;
    }
    fail(misaligned(*allocator_, block, bytes));
    if (allocator_->occupied(block, bytes) < bytes) return fail(fmt::format("occupied() of {} bytes is less", bytes));
    if (arena_lacks(block, bytes)) return fail(fmt::format("a block of {} bytes lies outside", bytes));
    if (wrong_.empty()) fail(ledger_->add(block, bytes));
    if (!wrong_.empty()) return;
    live_.emplace_back(block, bytes);
    bytes_ += bytes;
  }

  void free_one(std::size_t number) {
    if (live_.empty() || !can().frees_blocks) return;
    std::swap(live_[number % live_.size()], live_.back());
    forget_last();
  }

  void free_all() {
    if (can().resets && !can().frees_blocks) {
      while (!live_.empty() && wrong_.empty()) check_last();
      allocator_->reset();
      return;
    }
    std::ranges::reverse(live_);
    for (std::size_t i = 1; i < live_.size() && wrong_.empty(); ++i) free_one(i);
    while (!live_.empty() && wrong_.empty()) forget_last();
  }

  void reset() {
    if (!can().resets) return free_all();
    while (!live_.empty() && wrong_.empty()) check_last();
    allocator_->reset();
  }

  void free_nothing() {
    if (can().frees_blocks) allocator_->free(nullptr, 1);
  }

  void request_largest() {
    if (!can().fixed_capacity || !live_.empty()) return;
    const std::size_t largest = allocator_->largest_request();
    if (allocator_->allocate(largest + 1) != nullptr)
      return fail(fmt::format("a request of {} + 1 bytes returned a block", largest));
    void* const block = allocator_->allocate(largest);
    if (block == nullptr) return fail(fmt::format("the largest request, {} bytes, returned null", largest));
    if (arena_lacks(block, largest))
      return fail(fmt::format("the block of the largest request, {} bytes, lies outside", largest));
    allocator::free_all(*allocator_, {{block, largest}});
  }

  /// Of an empty allocator: as many requests as it says succeed, and no more.
  void fill(std::size_t bytes) {
    if (!can().fixed_capacity || !live_.empty()) return;
    if (allocator_->capacity(bytes) > kMostBlocks) return;
    SizedBlocks blocks;
    fail(allocator::fill(*allocator_, demand_, bytes, blocks));
    if (!wrong_.empty()) return;
    allocator::free_all(*allocator_, blocks);
  }

 private:
  const Capabilities& can() const { return allocator_->can(); }

  bool arena_lacks(void* block, std::size_t bytes) const {
    return lies_outside(demand_, allocator_->address(block), bytes);
  }

  /// The first failure stays; "" is none.
  void fail(std::string what) {
    if (wrong_.empty()) wrong_ = std::move(what);
  }

  void check_last() {
    const auto [block, bytes] = live_.back();
    live_.pop_back();
    bytes_ -= bytes;
    std::string changed = ledger_->remove(block);
    if (wrong_.empty()) wrong_ = std::move(changed);
  }

  void forget_last() {
    const auto [block, bytes] = live_.back();
    check_last();
    if (wrong_.empty()) allocator_->free(block, bytes);
  }

  Demand demand_;
  std::unique_ptr<AnyAllocator> allocator_;
  std::optional<LiveBlocks> ledger_;
  SizedBlocks live_;
  std::size_t bytes_ = 0;
  std::string wrong_;
};

std::size_t request(std::uint8_t code, FuzzInput& input) {
  const unsigned log2 = code % 32;
  const std::size_t size = log2 < 25 ? std::size_t{1} << log2 : SIZE_MAX >> (31 - log2);
  switch (code / 32) {
    case 0:
      return size - 1;
    case 1:
      return size;
    case 2:
      return size + 1;  // 0 after SIZE_MAX
    default:
      return size + size / 256 * input.next() + (size < 256 ? input.next() % size : 0);
  }
}

}  // namespace

std::string fuzz(const Subject& subject, std::span<const std::uint8_t> bytes) {
  static const Buffer arena((kLeastPages + kFurtherPages) *
                            kPageBytes);  // mapping it again would be most of an input's time
  FuzzInput input(bytes);
  Session session(subject, arena, kLeastPages + input.next() % kFurtherPages);
  while (!input.ended() && session.wrong().empty()) {
    const std::uint8_t code = input.next();
    if (code < 128) {
      session.allocate(request(code, input));
    } else if (code < 240) {
      session.free_one(code - 128u);
    } else if (code < 248) {
      code < 244 ? session.free_all() : session.reset();
    } else if (code < 252) {
      session.free_nothing();
    } else {
      session.request_largest();
      if (session.wrong().empty()) session.fill(request(input.next(), input));
    }
  }
  if (session.wrong().empty()) session.free_all();
  if (session.wrong().empty()) session.request_largest();
  for (const std::size_t size : {100, 1000, 5000})
    if (session.wrong().empty()) session.fill(size);
  return session.wrong();
}

}  // namespace lab::allocator
