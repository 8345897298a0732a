#include "variants/allocator/malloc/growing_heap.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <string_view>
#include <utility>

#include "variants/designs/addresses/size_class_buddy.h"

namespace lab::allocator {

namespace {

// A block of this size stays where it is when it shrinks.
constexpr std::size_t kSmall = 64;

// No object may be larger: the difference of two of its addresses is a ptrdiff_t.
constexpr std::size_t kMostBytes = PTRDIFF_MAX;

constexpr std::size_t rounded(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) & ~(unit - 1);
}

std::byte* map(std::size_t bytes, int protection) {
  void* const pages = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages == MAP_FAILED ? nullptr : static_cast<std::byte*>(pages);
}

/// Maps `before` bytes and then `bytes`, which begin at a multiple of `alignment`. Returns where these begin.
std::byte* map_aligned(std::size_t before, std::size_t bytes, std::size_t alignment, int protection) {
  const std::size_t spare = alignment > GrowingHeap::kPageBytes ? alignment - GrowingHeap::kPageBytes : 0;
  std::byte* const mapped = map(before + bytes + spare, protection);
  if (mapped == nullptr) return nullptr;
  const std::size_t unused = -reinterpret_cast<std::uintptr_t>(mapped + before) & (alignment - 1);
  std::byte* const begin = mapped + unused + before;
  if (unused > 0) munmap(mapped, unused);
  if (unused < spare) munmap(begin + bytes, spare - unused);
  return begin;
}

/// The page before a block that is a mapping of its own.
struct LargeHeader {
  static constexpr std::uint64_t kMark = 0x6c61'625f'6c61'7267, kFreed = 0x6c61'625f'6b65'7074;
  std::uint64_t mark;
  std::size_t bytes;  // of the block
};

LargeHeader* header_of(const void* block) {
  return reinterpret_cast<LargeHeader*>(reinterpret_cast<std::uintptr_t>(block) - GrowingHeap::kPageBytes);
}

void* map_large(std::size_t alignment, std::size_t pages) {
  void* const block = map_aligned(GrowingHeap::kPageBytes, pages, alignment, PROT_READ | PROT_WRITE);
  if (block != nullptr) new (header_of(block)) LargeHeader{LargeHeader::kMark, pages};
  return block;
}

[[noreturn]] void refuse(const void* block) {
  constexpr std::string_view kMessage = "liblab_malloc: free or realloc of an address that is no block's\n";
  (void)!write(STDERR_FILENO, kMessage.data(), kMessage.size());
  (void)block;  // for the debugger
  std::abort();
}

/// Of a block that lies in no arena.
LargeHeader& checked_header_of(const void* block) {
  if (reinterpret_cast<std::uintptr_t>(block) % GrowingHeap::kPageBytes != 0) refuse(block);
  LargeHeader* const header = header_of(block);
  if (header->mark != LargeHeader::kMark) refuse(block);
  return *header;
}

void unmap_large(void* block, std::size_t bytes) {
  munmap(header_of(block), GrowingHeap::kPageBytes + bytes);
}

/// Undoes what the program may have done to its block's memory and what would change what the next owner reads or
/// writes. The system does nothing where nothing has changed. Locked pages stay so: that changes no contents, and a
/// program may have locked all of its memory, present and future.
bool make_ordinary(std::byte* block, std::size_t bytes) {
  const int before = errno;
  const bool done = mprotect(block, bytes, PROT_READ | PROT_WRITE) == 0 && madvise(block, bytes, MADV_DOFORK) == 0 &&
                    madvise(block, bytes, MADV_KEEPONFORK) == 0;
  errno = before;
  return done;
}

/// Coarse: it is compared with whole seconds.
std::int64_t seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec;
}

}  // namespace

/// The best fit; nothing if none fits.
GrowingHeap::Kept GrowingHeap::take_kept(std::size_t alignment, std::size_t bytes) {
  Kept* best = nullptr;
  for (Kept& one : kept_)
    if (one.block != nullptr && one.bytes >= bytes && one.bytes - bytes <= one.bytes / kMostUnusedShare &&
        (reinterpret_cast<std::uintptr_t>(one.block) & (alignment - 1)) == 0 &&
        (best == nullptr || one.bytes < best->bytes))
      best = &one;
  if (best == nullptr) return {};
  kept_bytes_ -= best->bytes;
  header_of(best->block)->mark = LargeHeader::kMark;
  return std::exchange(*best, {});
}

/// Whether there is room for it.
bool GrowingHeap::keep(std::byte* block, std::size_t bytes) {
  if (bytes > kMostKeptBytes - kept_bytes_) return false;
  const auto place = std::ranges::find(kept_, nullptr, &Kept::block);
  if (place == kept_.end()) return false;
  header_of(block)->mark = LargeHeader::kFreed;
  *place = {block, bytes, seconds_now()};
  kept_bytes_ += bytes;
  return true;
}

/// Those kept since before that second, for the caller to unmap without the lock.
GrowingHeap::KeptMappings GrowingHeap::take_old(std::int64_t before) {
  KeptMappings old{};
  std::size_t count = 0;
  for (Kept& one : kept_) {
    if (one.block == nullptr || one.since >= before) continue;
    kept_bytes_ -= one.bytes;
    old[count++] = std::exchange(one, {});
  }
  return old;
}

void* GrowingHeap::allocate_large(std::size_t alignment, std::size_t bytes, bool zeroed) {
  if (bytes > kMostBytes - 2 * kPageBytes || alignment > kMostBytes - bytes) return nullptr;
  const std::size_t pages = rounded(std::max<std::size_t>(bytes, 1), kPageBytes);
  KeptMappings old{};
  Kept found;
  {
    const std::lock_guard held(lock_);
    if (kept_bytes_ > 0) {
      found = take_kept(alignment, pages);
      old = take_old(seconds_now() - kKeptSeconds);
    }
  }
  for (const Kept& one : old)
    if (one.block != nullptr) unmap_large(one.block, one.bytes);
  if (found.block == nullptr) {
    void* const block = map_large(alignment, pages);
    return block != nullptr || !trim() ? block : map_large(alignment, pages);
  }
  if (zeroed) std::memset(found.block, 0, bytes);
  return found.block;
}

void GrowingHeap::free_large(void* block) {
  const std::size_t bytes = checked_header_of(block).bytes;
  auto* const begin = static_cast<std::byte*>(block);
  KeptMappings old{};
  bool kept = false;
  if (bytes <= kMostKeptBytes && make_ordinary(begin, bytes)) {
    const std::lock_guard held(lock_);
    old = take_old(seconds_now() - kKeptSeconds);
    kept = keep(begin, bytes);
  }
  for (const Kept& one : old)
    if (one.block != nullptr) unmap_large(one.block, one.bytes);
  if (!kept) unmap_large(block, bytes);
}

/// Nullptr if the system refuses.
void* GrowingHeap::resize_large(void* block, std::size_t bytes) {
  if (bytes > kMostBytes - 2 * kPageBytes) return nullptr;
  const std::size_t before = checked_header_of(block).bytes, pages = rounded(bytes, kPageBytes);
  if (pages == before) return block;
  void* const moved = mremap(header_of(block), kPageBytes + before, kPageBytes + pages, MREMAP_MAYMOVE);
  if (moved != MAP_FAILED) {
    static_cast<LargeHeader*>(moved)->bytes = pages;
    return static_cast<std::byte*>(moved) + kPageBytes;
  }
  // The system moves no pages that a program has divided by their kind.
  void* const copy = allocate_large(kPageBytes, bytes);
  if (copy == nullptr) return bytes <= before ? block : nullptr;
  std::memcpy(copy, block, std::min(before, bytes));
  free_large(block);
  return copy;
}

/// Lies at the beginning of its memory.
struct GrowingHeap::Arena {
  // An arena that refused a request is asked again for one of that size when as much has been freed. A refusal empties
  // its magazines, so it should be rare.
  static constexpr std::size_t kFreedBeforeRetry = kArenaBytes / 16;
  static constexpr std::size_t kNothing = SIZE_MAX;

  Arena() : design(plan()) {}

  designs::SizeClassBuddy::Plan plan() {
    return designs::SizeClassBuddy::plan(reinterpret_cast<std::byte*>(this) + rounded(sizeof(Arena), 64),
                                         kArenaBytes - rounded(sizeof(Arena), 64));
  }

  Arena* next = nullptr;
  Arena* previous = nullptr;
  std::size_t live = 0;            // blocks
  std::size_t refused = kNothing;  // the smallest request that it refused
  std::size_t freed = 0;           // bytes since then
  designs::SizeClassBuddy design;
};

GrowingHeap::Arena* GrowingHeap::arena_of(const void* block) const {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  const std::size_t place = address / kArenaBytes;
  if (place >= kPlaces) return nullptr;
  const std::uint64_t word = present_[place / kPlacesPerWord].load(std::memory_order_relaxed);
  if (((word >> (place % kPlacesPerWord)) & 1) == 0) return nullptr;
  return reinterpret_cast<Arena*>(address & ~(kArenaBytes - 1));
}

void GrowingHeap::note(const Arena* arena, bool present) {
  const std::size_t place = reinterpret_cast<std::uintptr_t>(arena) / kArenaBytes;
  const std::uint64_t bit = std::uint64_t{1} << (place % kPlacesPerWord);
  std::atomic<std::uint64_t>& word = present_[place / kPlacesPerWord];
  if (present)
    word.fetch_or(bit, std::memory_order_relaxed);
  else
    word.fetch_and(~bit, std::memory_order_relaxed);
}

/// Nullptr if the system gives no memory.
GrowingHeap::Arena* GrowingHeap::add_arena() {
  std::byte* const memory = map_aligned(0, kArenaBytes, kArenaBytes, PROT_NONE);
  if (memory == nullptr) return nullptr;
  if (reinterpret_cast<std::uintptr_t>(memory) / kArenaBytes >= kPlaces ||
      mprotect(memory, kArenaBytes, PROT_READ | PROT_WRITE) != 0) {
    munmap(memory, kArenaBytes);
    return nullptr;
  }
  auto* const arena = new (memory) Arena;
  arena->next = first_;
  if (first_ != nullptr) first_->previous = arena;
  first_ = arena;
  note(arena, true);
  return arena;
}

void* GrowingHeap::serve(Arena& arena, std::size_t bytes) {
  if (bytes >= arena.refused) return nullptr;
  void* const block = arena.design.allocate(bytes);
  if (block == nullptr) [[unlikely]] {
    arena.refused = bytes;
    arena.freed = 0;
    return nullptr;
  }
  ++arena.live;
  return block;
}

void* GrowingHeap::allocate(std::size_t bytes) {
  if (bytes > kMostInArena) [[unlikely]]
    return allocate_large(kPageBytes, bytes);
  {
    const std::lock_guard held(lock_);
    if (current_ != nullptr) [[likely]]
      if (void* const block = serve(*current_, bytes)) return block;
    if (void* const block = allocate_elsewhere(bytes)) return block;
  }
  // The system has no room for an arena; it may have some for a block. With zeros, as allocate_zeroed takes a mapping
  // to be.
  return allocate_large(kPageBytes, bytes, true);
}

void* GrowingHeap::allocate_elsewhere(std::size_t bytes) {
  for (Arena* arena = first_; arena != nullptr; arena = arena->next)
    if (void* const block = serve(*arena, bytes)) {
      current_ = arena;
      return block;
    }
  Arena* const added = add_arena();
  if (added == nullptr) return nullptr;
  current_ = added;
  return serve(*added, bytes);
}

void* GrowingHeap::allocate_aligned(std::size_t alignment, std::size_t bytes) {
  if (alignment > kMostInArena || bytes > kMostInArena) return allocate_large(std::max(alignment, kPageBytes), bytes);
  // A block whose size is a multiple of the alignment is aligned to it: a size class is four to seven times a power of
  // two from a span that is aligned to a larger one, and the buddy allocator's blocks are aligned to their sizes. A
  // block that is a mapping of its own is aligned to a page.
  void* const block = allocate(rounded(std::max<std::size_t>(bytes, 1), alignment));
  if ((reinterpret_cast<std::uintptr_t>(block) & (alignment - 1)) == 0) return block;
  free(block);
  return allocate_large(alignment, bytes);
}

void* GrowingHeap::allocate_zeroed(std::size_t bytes) {
  if (bytes > kMostInArena) return allocate_large(kPageBytes, bytes, true);
  void* const block = allocate(bytes);
  if (block != nullptr && arena_of(block) != nullptr) std::memset(block, 0, bytes);
  return block;
}

std::size_t GrowingHeap::usable_bytes(const void* block) {
  Arena* const arena = arena_of(block);
  if (arena == nullptr) return checked_header_of(block).bytes;
  const std::lock_guard held(lock_);
  return arena->design.block_bytes_of(block);
}

void* GrowingHeap::reallocate(void* block, std::size_t bytes) {
  const std::size_t before = usable_bytes(block);
  if (arena_of(block) == nullptr) {
    if (bytes > kMostInArena) return resize_large(block, bytes);
  } else if (bytes <= before && (bytes > before / 2 || before <= kSmall)) {
    return block;
  }
  void* const moved = allocate(bytes);
  if (moved == nullptr) return bytes <= before ? block : nullptr;
  std::memcpy(moved, block, std::min(before, bytes));
  free(block);
  return moved;
}

void GrowingHeap::free(void* block) {
  Arena* const arena = arena_of(block);
  if (arena == nullptr) [[unlikely]]
    return free_large(block);
  if (reinterpret_cast<std::uintptr_t>(block) % kLeastAlignment != 0) [[unlikely]]
    refuse(block);
  {
    const std::lock_guard held(lock_);
    free_in(*arena, block);
    if (arena->live != 0) [[likely]]
      return;
    // No more than one arena is empty, so that a program does not map and unmap one again and again.
    if (empty_ == nullptr || empty_ == arena || empty_->live != 0) {
      empty_ = arena;
      return;
    }
    unlink(*arena);
  }
  unmap(arena);
}

void GrowingHeap::free_in(Arena& arena, void* block) {
  if (arena.refused != Arena::kNothing) {
    arena.freed += arena.design.block_bytes_of(block);
    if (arena.freed >= Arena::kFreedBeforeRetry || arena.live == 1) arena.refused = Arena::kNothing;
  }
  arena.design.free(block);
  --arena.live;
}

/// Nobody finds it any more.
void GrowingHeap::unlink(Arena& arena) {
  (arena.previous == nullptr ? first_ : arena.previous->next) = arena.next;
  if (arena.next != nullptr) arena.next->previous = arena.previous;
  if (current_ == &arena) current_ = first_;
  if (empty_ == &arena) empty_ = nullptr;
  note(&arena, false);
}

void GrowingHeap::unmap(Arena* arena) {
  arena->~Arena();
  munmap(arena, kArenaBytes);
}

bool GrowingHeap::trim() {
  Arena* empty = nullptr;
  KeptMappings kept{};
  {
    const std::lock_guard held(lock_);
    kept = take_old(std::numeric_limits<std::int64_t>::max());
    if (empty_ != nullptr && empty_->live == 0) {
      empty = empty_;
      unlink(*empty);
    }
  }
  bool any = empty != nullptr;
  for (const Kept& one : kept) {
    if (one.block == nullptr) continue;
    unmap_large(one.block, one.bytes);
    any = true;
  }
  if (empty != nullptr) unmap(empty);
  return any;
}

std::size_t GrowingHeap::kept_bytes() {
  const std::lock_guard held(lock_);
  return kept_bytes_;
}

std::size_t GrowingHeap::arenas() {
  const std::lock_guard held(lock_);
  std::size_t count = 0;
  for (const Arena* arena = first_; arena != nullptr; arena = arena->next) ++count;
  return count;
}

}  // namespace lab::allocator
