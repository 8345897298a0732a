#include "variants/designs/offsets/range_nodes.h"

namespace lab::designs {

void RangeNodes::grow() {
  unused_ = static_cast<Index>(nodes_.size());
  nodes_.emplace_back().links.next = kEnds;
}

}  // namespace lab::designs
