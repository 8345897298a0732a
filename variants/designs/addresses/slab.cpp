#include "variants/designs/addresses/slab.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <new>

namespace lab::designs {

/// Each class with the smallest slab of which at most 1/16 is no block.
constexpr std::array<Slab::Size, Slab::kClasses> Slab::sizes() {
  std::array<Size, kClasses> all{};
  for (unsigned at = 1; at < kClasses; ++at) {
    const std::size_t granules = Classes::smallest(at);
    std::size_t pages = 1;
    while (pages * kPageBytes % (granules * kGranule) * 16 > pages * kPageBytes) ++pages;
    all[at] = {static_cast<std::uint16_t>(granules),
               static_cast<std::uint16_t>(pages * kPageBytes / (granules * kGranule)),
               static_cast<std::uint16_t>(pages)};
  }
  return all;
}
constexpr std::array<Slab::Size, Slab::kClasses> Slab::kSizes = sizes();

Slab::Slab(void* memory, std::size_t bytes) : table_(nullptr), begin_(static_cast<std::byte*>(memory)) {
  assert(reinterpret_cast<std::uintptr_t>(memory) % kPageBytes == 0);
  const std::size_t all = std::min(bytes / kPageBytes, kMostPages);
  // The smallest table that has an entry for every page behind it.
  const std::size_t table_pages = (all * sizeof(Page) + kPageBytes + sizeof(Page) - 1) / (kPageBytes + sizeof(Page));
  pages_ = all - table_pages;
  table_bytes_ = table_pages * kPageBytes;
  begin_ += table_bytes_;
  slabs_.fill(kNone);
  runs_.fill(kNone);
  if (pages_ == 0) return;
  table_ = new (memory) Page[pages_];
  add_run(0, static_cast<Index>(pages_));
}

std::size_t Slab::block_bytes(std::size_t bytes) {
  return bytes > kMostSlabBytes ? pages_for(bytes) * kPageBytes : kSizes[class_of(bytes)].granules * kGranule;
}

std::size_t Slab::alignment(std::size_t bytes) {
  return std::min(kPageBytes, std::size_t{1} << std::countr_zero(block_bytes(bytes)));
}

std::size_t Slab::capacity(std::size_t bytes) const {
  if (bytes > kMostSlabBytes) return pages_ / pages_for(bytes);
  const Size& size = kSizes[class_of(bytes)];
  return pages_ / size.pages * size.blocks;
}

void* Slab::allocate(std::size_t bytes) {
  if (bytes > kMostSlabBytes) {
    if (bytes > largest_request()) return nullptr;
    const auto pages = static_cast<Index>(pages_for(bytes));
    const Index run = take_run(pages);
    if (run == kNone) return nullptr;
    table_[run].kind = table_[run + pages - 1].kind = kLargeRun;
    table_[run].pages = pages;
    table_[run].back = 0;
    return address(run);
  }
  const unsigned size_class = class_of(bytes);
  Index slab = slabs_[size_class];
  if (slab == kNone) [[unlikely]] {
    slab = new_slab(size_class);
    if (slab == kNone) return nullptr;
  }
  const Size& size = kSizes[size_class];
  Page& page = table_[slab];
  std::byte* block = address(slab);
  if (page.free != kNoBlock) {
    block += page.free * kGranule;
    std::memcpy(&page.free, block, sizeof page.free);
  } else {
    block += page.carved++ * std::size_t{size.granules} * kGranule;
  }
  if (++page.used == size.blocks) remove(slabs_[size_class], slab);
  return block;
}

void Slab::free(void* freed) {
  if (freed == nullptr) return;
  auto* const block = static_cast<std::byte*>(freed);
  const auto at = static_cast<Index>(static_cast<std::size_t>(block - begin_) / kPageBytes);
  const Index slab = at - table_[at].back;
  Page& page = table_[slab];
  assert(page.kind != kFreeRun && "the block is free");
  if (page.kind == kLargeRun) {
    release_run(slab, page.pages);
    return;
  }
  const Size& size = kSizes[page.kind];
  assert(page.used > 0 && "every block of the slab is free");
  if (page.used-- == size.blocks) push(slabs_[page.kind], slab);
  if (page.used == 0) {
    remove(slabs_[page.kind], slab);
    release_run(slab, size.pages);
    return;
  }
  std::memcpy(block, &page.free, sizeof page.free);
  page.free = static_cast<std::uint16_t>(static_cast<std::size_t>(block - address(slab)) / kGranule);
}

Slab::Index Slab::new_slab(unsigned size_class) {
  const Index pages = kSizes[size_class].pages;
  const Index slab = take_run(pages);
  if (slab == kNone) return kNone;
  for (Index back = 0; back < pages; ++back) {
    table_[slab + back].kind = static_cast<std::uint8_t>(size_class);
    table_[slab + back].back = static_cast<std::uint8_t>(back);
  }
  table_[slab].free = kNoBlock;
  table_[slab].used = table_[slab].carved = 0;
  push(slabs_[size_class], slab);
  return slab;
}

Slab::Index Slab::take_run(Index pages) {
  const unsigned bin = nonempty_.first_from(Runs::holding(pages));
  const Index run = bin != BinSet<kRunBins>::kNone ? runs_[bin] : run_in_own_bin(pages);
  if (run == kNone) return kNone;
  const Index found = table_[run].pages;
  remove_run(run);
  if (found > pages) add_run(run + pages, found - pages);
  return run;
}

Slab::Index Slab::run_in_own_bin(Index pages) const {
  for (Index run = runs_[Runs::of(pages)]; run != kNone; run = table_[run].next)
    if (table_[run].pages >= pages) return run;
  return kNone;
}

void Slab::release_run(Index first, Index pages) {
  if (const Index behind = first + pages; behind < pages_ && table_[behind].kind == kFreeRun) {
    pages += table_[behind].pages;
    remove_run(behind);
  }
  if (first > 0 && table_[first - 1].kind == kFreeRun) {
    const Index before = table_[first - 1].pages;
    first -= before;
    pages += before;
    remove_run(first);
  }
  add_run(first, pages);
}

void Slab::add_run(Index first, Index pages) {
  table_[first].kind = table_[first + pages - 1].kind = kFreeRun;
  table_[first].pages = table_[first + pages - 1].pages = pages;
  const unsigned bin = Runs::of(pages);
  push(runs_[bin], first);
  nonempty_.add(bin);
}

void Slab::remove_run(Index first) {
  const unsigned bin = Runs::of(table_[first].pages);
  remove(runs_[bin], first);
  if (runs_[bin] == kNone) nonempty_.remove(bin);
}

void Slab::push(Index& head, Index page) {
  table_[page].next = head;
  table_[page].previous = kNone;
  if (head != kNone) table_[head].previous = page;
  head = page;
}

void Slab::remove(Index& head, Index page) {
  const Page& removed = table_[page];
  if (removed.next != kNone) table_[removed.next].previous = removed.previous;
  (removed.previous == kNone ? head : table_[removed.previous].next) = removed.next;
}

}  // namespace lab::designs
