/// A variant behind virtual calls. Checks and the fuzzer are compiled once for the family, over this.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "variants/object_pool/family/object_pool.h"

namespace lab::object_pool {

/// The object of the checks: its whole contents follow from its id, so that an overlap is found.
struct Probe {
  static constexpr std::size_t kMarkAt = 8;
  Probe() noexcept {}
  explicit Probe(std::uint64_t number) noexcept : id(number) {
    for (std::uint64_t& copy : copies) copy = number;
  }
  bool intact() const {
    for (const std::uint64_t copy : copies)
      if (copy != id) return false;
    return true;
  }
  std::uint64_t id;
  std::uint32_t mark;
  std::uint64_t copies[6];
};

/// What the checks need to know of a variant.
struct Abilities {
  bool finds_stale = false, unstable_refs = false, searches = false, counts_overwritten = false;
};

/// A pool of Probes. Objects are named by their ids, which the caller keeps unique.
class AnyPool {
 public:
  virtual ~AnyPool() = default;
  virtual Abilities can() const = 0;
  virtual bool create(std::uint64_t id) = 0;        ///< false: full
  virtual void destroy(std::uint64_t id) = 0;       ///< of an object that create() made; also twice if finds_stale
  virtual const Probe* find(std::uint64_t id) = 0;  ///< through its reference; null: the pool says it is stale
  virtual void scribble(std::uint64_t id) = 0;      ///< writes to the object, live or not; only counts_overwritten
  virtual std::size_t overwritten() const = 0;
  virtual std::vector<const Probe*> walk() = 0;
  virtual void update(const std::function<bool(const Probe&)>& dies) = 0;
  virtual std::size_t size() const = 0;
  virtual std::size_t capacity() const = 0;
  virtual std::size_t memory_bytes() const = 0;
};

/// A pool that keeps the reference to each object that it ever had, whatever its type.
class ReferringPool : public AnyPool {
 public:
  ~ReferringPool() override;

 protected:
  ReferringPool();

  /// Takes `ref`, which `end` deletes.
  void keep(std::uint64_t id, void* ref, void (*end)(void*), Probe* object);
  void* ref_to(std::uint64_t id) const;    ///< of an id that was kept
  Probe* last_at(std::uint64_t id) const;  ///< where the object was created

 private:
  struct Kept {
    std::unique_ptr<void, void (*)(void*)> ref;
    Probe* object;
  };
  std::unordered_map<std::uint64_t, Kept> kept_;
};

using Subject = std::unique_ptr<AnyPool> (*)(std::size_t capacity);

template <ObjectPool Plain>
class PoolOf final : public ReferringPool {
 public:
  using P = Walked<Plain>;
  using Ref = typename P::Ref;

  explicit PoolOf(std::size_t capacity) : pool_(capacity) {}

  Abilities can() const override {
    return {FindsStale<Plain>, UnstableRefs<Plain>, Searches<Plain>, CountsOverwritten<Plain>};
  }
  bool create(std::uint64_t id) override {
    const Ref ref = pool_.create(id);
    if (ref == Ref{}) return false;
    keep(
        id, new Ref(ref), [](void* kept) { delete static_cast<Ref*>(kept); }, pool_.get(ref));
    return true;
  }
  void destroy(std::uint64_t id) override { pool_.destroy(ref_of(id)); }
  const Probe* find(std::uint64_t id) override { return pool_.get(ref_of(id)); }
  void scribble(std::uint64_t id) override { last_at(id)->copies[3] = ~id; }
  std::size_t overwritten() const override {
    if constexpr (CountsOverwritten<P>) return pool_.finder().overwritten();
    return 0;
  }
  std::vector<const Probe*> walk() override {
    std::vector<const Probe*> all;
    pool_.each([&](Probe& object) { all.push_back(&object); });
    return all;
  }
  void update(const std::function<bool(const Probe&)>& dies) override {
    pool_.update([&](Probe& object) { return dies(object); });
  }
  std::size_t size() const override { return pool_.size(); }
  std::size_t capacity() const override { return pool_.capacity(); }
  std::size_t memory_bytes() const override { return pool_.memory_bytes(); }

 private:
  Ref ref_of(std::uint64_t id) {
    if constexpr (UnstableRefs<P>) {
      for (std::size_t position = 0; position < pool_.size(); ++position)
        if (pool_.get(pool_.ref_at(position))->id == id) return pool_.ref_at(position);
      return {};
    } else {
      return *static_cast<Ref*>(ref_to(id));
    }
  }

  P pool_;
};

template <ObjectPool P>
constexpr Subject subject_of() {
  return [](std::size_t capacity) -> std::unique_ptr<AnyPool> { return std::make_unique<PoolOf<P>>(capacity); };
}

}  // namespace lab::object_pool
