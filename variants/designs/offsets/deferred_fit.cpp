#include "variants/designs/offsets/deferred_fit.h"

namespace lab::designs {

DeferredFit::Leaf DeferredFit::allocate_below(Leaf leaves) {
  Leaf first = fit_.allocate(leaves);
  if (first == kNone) {
    merge();
    first = fit_.allocate(leaves);
  }
  live_ += first != kNone;
  return first;
}

void DeferredFit::free_below(Leaf first) {
  fit_.free(first);
  if (live_ == 0) merge();
}

void DeferredFit::merge() {
  for (Stack& stack : waiting_)
    while (stack.count != 0) fit_.free(stack.pop());
}

void DeferredFit::reset() {
  for (Stack& stack : waiting_) stack.count = 0;
  live_ = 0;
  fit_.reset();
}

std::size_t DeferredFit::waiting_leaves() const {
  std::size_t leaves = 0;
  for (std::size_t each = 0; each < waiting_.size(); ++each) leaves += each * waiting_[each].count;
  return leaves;
}

}  // namespace lab::designs
