/// The object_pool family: the interface of a variant.
///
/// A variant is a class template over the type of its objects that models ObjectPool. What else it can do it says by
/// members: kFindsStale, kMovesObjects, kUnstableRefs, kSearches, kSearchesWhenFull, kObjectsMayAct, and the functions
/// of Walkable.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace lab::object_pool {

template <typename P>
concept ObjectPool = std::constructible_from<P, std::size_t> && std::equality_comparable<typename P::Ref> &&
    std::default_initializable<typename P::Ref> && requires(P& pool, const P& constant, typename P::Ref ref) {
  typename P::Object;
  /// Ref{} if `capacity` objects live, and only then. Without arguments, the members are not set.
  { pool.create() } -> std::same_as<typename P::Ref>;
  pool.destroy(ref);
  { pool.get(ref) } -> std::same_as<typename P::Object*>;
  { constant.size() } -> std::convertible_to<std::size_t>;
  { constant.capacity() } -> std::convertible_to<std::size_t>;
  /// What it has taken for its slots and for its bookkeeping.
  { constant.memory_bytes() } -> std::convertible_to<std::size_t>;
};

/// Finds what lives without the user's help.
template <typename P>
concept Walkable = ObjectPool<P> && requires(P& pool) {
  pool.each([](typename P::Object&) {});
  /// Destroys the objects for which the function returns true.
  pool.update([](typename P::Object&) { return false; });
};

/// get() of a reference to a destroyed object is null.
template <typename P>
concept FindsStale = ObjectPool<P> && requires {
  requires P::kFindsStale;
};
/// An object's address changes while it lives.
template <typename P>
concept MovesObjects = ObjectPool<P> && requires {
  requires P::kMovesObjects;
};
/// A Ref means another object after the next destroy().
template <typename P>
concept UnstableRefs = ObjectPool<P> && requires {
  requires P::kUnstableRefs;
};
/// A creation or a destruction takes longer the more objects live.
template <typename P>
concept Searches = ObjectPool<P> && requires {
  requires P::kSearches;
};
/// It does so only where nearly all slots are in use.
template <typename P>
concept SearchesWhenFull = ObjectPool<P> && requires {
  requires P::kSearchesWhenFull;
};
/// Objects may create others while they are created, and create and destroy others while they are visited or destroyed
/// (designs/objects/slots.h). In other variants they must not.
template <typename P>
concept ObjectsMayAct = ObjectPool<P> && requires {
  requires P::kObjectsMayAct;
};
/// Has no slots: each object is a block of the process's malloc.
template <typename P>
concept IsHeap = ObjectPool<P> && requires {
  requires P::kIsHeap;
};
/// Counts writes to destroyed objects.
template <typename P>
concept CountsOverwritten = ObjectPool<P> && requires(const P& constant) {
  { constant.finder().overwritten() } -> std::same_as<std::size_t>;
  requires std::remove_cvref_t<decltype(constant.finder())>::kFillsDead;
};

/// Creates an object in a pool of which the first `created` slots are in use and no others: O(1) for all variants.
template <ObjectPool P>
typename P::Ref fill_next(P& pool, std::size_t created) {
  if constexpr (requires { pool.create_from(created); })
    return pool.create_from(created);
  else
    return pool.create();
}

/// A pool that cannot be walked, with a list of what lives: what a user of new and delete adds to walk over objects.
/// The object's mark (T::kMarkAt) holds its position in the list.
template <ObjectPool P>
class Listed {
 public:
  using Object = typename P::Object;
  using Ref = typename P::Ref;

  explicit Listed(std::size_t capacity) : pool_(capacity) { list_.reserve(capacity); }
  ~Listed() {
    for (const Ref& ref : list_) pool_.destroy(ref);
  }
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;

  template <typename... Arguments>
  Ref create(Arguments&&... arguments) {
    const Ref ref = pool_.create(std::forward<Arguments>(arguments)...);
    if (ref == Ref{}) return ref;
    set_position(pool_.get(ref), list_.size());
    list_.push_back(ref);
    return ref;
  }
  void destroy(Ref ref) {
    const std::size_t position = position_of(pool_.get(ref));
    pool_.destroy(ref);
    take_out(position);
  }
  Object* get(Ref ref) const { return pool_.get(ref); }
  template <typename F>
  void each(F&& f) {
    for (const Ref& ref : list_) f(*pool_.get(ref));
  }
  template <typename F>
  void update(F&& f) {
    for (std::size_t at = 0; at < list_.size();) {
      if (!f(*pool_.get(list_[at]))) {
        ++at;
        continue;
      }
      pool_.destroy(list_[at]);
      take_out(at);
    }
  }
  std::size_t size() const { return pool_.size(); }
  std::size_t capacity() const { return pool_.capacity(); }
  std::size_t memory_bytes() const { return pool_.memory_bytes() + list_.capacity() * sizeof(Ref); }

 private:
  static std::byte* mark_of(Object* object) { return reinterpret_cast<std::byte*>(object) + Object::kMarkAt; }
  static void set_position(Object* object, std::size_t position) {
    const auto mark = static_cast<std::uint32_t>(position);
    std::memcpy(mark_of(object), &mark, sizeof mark);
  }
  static std::size_t position_of(Object* object) {
    std::uint32_t mark;
    std::memcpy(&mark, mark_of(object), sizeof mark);
    return mark;
  }
  void take_out(std::size_t position) {
    const Ref last = list_.back();
    list_.pop_back();
    if (position == list_.size()) return;
    list_[position] = last;
    set_position(pool_.get(last), position);
  }

  P pool_;
  std::vector<Ref> list_;
};

template <typename P>
struct WalkedOf {
  using Type = Listed<P>;
};
template <Walkable P>
struct WalkedOf<P> {
  using Type = P;
};
/// The pool itself, or with a list if it cannot be walked.
template <ObjectPool P>
using Walked = typename WalkedOf<P>::Type;

}  // namespace lab::object_pool
