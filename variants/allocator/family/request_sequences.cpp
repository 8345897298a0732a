#include "variants/allocator/family/request_sequences.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace lab::allocator {

namespace {

/// An allocator, its live blocks, and the first thing that is wrong with them.
class Requests {
 public:
  Requests(const Subject& subject, const Demand& demand, Fill fill)
      : allocator_(subject.make(demand)), ledger_(*allocator_), filled_(fill == Fill::kYes) {}

  const Found& found() const { return found_; }
  std::size_t live() const { return live_.size(); }
  std::size_t live_bytes() const { return bytes_; }
  bool can_serve(std::size_t bytes) const {
    return !allocator_->can().fixed_capacity || bytes <= allocator_->largest_request();
  }

  void allocate(std::size_t bytes) {
    void* const block = allocator_->allocate(bytes);
    if (block == nullptr)
      found_.refusal = refused(bytes);
    else if (filled_)
      found_.overlap = ledger_.add(block, bytes);
    else
      found_.alignment = misaligned(*allocator_, block, bytes);
    if (block == nullptr || !found_.overlap.empty()) return;
    live_.emplace_back(block, bytes);
    bytes_ += bytes;
  }

  /// Frees the block at `place`, which the last one takes. Returns its bytes.
  std::size_t free(std::size_t place) {
    std::swap(live_[place], live_.back());
    const auto [block, bytes] = live_.back();
    live_.pop_back();
    bytes_ -= bytes;
    if (filled_) found_changed(ledger_.remove(block));
    allocator_->free(block, bytes);
    return bytes;
  }

  void free_in_order() {
    std::ranges::reverse(live_);
    while (!live_.empty()) free(live_.size() - 1);
  }

  /// Frees from the lowest address, or all at once if the allocator frees no single blocks.
  void free_all() {
    if (filled_)
      found_changed(ledger_.free_all());
    else
      allocator::free_all(*allocator_, live_);
    live_.clear();
    bytes_ = 0;
  }

 private:
  void found_changed(std::string contents) {
    if (found_.contents.empty()) found_.contents = std::move(contents);
  }

  std::unique_ptr<AnyAllocator> allocator_;
  LiveBlocks ledger_;
  bool filled_;
  Found found_;
  SizedBlocks live_;
  std::size_t bytes_ = 0;
};

/// A random sequence of allocations and frees: the bytes and blocks live at once, its length, and the sizes.
struct Sequence {
  Demand demand;
  int steps;
  SizePowers powers;
};

/// All sizes; as many blocks as a workload has; large blocks.
constexpr Sequence kSequences[] = {{kCheckDemand, 20'000, {2, 14}},
                                   {{.bytes = std::size_t{1} << 20, .blocks = 10'000}, 40'000, {3, 7}},
                                   {{.bytes = std::size_t{16} << 20, .blocks = 400}, 2000, {12, 17}}};

Found replace_blocks(const Subject& subject, const Sequence& sequence, Fill fill) {
  Requests requests(subject, sequence.demand, fill);
  Random random(1);
  for (int i = 0; i < sequence.steps && !requests.found().any(); ++i) {
    const std::size_t bytes = random_size(random, sequence.powers);
    if (requests.live_bytes() + bytes <= sequence.demand.bytes && requests.live() != sequence.demand.blocks &&
        !(subject.can.frees_blocks && requests.live() != 0 && random.below(100) < 45))
      requests.allocate(bytes);
    else if (subject.can.frees_blocks)
      requests.free(static_cast<std::size_t>(random.below(requests.live())));
    else
      requests.free_all();
  }
  requests.free_all();
  return requests.found();
}

/// Every size up to a page. From there to 128 KiB, the sizes around four evenly spaced points per power of two. Blocks
/// of one group are live together.
std::vector<std::vector<std::size_t>> swept_sizes() {
  constexpr std::size_t kGroup = 512, kAround = 8, kMost = 128 * 1024;
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t first = 1; first <= kPageBytes; first += kGroup) {
    groups.emplace_back(kGroup);
    std::iota(groups.back().begin(), groups.back().end(), first);
  }
  for (std::size_t step = kPageBytes; step <= kMost; step += std::bit_floor(step) / 4) {
    groups.emplace_back(2 * kAround + 1);
    std::iota(groups.back().begin(), groups.back().end(), step - kAround);
  }
  return groups;
}

Found sweep_sizes(const Subject& subject, const std::vector<std::size_t>& sizes, Fill fill) {
  const std::size_t each = sizes.front() < kPageBytes / 2 ? 4 : 2;  // large blocks take most of the time
  const std::size_t bytes = each * std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  Requests requests(subject, {.bytes = bytes + bytes / 4, .blocks = each * sizes.size()}, fill);
  for (const std::size_t size : sizes)
    for (std::size_t i = 0; i < each && !requests.found().any() && requests.can_serve(size); ++i)
      requests.allocate(size);
  if (!subject.can.frees_blocks) {
    requests.free_all();
    return requests.found();
  }
  std::vector<std::size_t> again;
  for (std::size_t i = requests.live() / 2; i-- > 0 && !requests.found().any();) again.push_back(requests.free(2 * i));
  for (const std::size_t size : again)
    if (!requests.found().any()) requests.allocate(size);
  requests.free_in_order();
  return requests.found();
}

}  // namespace

std::vector<std::size_t> edge_sizes(std::size_t largest) {
  std::vector<std::size_t> sizes{0, 1, 2};
  for (std::size_t power = 4; power <= largest; power *= 2) sizes.insert(sizes.end(), {power - 1, power, power + 1});
  return sizes;
}

std::size_t random_size(Random& random, SizePowers powers) {
  const std::size_t bytes = random.between(1, std::uint64_t{1} << random.between(powers.low, powers.high));
  switch (random.below(4)) {
    case 0:
      return std::bit_ceil(bytes);
    case 1:
      return std::min((bytes + 15) / 16 * 16, std::size_t{1} << powers.high);
    default:
      return bytes;
  }
}

std::string misaligned(AnyAllocator& allocator, void* block, std::size_t bytes) {
  if (block == nullptr) return refused(bytes);
  const std::size_t alignment = allocator.alignment(bytes);
  if (!std::has_single_bit(alignment))
    return fmt::format("the promised alignment of a block of {} bytes is {}, which is not a power of two", bytes,
                       alignment);
  const std::size_t off = reinterpret_cast<std::uintptr_t>(allocator.address(block)) % alignment;
  return off == 0 ? ""
                  : fmt::format("the address of a block of {} bytes is {} bytes past its alignment of {}", bytes, off,
                                alignment);
}

bool lies_outside(const Demand& demand, const void* block, std::size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(block);
  const auto* const heap = static_cast<const std::byte*>(demand.heap);
  return heap != nullptr && (begin < heap || begin + bytes > heap + demand.heap_bytes);
}

std::string fill(AnyAllocator& allocator, const Demand& demand, std::size_t bytes, SizedBlocks& blocks) {
  const std::size_t expected = allocator.capacity(bytes);
  while (blocks.size() <= expected) {
    void* const block = allocator.allocate(bytes);
    if (block == nullptr) break;
    if (lies_outside(demand, allocator.address(block), bytes))
      return fmt::format("a block of {} bytes lies outside of the buffer that was given", bytes);
    blocks.emplace_back(block, bytes);
  }
  if (blocks.size() == expected) return "";
  return fmt::format("the capacity for requests of {} bytes is reported as {}, but the empty allocator served {}{}",
                     bytes, expected, blocks.size(), blocks.size() > expected ? " and more" : "");
}

Found replace_blocks(const Subject& subject, Fill fill) {
  for (const Sequence& sequence : kSequences)
    if (Found found = replace_blocks(subject, sequence, fill); found.any()) return found;
  return {};
}

Found sweep_sizes(const Subject& subject, Fill fill) {
  for (const std::vector<std::size_t>& sizes : swept_sizes())
    if (Found found = sweep_sizes(subject, sizes, fill); found.any()) return found;
  return {};
}

}  // namespace lab::allocator
