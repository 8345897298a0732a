#include "variants/designs/offsets/best_fit.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace lab::designs {

BestFit::BestFit(std::uint64_t bytes, std::uint64_t block_bytes) : capacity_(bytes), block_bytes_(block_bytes) {
  assert(block_bytes > 0);
  add_space(0, bytes);
}

// Every space but the one at the range's end has whole blocks. So a space that holds the bytes of a request also holds
// its blocks, or it ends with the short last block. The searches need not round.

BestFit::Offset BestFit::smallest_fit(std::uint64_t bytes) const {
  const auto found = by_size_.lower_bound({std::max<std::uint64_t>(bytes, 1), 0});
  return found == by_size_.end() ? kNone : found->second;
}

BestFit::Offset BestFit::lowest_fit(std::uint64_t bytes) const {
  if (bytes > largest_free()) return kNone;
  const auto found =
      std::find_if(free_.begin(), free_.end(), [bytes](const auto& space) { return space.second >= bytes; });
  return found == free_.end() ? kNone : found->first;
}

BestFit::Offset BestFit::allocate(std::uint64_t bytes) {
  const Offset offset = smallest_fit(bytes);
  if (offset != kNone) take(free_.find(offset), offset, bytes);
  return offset;
}

bool BestFit::allocate_at(Offset offset, std::uint64_t bytes) {
  if (offset % block_bytes_ != 0) return false;
  auto space = free_.upper_bound(offset);
  if (space == free_.begin()) return false;
  --space;
  const Offset end = space->first + space->second;
  if (offset >= end || bytes > end - offset) return false;
  take(space, offset, bytes);
  return true;
}

void BestFit::take(Spaces::iterator space, Offset offset, std::uint64_t bytes) {
  bytes += bytes == 0;
  const Offset begin = space->first, end = begin + space->second;
  // Rounds up without an overflow: whole blocks, or up to the space's end.
  const std::uint64_t rest = (block_bytes_ - bytes % block_bytes_) % block_bytes_;
  const std::uint64_t taken = end - offset - bytes < rest ? end - offset : bytes + rest;
  remove_space(space);
  add_space(begin, offset - begin);
  add_space(offset + taken, end - offset - taken);
  used_.emplace(offset, Taken{taken, bytes});
  used_bytes_ += taken;
  requested_bytes_ += bytes;
}

bool BestFit::free(Offset offset) {
  const auto range = used_.find(offset);
  if (range == used_.end()) return false;
  used_bytes_ -= range->second.bytes;
  requested_bytes_ -= range->second.requested;
  Offset begin = offset, end = offset + range->second.bytes;
  used_.erase(range);
  auto behind = free_.lower_bound(end);
  if (behind != free_.begin())
    if (const auto before = std::prev(behind); before->first + before->second == begin) {
      begin = before->first;
      remove_space(before);
    }
  if (behind != free_.end() && behind->first == end) {
    end += behind->second;
    remove_space(behind);
  }
  add_space(begin, end - begin);
  return true;
}

BestFit::Range BestFit::used_range(Offset offset) const {
  const auto found = used_.find(offset);
  return found == used_.end() ? Range{} : Range{offset, found->second.bytes, found->second.requested, true};
}

std::uint64_t BestFit::free_tail_bytes() const {
  const bool ends_free = !free_.empty() && free_.rbegin()->first + free_.rbegin()->second == capacity_;
  return ends_free ? capacity_ % block_bytes_ : 0;
}

void BestFit::add_space(Offset offset, std::uint64_t bytes) {
  if (bytes == 0) return;
  free_.emplace(offset, bytes);
  by_size_.emplace(bytes, offset);
}

void BestFit::remove_space(Spaces::iterator space) {
  by_size_.erase({space->second, space->first});
  free_.erase(space);
}

}  // namespace lab::designs
