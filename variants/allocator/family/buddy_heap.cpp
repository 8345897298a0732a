#include "variants/allocator/family/buddy_heap.h"

namespace lab::allocator {

template class BuddyHeapOf<designs::BuddyOfBuild>;

}  // namespace lab::allocator
