#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "variants/object_pool/family/registration.h"

namespace {

/// A position in the vector, plus one. 0: none.
struct Position {
  std::size_t value = 0;
  bool operator==(const Position&) const = default;
};

template <typename T>
class VectorPool {
 public:
  using Object = T;
  using Ref = Position;
  static constexpr bool kUnstableRefs = true;

  explicit VectorPool(std::size_t capacity) : capacity_(capacity) { objects_.reserve(capacity); }

  template <typename... Arguments>
  Position create(Arguments&&... arguments) {
    if (objects_.size() == capacity_) return {};
    objects_.emplace_back(std::forward<Arguments>(arguments)...);
    return {objects_.size()};
  }
  void destroy(Position position) {
    if (position.value != objects_.size()) objects_[position.value - 1] = std::move(objects_.back());
    objects_.pop_back();
  }
  T* get(Position position) { return position.value == 0 ? nullptr : &objects_[position.value - 1]; }
  Position ref_at(std::size_t index) const { return {index + 1}; }

  template <typename F>
  void each(F&& f) {
    for (T& object : objects_) f(object);
  }
  template <typename F>
  void update(F&& f) {
    for (std::size_t index = 0; index < objects_.size();) {
      if (f(objects_[index]))
        destroy({index + 1});
      else
        ++index;
    }
  }

  std::size_t size() const { return objects_.size(); }
  std::size_t capacity() const { return capacity_; }
  std::size_t memory_bytes() const { return objects_.capacity() * sizeof(T) + sizeof(*this); }

 private:
  std::size_t capacity_;
  std::vector<T> objects_;
};

}  // namespace

const lab::bench::Variant& lab::bench::this_variant() {
  return object_pool::make_variant<VectorPool>(
      LAB_VARIANT,
      {.idea = "A std::vector without holes: the last object moves into the place of a dead one.",
       .cost = "O(1), and a move for each destruction. A walk reads live objects only.",
       .source = "std::vector with swap and pop, what many programs do without a pool",
       .weakness = "Nobody can keep a reference to an object."},
      {.in_use = "no holes"});
}
