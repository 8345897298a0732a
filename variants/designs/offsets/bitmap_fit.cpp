#include "variants/designs/offsets/bitmap_fit.h"

#include <algorithm>
#include <new>

namespace lab::designs {

BitmapFit::Leaf BitmapFit::leaves_within(std::size_t bytes, std::size_t leaf_bytes) {
  std::size_t leaves = std::min<std::size_t>(bytes / leaf_bytes, kMostLeaves);
  while (leaves > 0 && leaves * leaf_bytes + metadata_bytes(leaves) > bytes) {
    // Bookkeeping is a small part of the range: each step removes what exceeds it, until nothing does.
    const std::size_t excess = leaves * leaf_bytes + metadata_bytes(leaves) - bytes;
    const std::size_t page_bytes = kPageLeaves * leaf_bytes + sizeof(Page) + sizeof(Link);
    leaves -= std::min(leaves, std::max<std::size_t>(1, excess / page_bytes * kPageLeaves));
  }
  return static_cast<Leaf>(leaves);
}

BitmapFit::BitmapFit(Leaf leaves, void* metadata) : leaves_(leaves) {
  const std::size_t pages = pages_of(leaves);
  links_ = new (metadata) Link[SizeClasses::kCount + pages];
  pages_ = new (links_ + SizeClasses::kCount + pages) Page[pages];
  reset();
}

void BitmapFit::reset() {
  nonempty_ = {};
  const auto pages = static_cast<std::uint32_t>(pages_of(leaves_));
  for (std::uint32_t head = 0; head < SizeClasses::kCount; ++head) links_[head] = {head, head};
  std::fill_n(pages_, pages, Page{});
  for (std::uint32_t own = SizeClasses::kCount; own < SizeClasses::kCount + pages; ++own)
    links_[own] = {own + 1, own - 1};
  links_[SizeClasses::kCount].previous = links_[SizeClasses::kCount + pages - 1].next = 0;
  links_[0] = {SizeClasses::kCount, SizeClasses::kCount + pages - 1};
  page_of(leaves_).begins |= bit(leaves_);
  page_of(0).begins |= bit(0);
  page_of(0).free |= bit(0);
  cross(0, leaves_, 0);
  add_run(0, leaves_);
}

// Which neighbours are free, and what crosses a page, is close to random, so a branch on it costs more than what it
// avoids. Therefore both results are computed and one is selected.

BitmapFit::Leaf BitmapFit::end_of(Leaf first) const {
  const Page& page = page_of(first);
  const std::uint64_t behind = page.begins >> (first % kPageLeaves) >> 1;
  const Leaf within = first + 1 + static_cast<Leaf>(std::countr_zero(behind));
  return behind != 0 ? within : page.crosses_to;
}

BitmapFit::Leaf BitmapFit::run_before(Leaf leaf) const {
  if (leaf == 0) [[unlikely]]
    return kNone;
  const Leaf last = leaf - 1;
  const Page& page = page_of(last);
  const std::uint64_t begins = page.begins << (kPageLeaves - 1 - last % kPageLeaves);
  const Leaf before = last - static_cast<Leaf>(std::countl_zero(begins));
  const Leaf within = (page.free & bit(before)) != 0 ? before : kNone;
  return begins != 0 ? within : page.crosses_from;
}

/// Notes how [first, end) crosses pages. `from` is `first` for a free run, kNone for a block.
void BitmapFit::cross(Leaf first, Leaf end, Leaf from) {
  Page& begin_page = page_of(first);
  begin_page.crosses_to = first / kPageLeaves != end / kPageLeaves ? end : begin_page.crosses_to;
  Page& end_page = page_of(end - 1);
  end_page.crosses_from = (end - 1) / kPageLeaves > first / kPageLeaves ? from : end_page.crosses_from;
}

/// Makes the run that begins at `first` the listed one of its page. Pages without one are in the list of class 0.
void BitmapFit::list(std::size_t page, unsigned size_class, Leaf first) {
  Page& listing = pages_[page];
  const auto own = static_cast<std::uint32_t>(SizeClasses::kCount + page);
  const Link old = links_[own];
  links_[old.next].previous = old.previous;
  links_[old.previous].next = old.next;
  nonempty_.clear_if(old.next == old.previous, listing.listed_class);  // only the head is left
  listing.listed = static_cast<std::uint8_t>(first % kPageLeaves);
  listing.listed_class = static_cast<std::uint16_t>(size_class);
  const std::uint32_t next = links_[size_class].next;
  links_[own] = {next, size_class};
  links_[next].previous = own;
  links_[size_class].next = own;
  nonempty_.set(size_class);
}

void BitmapFit::list_longest(std::size_t page) {
  const Leaf begin = static_cast<Leaf>(page * kPageLeaves);
  unsigned longest = 0;
  Leaf listed = begin;
  for (std::uint64_t left = pages_[page].free; left != 0; left &= left - 1) {
    const Leaf first = begin + static_cast<Leaf>(std::countr_zero(left));
    const unsigned size_class = SizeClasses::of(end_of(first) - first);
    listed = size_class > longest ? first : listed;
    longest = std::max(longest, size_class);
  }
  list(page, longest, listed);
}

/// Lists a run that is new or has grown, unless a longer one begins in its page.
void BitmapFit::add_run(Leaf first, Leaf end) {
  const unsigned size_class = SizeClasses::of(end - first);
  const std::size_t page = first / kPageLeaves;
  if (size_class >= pages_[page].listed_class) list(page, size_class, first);
}

/// The free run that a request takes.
BitmapFit::Leaf BitmapFit::find(Leaf leaves) const {
  const auto listed = [&](std::uint32_t link) {
    const std::size_t page = link - SizeClasses::kCount;
    return static_cast<Leaf>(page * kPageLeaves) + pages_[page].listed;
  };
  if (const unsigned found = nonempty_.first_from(SizeClasses::holding(leaves)); found != SizeClasses::kCount)
    return listed(links_[found].next);
  // Runs of the request's own class may be too short. Two runs of a class that is not exact cannot begin in one page,
  // so each is listed.
  const unsigned own = SizeClasses::of(leaves);
  for (std::uint32_t at = links_[own].next; at != own; at = links_[at].next) {
    const Leaf run = listed(at);
    if (end_of(run) - run >= leaves) return run;
  }
  return kNone;
}

BitmapFit::Leaf BitmapFit::allocate(Leaf leaves) {
  if (leaves > leaves_) return kNone;
  const Leaf run = find(leaves);
  if (run != kNone) take_front(run, end_of(run), leaves);
  return run;
}

void BitmapFit::take_front(Leaf first, Leaf end, Leaf leaves) {
  const Leaf rest = first + leaves;
  page_of(first).free &= ~bit(first);
  cross(first, rest, kNone);
  // If nothing is left, a block begins there already.
  page_of(rest).begins |= bit(rest);
  page_of(rest).free |= rest != end ? bit(rest) : 0;
  cross(rest, end, rest);
  list_longest(first / kPageLeaves);
  if (rest / kPageLeaves != first / kPageLeaves && rest != end) add_run(rest, end);
}

void BitmapFit::free(Leaf first) {
  const Leaf behind = end_of(first);
  const Leaf before = run_before(first);
  const Leaf begin = before != kNone ? before : first;
  page_of(first).begins &= ~(before != kNone ? bit(first) : 0);

  Page& next = page_of(behind);
  const bool merges = is_free_run(behind);
  const Leaf end_behind = end_of(behind);
  const Leaf end = merges ? end_behind : behind;
  const std::uint64_t merged = merges ? bit(behind) : 0;
  next.begins &= ~merged;
  next.free &= ~merged;
  page_of(begin).free |= bit(begin);
  cross(begin, end, begin);
  // In the page where the merged run begins, that run takes the place of the shorter one.
  if (merges & (behind / kPageLeaves != begin / kPageLeaves) & (next.listed == behind % kPageLeaves))
    list_longest(behind / kPageLeaves);
  add_run(begin, end);
}

BitmapFit::Leaf BitmapFit::first_free_run(Leaf leaf) const {
  std::uint64_t free = page_of(leaf).free & (~std::uint64_t{0} << (leaf % kPageLeaves));
  for (std::size_t page = leaf / kPageLeaves;; free = pages_[page].free) {
    if (free != 0) return static_cast<Leaf>(page * kPageLeaves) + static_cast<Leaf>(std::countr_zero(free));
    if (++page == pages_of(leaves_)) return kNone;
  }
}

BitmapFit::Leaf BitmapFit::largest_free() const {
  Leaf largest = 0;
  for_each_free([&](Leaf, Leaf leaves) { largest = std::max(largest, leaves); });
  return largest;
}

}  // namespace lab::designs
