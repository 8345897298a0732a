/// What an object does while it is created, visited or destroyed, checked in builds with assertions (debug, asan,
/// tsan): what slots.h does not allow prints one sentence to standard error and aborts. In measured builds all of this
/// is empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace lab::designs {

enum class LifePart {
  kBegins,  ///< a constructor runs
  kEnds,    ///< a destructor runs
  kMoves,   ///< a pool moves an object to another place
  kWalk     ///< each() or update()
};

#ifdef NDEBUG

/// Of one pool.
class ObjectLives {
 public:
  class Scope {
   public:
    Scope(ObjectLives& /*lives*/, LifePart /*part*/, const void* /*slot*/ = nullptr) {}
    void visits(const void* /*slot*/) {}
    void ends_visited() {}
  };
  void creates() const {}
  void destroys(const void* /*slot*/, bool /*in_use*/) {}
  void ends_pool(std::size_t /*passes*/) const {}
};

#else

class ObjectLives {
 public:
  /// A part of an object's life that runs now, and those around it.
  class Scope {
   public:
    Scope(ObjectLives& lives, LifePart part, const void* slot = nullptr)
        : lives_(lives), outer_(lives.inner_), part_(part), slot_(slot) {
      if (part == LifePart::kWalk) lives.walks();
      lives.inner_ = this;
    }
    ~Scope() { lives_.inner_ = outer_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    /// A walk is at this object.
    void visits(const void* slot) {
      slot_ = slot;
      ended_ = false;
    }
    /// The function of update() returned true.
    void ends_visited() const {
      if (ended_) refuse("the function of update() destroyed its own object and then returned true");
    }

   private:
    friend class ObjectLives;
    ObjectLives& lives_;
    Scope* outer_;
    LifePart part_;
    const void* slot_;
    bool ended_ = false;  // something destroyed the object that a walk is at
  };

  void creates() const {
    for (const Scope* scope = inner_; scope != nullptr; scope = scope->outer_)
      if (scope->part_ == LifePart::kMoves) refuse("an object creates another one while the pool moves it");
  }
  /// `in_use`: the pool has an object there, or one that begins or ends.
  void destroys(const void* slot, bool in_use) {
    if (!in_use) refuse("a destruction of an object that does not live");
    for (Scope* scope = inner_; scope != nullptr; scope = scope->outer_) {
      if (scope->part_ == LifePart::kMoves) refuse("an object destroys another one while the pool moves it");
      if (scope->part_ == LifePart::kBegins) refuse("an object destroys one while it is created");
      if (scope->slot_ != slot) continue;
      if (scope->part_ == LifePart::kEnds) refuse("a second destruction of an object whose destructor runs");
      scope->ended_ = true;
    }
  }
  /// `passes`: how often the pool that ends has destroyed everything that it had.
  void ends_pool(std::size_t passes) const {
    if (passes > kMostPasses) refuse("a pool cannot end, because the destructors of its objects create others");
  }

 private:
  static constexpr std::size_t kMostPasses = 1000;

  void walks() const {
    for (const Scope* scope = inner_; scope != nullptr; scope = scope->outer_)
      if (scope->part_ != LifePart::kWalk) refuse("each() or update() inside a constructor or destructor");
  }
  [[noreturn]] static void refuse(const char* what) {
    std::fprintf(stderr, "object pool: %s\n", what);
    std::abort();
  }

  Scope* inner_ = nullptr;
};

#endif

}  // namespace lab::designs
