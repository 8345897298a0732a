#include "variants/designs/offsets/movable_memory.h"

namespace lab::designs {

template class MovableMemory<AlignmentBuckets>;

}  // namespace lab::designs
