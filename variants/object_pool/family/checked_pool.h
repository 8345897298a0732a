/// A pool beside a model that knows only which ids live. Conformance and the fuzzer drive it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "variants/object_pool/family/subject.h"

namespace lab::object_pool {

/// Every function returns what is wrong, or "".
class CheckedPool {
 public:
  CheckedPool(const Subject& subject, std::size_t capacity) : pool_(subject(capacity)), capacity_(capacity) {}

  const std::vector<std::uint64_t>& live() const { return live_; }
  AnyPool& pool() { return *pool_; }

  std::string create();
  std::string destroy(std::size_t index);
  /// Destroys those with id % divisor == 0.
  std::string update(std::uint64_t divisor);
  /// Looks at an object that was destroyed, and destroys it again: only if the variant finds that it is stale.
  std::string use_stale(std::size_t which);
  /// Walks all objects and looks at each of them through its reference.
  std::string everything();

 private:
  std::unique_ptr<AnyPool> pool_;
  std::size_t capacity_;
  std::vector<std::uint64_t> live_, ended_;
  std::uint64_t last_ = 0;
};

}  // namespace lab::object_pool
