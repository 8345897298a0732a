#include "variants/designs/addresses/relocatable.h"

#include <cstring>
#include <new>

namespace lab::designs {

Relocatable::Relocatable(void* buffer, std::size_t bytes)
    : begin_(static_cast<std::byte*>(buffer)),
      fit_(static_cast<Leaf>(leaves_within(bytes)), begin_ + leaves_within(bytes) * kLeafBytes),
      free_leaves_(fit_.leaves()) {}

Relocatable::Handle Relocatable::allocate(std::size_t bytes) {
  if (bytes > largest_request()) return kNone;
  const Leaf leaves = leaves_of(bytes);
  if (leaves > free_leaves_) return kNone;
  Leaf place = fit_.allocate(leaves);
  if (place == BitmapFit::kNone) [[unlikely]] {
    place = make_room(leaves, kMovedBytes + kMovedPerByte * bytes);
    if (place == BitmapFit::kNone) return kNone;
  }
  const Handle handle = name(place);
  if (handle == kNone) {
    fit_.free(place);
    return kNone;
  }
  new (block_at(place)) Header{handle};
  free_leaves_ -= leaves;
  ++live_;
  return handle;
}

/// A handle for a new block; kNone if the table cannot grow.
Relocatable::Handle Relocatable::name(Leaf place) {
  if (free_handle_ != kNone) {
    const Handle handle = free_handle_;
    free_handle_ = places_[handle - 1];
    places_[handle - 1] = place;
    return handle;
  }
  const std::size_t places = places_.capacity();
  try {
    places_.push_back(place);
  } catch (const std::bad_alloc&) {
    return kNone;
  }
  if (places_.capacity() != places) most_places_ = places + places_.capacity();
  return static_cast<Handle>(places_.size());
}

void Relocatable::free(Handle handle) {
  if (handle == kNone) return;
  const Leaf place = places_[handle - 1];
  places_[handle - 1] = free_handle_;
  free_handle_ = handle;
  free_leaves_ += fit_.end_of(place) - place;
  fit_.free(place);
  if (--live_ == 0) cursor_ = 0;
}

/// Slides blocks until a free run holds a request, and takes its front.
BitmapFit::Leaf Relocatable::make_room(Leaf leaves, std::size_t most_bytes) {
  for (std::size_t left = most_bytes; const std::size_t moved = slide(left, most_bytes); left -= moved) {
    if (cursor_ < fit_.leaves() && fit_.is_free_run(cursor_) && fit_.end_of(cursor_) - cursor_ >= leaves) {
      fit_.allocate_at(cursor_, leaves);
      return cursor_;
    }
  }
  return BitmapFit::kNone;
}

std::size_t Relocatable::compact(std::size_t bytes) {
  std::size_t moved = 0;
  while (const std::size_t step = slide(bytes - moved, bytes)) moved += step;
  return moved;
}

/// Moves the next block that has a free run in front of it, if it is not larger than `left`, what remains of `most`
/// bytes. Skips those that are larger than `most`: they would stop every request of this size. Returns its bytes; 0:
/// none moved. Then the cursor is at the block's end, where the free run is now.
std::size_t Relocatable::slide(std::size_t left, std::size_t most) {
  for (unsigned skipped = 0; skipped <= kMostSkipped; ++skipped) {
    Leaf run = fit_.first_free_run(cursor_);
    if (run == BitmapFit::kNone || fit_.end_of(run) == fit_.leaves()) {
      // What is free behind the cursor is at the end of all. From the begin on, there may be more.
      run = fit_.first_free_run(0);
      if (run == BitmapFit::kNone || fit_.end_of(run) == fit_.leaves()) return 0;
    }
    const Leaf from = fit_.end_of(run), end = fit_.end_of(from), leaves = end - from;
    const std::size_t bytes = std::size_t{leaves} * kLeafBytes;
    if (bytes > most) {
      cursor_ = end;
      continue;
    }
    if (bytes > left) {
      cursor_ = run;
      return 0;
    }
    std::memmove(block_at(run), block_at(from), bytes);
    fit_.free(from);  // merges with the run, and with the next one
    fit_.allocate_at(run, leaves);
    places_[header_at(run).handle - 1] = run;
    cursor_ = run + leaves;
    ++moved_blocks_;
    moved_bytes_ += bytes;
    return bytes;
  }
  return 0;
}

}  // namespace lab::designs
