#include "variants/designs/addresses/tlsf.h"

#include <algorithm>
#include <cassert>

namespace lab::designs {

Tlsf::Tlsf(void* memory, std::size_t bytes)
    : base_(static_cast<std::byte*>(memory) + kGranule - kHeaderBytes),
      units_(std::min<std::size_t>(bytes / kGranule - (bytes >= kGranule), kMostUnits)) {
  assert(reinterpret_cast<std::uintptr_t>(memory) % kGranule == 0);
  heads_.fill(kNone);
  if (units_ == 0) return;
  const auto all = static_cast<Unit>(units_);
  set_header(0, all << kFlags | kFree);
  set_size_before(all, all);
  set_header(all, kAfterFree);  // no block, and never free: the last one needs no other limit
  link(0, all);
}

void Tlsf::link(Unit block, Unit size) {
  const unsigned bin = Bins::of(size);
  const Unit head = heads_[bin];
  set_next(block, head);
  set_previous(block, kNone);
  heads_[bin] = block;
  if (head == kNone)
    nonempty_.add(bin);
  else
    set_previous(head, block);
}

void Tlsf::unlink(Unit block, Unit size) {
  const Unit after = next(block), before = previous(block);
  if (after != kNone) set_previous(after, before);
  if (before != kNone) {
    set_next(before, after);
    return;
  }
  const unsigned bin = Bins::of(size);
  heads_[bin] = after;
  if (after == kNone) nonempty_.remove(bin);
}

Tlsf::Unit Tlsf::in_own_bin(Unit size) const {
  Unit block = heads_[Bins::of(size)];
  for (unsigned tries = 0; tries < kMostTries && block != kNone; ++tries, block = next(block))
    if (size_of(header(block)) >= size) return block;
  return kNone;
}

void* Tlsf::allocate(std::size_t bytes) {
  if (bytes > largest_request() || units_ == 0) [[unlikely]]
    return nullptr;
  const Unit wanted = units_for(bytes);
  const unsigned bin = nonempty_.first_from(Bins::holding(wanted));
  const Unit block = bin != BinSet<kBins>::kNone ? heads_[bin] : in_own_bin(wanted);
  if (block == kNone) [[unlikely]]
    return nullptr;
  const Unit size = size_of(header(block));
  unlink(block, size);
  if (const Unit left = size - wanted; left > wanted / kMostUnused) {
    const Unit rest = block + wanted;
    set_header(block, wanted << kFlags);
    set_header(rest, left << kFlags | kFree);
    set_size_before(rest + left, left);
    link(rest, left);
  } else {
    set_header(block, size << kFlags);
    set_header(block + size, header(block + size) & ~kAfterFree);
  }
  return base_ + block * kGranule + kHeaderBytes;
}

void Tlsf::free(void* freed) {
  if (freed == nullptr) return;
  Unit block = unit_of(freed);
  const Word own = header(block);
  assert((own & kFree) == 0 && "the block is free");
  Unit size = size_of(own);
  const Unit behind = block + size;
  if (const Word neighbour = header(behind); neighbour & kFree) {
    unlink(behind, size_of(neighbour));
    size += size_of(neighbour);
  } else {
    set_header(behind, neighbour | kAfterFree);
  }
  if (own & kAfterFree) {
    const Unit before = size_before(block);
    block -= before;
    unlink(block, before);
    size += before;
  }
  set_header(block, size << kFlags | kFree);
  set_size_before(block + size, size);
  link(block, size);
}

}  // namespace lab::designs
