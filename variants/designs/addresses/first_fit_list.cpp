#include "variants/designs/addresses/first_fit_list.h"

#include <cassert>
#include <new>

namespace lab::designs {

namespace {

std::byte* end_of(void* block, std::size_t bytes) {
  return static_cast<std::byte*>(block) + bytes;
}

}  // namespace

FirstFitList::FirstFitList(void* memory, std::size_t bytes) : bytes_(bytes / kGranule * kGranule), list_{nullptr, 0} {
  assert(reinterpret_cast<std::uintptr_t>(memory) % kGranule == 0);
  if (bytes_ > 0) list_.next = new (memory) Free{nullptr, bytes_};
}

template <typename Pass>
void* FirstFitList::take(std::size_t bytes, Pass pass) {
  if (bytes > bytes_) return nullptr;  // rounding up could overflow
  const std::size_t wanted = block_bytes(bytes);
  Free* before = &list_;
  Free* found = list_.next;
  for (; found != nullptr && found->bytes < wanted; found = found->next) {
    before = found;
    pass();
  }
  if (found == nullptr) return nullptr;
  before->next =
      found->bytes == wanted ? found->next : new (end_of(found, wanted)) Free{found->next, found->bytes - wanted};
  return found;
}

template <typename Pass>
void FirstFitList::put(void* block, std::size_t bytes, Pass pass) {
  if (block == nullptr) return;
  Free* before = &list_;
  while (before->next != nullptr && before->next < block) {
    before = before->next;
    pass();
  }
  Free* const after = before->next;
  std::size_t freed = block_bytes(bytes);
  assert(after == nullptr || end_of(block, freed) <= reinterpret_cast<std::byte*>(after));
  const bool merges = after != nullptr && end_of(block, freed) == reinterpret_cast<std::byte*>(after);
  if (merges) freed += after->bytes;
  Free* const behind = merges ? after->next : after;
  if (before != &list_ && end_of(before, before->bytes) == block) {
    before->bytes += freed;
    before->next = behind;
  } else {
    before->next = new (block) Free{behind, freed};
  }
}

void* FirstFitList::allocate(std::size_t bytes) {
  return take(bytes, [] {});
}

void* FirstFitList::allocate(std::size_t bytes, std::uint64_t& passed) {
  return take(bytes, [&] { ++passed; });
}

void FirstFitList::free(void* block, std::size_t bytes) {
  put(block, bytes, [] {});
}

void FirstFitList::free(void* block, std::size_t bytes, std::uint64_t& passed) {
  put(block, bytes, [&] { ++passed; });
}

}  // namespace lab::designs
