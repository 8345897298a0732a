#include "variants/designs/addresses/boundary_tags.h"

#include <cassert>
#include <new>

namespace lab::designs {

BoundaryTags::BoundaryTags(void* memory, std::size_t bytes)
    : begin_(static_cast<std::byte*>(memory)),
      end_(begin_ + (bytes < kMinBlock ? 0 : bytes / kGranule * kGranule)),
      list_{&list_, &list_},
      rover_(&list_) {
  assert(reinterpret_cast<std::uintptr_t>(memory) % kGranule == 0);
  if (empty()) return;
  write_tags(begin_, this->bytes(), true);
  insert(begin_);
}

void BoundaryTags::write_tags(std::byte* block, std::size_t bytes, bool free) {
  new (block) Tag{bytes, free};
  new (block + bytes - kTagBytes) Tag{bytes, free};
}

void BoundaryTags::insert(std::byte* block) {
  Link* const link = new (block + kTagBytes) Link{rover_, rover_->previous};
  rover_->previous->next = link;
  rover_->previous = link;
}

void BoundaryTags::remove(std::byte* block) {
  const Link& link = link_at(block);
  if (rover_ == &link) rover_ = link.next;
  link.previous->next = link.next;
  link.next->previous = link.previous;
}

template <typename Pass>
void* BoundaryTags::take(std::size_t bytes, Pass pass) {
  if (empty() || bytes > largest_request()) return nullptr;
  const std::size_t wanted = block_for(bytes);
  Link* at = rover_;
  do {
    std::byte* block = reinterpret_cast<std::byte*>(at) - kTagBytes;
    const std::size_t found = at == &list_ ? 0 : tag_at(block).bytes;
    if (found < wanted) {
      at = at->next;
      pass();
      continue;
    }
    rover_ = at;
    if (found - wanted < kMinBlock) {
      remove(block);
      write_tags(block, found, false);
    } else {  // the rest stays in the list, where it is
      write_tags(block, found - wanted, true);
      block += found - wanted;
      write_tags(block, wanted, false);
    }
    return block + kTagBytes;
  } while (at != rover_);
  return nullptr;
}

void* BoundaryTags::allocate(std::size_t bytes) {
  return take(bytes, [] {});
}

void* BoundaryTags::allocate(std::size_t bytes, std::uint64_t& passed) {
  return take(bytes, [&] { ++passed; });
}

void BoundaryTags::free(void* freed) {
  if (freed == nullptr) return;
  std::byte* block = static_cast<std::byte*>(freed) - kTagBytes;
  assert(!tag_at(block).free && "the block is free");
  std::size_t bytes = tag_at(block).bytes;
  if (std::byte* const behind = block + bytes; behind != end_ && tag_at(behind).free) {
    bytes += tag_at(behind).bytes;
    remove(behind);
  }
  if (block != begin_ && tag_at(block - kTagBytes).free) {  // the postamble of the block before
    const std::size_t before = tag_at(block - kTagBytes).bytes;
    block -= before;
    bytes += before;
    write_tags(block, bytes, true);  // it is in the list already
    return;
  }
  write_tags(block, bytes, true);
  insert(block);
}

}  // namespace lab::designs
