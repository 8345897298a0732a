/// An allocator behind virtual calls. What no repetition times is compiled once for the family, over this, and not
/// again for each variant: the checks, the search for the minimum heap, the exhibits, and the tasks without their timed
/// loops (tasks.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "variants/allocator/family/capabilities.h"

namespace lab::allocator {

/// The members that a variant declares beyond those of Allocator.
struct Capabilities {
  bool frees_blocks, resets, fixed_capacity, reports_fragmentation, thread_safe = false, relocates = false,
                                                                    tells_occupied = true;
  friend bool operator==(const Capabilities&, const Capabilities&) = default;
};

class AnyAllocator {
 public:
  explicit AnyAllocator(const Capabilities& can) : can_(can) {}
  virtual ~AnyAllocator() = default;
  AnyAllocator(const AnyAllocator&) = delete;
  AnyAllocator& operator=(const AnyAllocator&) = delete;

  const Capabilities& can() const { return can_; }
  bool resets() const { return can_.resets; }

  // As in allocator.h. What the allocator cannot do does nothing.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual std::size_t alignment(std::size_t bytes) = 0;
  virtual std::size_t occupied(void* block, std::size_t bytes) = 0;
  virtual void* address(void* block) const = 0;  ///< the block itself unless the allocator moves blocks
  virtual void free(void* block, std::size_t bytes) = 0;
  virtual void reset() = 0;
  // The same; they add the free blocks that were passed, if the allocator counts them.
  virtual void* allocate(std::size_t bytes, std::uint64_t& passed);
  virtual void free(void* block, std::size_t bytes, std::uint64_t& passed);
  virtual std::size_t largest_request() const = 0;
  virtual std::size_t capacity(std::size_t bytes) const = 0;
  virtual std::size_t leaf_bytes() = 0;
  virtual double external_fragmentation() const = 0;
  virtual OutsideBytes outside() const = 0;
  virtual std::map<std::string, double> counters() const = 0;

 private:
  Capabilities can_;
};

/// What is checked: how to make an instance, and what it can do.
struct Subject {
  Capabilities can;
  std::unique_ptr<AnyAllocator> (*make)(const Demand&);
  std::string (*identity_failure)() = nullptr;  ///< of a third-party allocator; else null
};

template <Allocator A>
Capabilities capabilities_of() {
  Capabilities can{FreesBlocks<A>, Resets<A>, FixedCapacity<A>, ReportsFragmentation<A>, ThreadSafe<A>, Relocates<A>};
  if constexpr (MayNotTellOccupied<A>) can.tells_occupied = A::can_tell_occupied();
  return can;
}

/// The virtual calls, and the allocator itself for timed loops. It is made and ended by calls, because every task of a
/// variant has one.
template <Allocator A>
class Erased final : public AnyAllocator {
 public:
  [[gnu::noinline]] explicit Erased(const Demand& demand) : AnyAllocator(capabilities_of<A>()), allocator_(demand) {}
  [[gnu::noinline]] ~Erased() override {}

  A& allocator() { return allocator_; }

  void* allocate(std::size_t bytes) override {
    if constexpr (requires { A::smallest_request(); }) bytes = std::max(bytes, A::smallest_request());
    return allocator_.allocate(bytes);
  }
  std::size_t alignment(std::size_t bytes) override { return allocator_.alignment(bytes); }
  std::size_t occupied(void* block, std::size_t bytes) override { return allocator_.occupied(block, bytes); }
  void* address(void* block) const override { return address_of(allocator_, block); }
  void free(void* block, std::size_t bytes) override {
    if constexpr (FreesBlocks<A>) free_block(allocator_, block, bytes);
  }
  void* allocate(std::size_t bytes, std::uint64_t& passed) override {
    if constexpr (requires { allocator_.allocate(bytes, passed); })
      return allocator_.allocate(bytes, passed);
    else
      return AnyAllocator::allocate(bytes, passed);
  }
  void free(void* block, std::size_t bytes, std::uint64_t& passed) override {
    if constexpr (requires { allocator_.free(block, bytes, passed); })
      allocator_.free(block, bytes, passed);
    else
      AnyAllocator::free(block, bytes, passed);
  }
  void reset() override {
    if constexpr (Resets<A>) allocator_.reset();
  }
  std::size_t largest_request() const override {
    if constexpr (FixedCapacity<A>)
      return allocator_.largest_request();
    else
      return 0;
  }
  std::size_t capacity(std::size_t bytes) const override {
    if constexpr (FixedCapacity<A>)
      return allocator_.capacity(bytes);
    else
      return 0;
  }
  std::size_t leaf_bytes() override {
    if constexpr (HasLeaf<A>)
      return allocator_.leaf_bytes();
    else
      return std::max(alignof(std::max_align_t), allocator_.alignment(1));
  }
  double external_fragmentation() const override {
    if constexpr (ReportsFragmentation<A>)
      return allocator_.external_fragmentation();
    else
      return 0;
  }
  std::map<std::string, double> counters() const override { return own_counters(allocator_); }
  OutsideBytes outside() const override { return outside_bytes(allocator_); }

 private:
  A allocator_;
};

template <Allocator A>
Subject subject_of() {
  Subject subject{capabilities_of<A>(),
                  [](const Demand& demand) { return std::unique_ptr<AnyAllocator>(new Erased<A>(demand)); }};
  if constexpr (ThirdParty<A>) subject.identity_failure = &A::identity_failure;
  return subject;
}

}  // namespace lab::allocator
