/// DeferredFit in its own buffer, with its two ways to free.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "variants/allocator/family/fit_heap.h"
#include "variants/designs/offsets/deferred_fit.h"

namespace lab::allocator {

class DeferredFitHeap : public FitHeap<designs::DeferredFit> {
 public:
  using FitHeap::FitHeap;

  double external_fragmentation() const { return FitHeap::external_fragmentation(fit_.fit()); }
  std::map<std::string, double> counters() const { return FitHeap::counters(fit_.fit()); }
};

class DeferredFit : public DeferredFitHeap {
 public:
  using DeferredFitHeap::DeferredFitHeap;
  void free(void* block) {
    if (block != nullptr) fit_.free(leaf_at(block));
  }
};

class DeferredFitSized : public DeferredFitHeap {
 public:
  using DeferredFitHeap::DeferredFitHeap;
  void free(void* block, std::size_t bytes) {
    if (block != nullptr) fit_.free(leaf_at(block), leaves_of(bytes));
  }
};

}  // namespace lab::allocator
