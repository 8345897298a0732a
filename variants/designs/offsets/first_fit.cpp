#include "variants/designs/offsets/first_fit.h"

#include <algorithm>

namespace lab::designs {

static_assert(RangeAllocator<FirstFit>);

void FirstFit::List::add(RangeNodes& nodes, Index space) {
  Index previous = nodes[space].before;
  while (previous != RangeNodes::kEnds && !nodes[previous].is_free()) previous = nodes[previous].before;
  const Index next = nodes[previous].links.next;
  nodes[space].links = {next, previous};
  nodes[previous].links.next = space;
  nodes[next].links.previous = space;
}

void FirstFit::List::remove(RangeNodes& nodes, Index space) {
  const auto [next, previous] = nodes[space].links;
  nodes[previous].links.next = next;
  nodes[next].links.previous = previous;
}

Suballocation FirstFit::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  bytes += bytes == 0;
  if (bytes > nodes_.capacity()) return {};  // so no sum below overflows
  for (Index at = nodes_[RangeNodes::kEnds].links.next; at != RangeNodes::kEnds; at = nodes_[at].links.next)
    if (const std::uint64_t gap = nodes_.gap(at, alignment); nodes_[at].state >= gap + bytes)
      return nodes_.take(at, gap, bytes, bytes, list_);
  return {};
}

void FirstFit::free(Suballocation taken) {
  nodes_.free(taken, list_);
}

std::uint64_t FirstFit::largest_free() const {
  std::uint64_t largest = 0;
  for (Index at = nodes_[RangeNodes::kEnds].links.next; at != RangeNodes::kEnds; at = nodes_[at].links.next)
    largest = std::max(largest, nodes_[at].bytes());
  return largest;
}

}  // namespace lab::designs
