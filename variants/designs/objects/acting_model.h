/// Objects that act: each creates and destroys others, itself or nothing while it is created, visited or destroyed, as
/// bytes say, and a model knows which of them live. Any bytes are valid. Tests and fuzzers of pools drive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lab::designs {

struct Actor;

/// What happens to an actor.
class ActorWorld {
 public:
  virtual void begins(std::uint64_t number) = 0;
  virtual void ends(const Actor& actor) = 0;

 protected:
  ~ActorWorld() = default;
};

/// An object that reports its begin and its end. Number 0: it was moved away.
struct Actor {
  static constexpr std::size_t kMarkAt = 8;
  Actor(ActorWorld& of, std::uint64_t value) noexcept : number(value), world(&of), copy(~value) {
    world->begins(number);
  }
  Actor(Actor&& other) noexcept : number(std::exchange(other.number, 0)), world(other.world), copy(other.copy) {}
  Actor& operator=(Actor&&) = delete;
  ~Actor() {
    if (number != 0) world->ends(*this);
  }
  std::uint64_t number;
  std::uint32_t mark;
  std::uint32_t unused = 7;
  ActorWorld* world;
  std::uint64_t copy;
};

/// Byte 0: the capacity, 1 to 64. Then what the caller does, and what the actors do in between, in the order in which
/// they are asked. Without bytes nobody does anything.
template <typename Pool>
class ActingModel final : public ActorWorld {
 public:
  /// "" or what is wrong, in one sentence.
  static std::string run(std::span<const std::uint8_t> bytes) {
    ActingModel model(bytes);
    model.run();
    return model.wrong_;
  }

  void begins(std::uint64_t number) override {
    objects_.push_back({State::kBegins, {}});
    ++occupied_;
    if (number != objects_.size()) note("an object was created twice");
    ++beginning_;
    act(number, Part::kBegins);
    --beginning_;
  }
  void ends(const Actor& actor) override {
    const std::uint64_t number = actor.number;
    if (number > objects_.size() || actor.copy != ~number) return note("an object changed");
    if (of(number).state != State::kLives) return note("an object was destroyed that does not live");
    of(number).state = State::kEnds;
    if constexpr (kMovesObjects) --occupied_;
    if (pool_->size() != occupied_) note("size() in a destructor is wrong");
    expect_stale(number);
    act(number, Part::kEnds);
    of(number).state = State::kDead;
    if constexpr (!kMovesObjects) --occupied_;
  }

 private:
  enum class State { kBegins, kLives, kEnds, kDead };
  enum class Part { kCaller, kBegins, kVisited, kEnds };
  struct Known {
    State state;
    typename Pool::Ref ref;
    std::size_t seen_in = 0;  // the last walk that visited it
  };
  static constexpr std::size_t kDeepest = 6, kMostObjects = 3000;
  static constexpr bool kFindsStale = requires { requires Pool::kFindsStale; };
  static constexpr bool kMovesObjects = requires { requires Pool::kMovesObjects; };
  static constexpr bool kGrows = requires(const Pool& pool) { pool.grown(); };

  explicit ActingModel(std::span<const std::uint8_t> bytes) : bytes_(bytes), capacity_(1u + next() % 64u) {
    pool_.emplace(capacity_);
  }

  void run() {
    while (bytes_.size() > kKept && wrong_.empty()) {
      act(0, Part::kCaller);
      expect_sound();
    }
    // What is left of the bytes is for the destructors.
    pool_.reset();
    for (const Known& known : objects_)
      if (known.state != State::kDead) note("an object outlived its pool");
  }

  // One step of an object, or of the caller (number 0). Self-destruction: true.
  bool act(std::uint64_t self, Part part) {
    if (!wrong_.empty() || depth_ == kDeepest) return false;
    ++depth_;
    bool ended = false;
    for (unsigned steps = part == Part::kCaller ? 1u : next() % 4u; steps > 0 && wrong_.empty(); --steps) {
      const std::uint8_t what = next();
      if (beginning_ > 0 && what % 8 > 1) continue;  // a constructor may only create
      switch (what % 8) {
        case 0:
        case 1:
          create();
          break;
        case 2:
        case 3:
          if (const std::uint64_t other = live(next()); other != 0 && other != self) destroy(other);
          break;
        case 4:
          if (part == Part::kVisited && of(self).state == State::kLives) {
            destroy(self);
            ended = true;
          } else if (part == Part::kEnds && kFindsStale) {
            pool_->destroy(of(self).ref);
          }
          break;
        case 5:
          if (part == Part::kCaller || part == Part::kVisited) walk(what / 8 % 2 == 0);
          break;
        case 6:
          if constexpr (kFindsStale)
            if (const std::size_t count = objects_.size(); count > 0)
              if (const Known& known = objects_[next() % count];
                  known.state == State::kEnds || known.state == State::kDead)
                pool_->destroy(known.ref);
          break;
        default:
          // So that the pool is often full, and often nearly empty.
          if (part == Part::kCaller)
            for (unsigned i = 0; i < 16; ++i) what / 8 % 2 == 0 ? create() : destroy(live(next()));
      }
    }
    --depth_;
    return ended;
  }
  void create() {
    if (objects_.size() == kMostObjects || !wrong_.empty()) return;
    const std::uint64_t number = objects_.size() + 1;
    const bool full = occupied_ == capacity_ && !kGrows;
    const typename Pool::Ref ref = pool_->create(static_cast<ActorWorld&>(*this), number);
    if ((ref == typename Pool::Ref{}) != full) return note(full ? "a full pool created an object" : "create() failed");
    if (full) return;
    of(number).ref = ref;
    of(number).state = State::kLives;
    expect_intact(number);
  }
  void destroy(std::uint64_t number) {
    if (number == 0 || !wrong_.empty()) return;
    expect_intact(number);
    const typename Pool::Ref ref = of(number).ref;
    pool_->destroy(ref);
    if (of(number).state != State::kDead) note("destroy() did not run the destructor");
    expect_stale(number);
  }
  void walk(bool updates) {
    const std::size_t begin = ++walks_, known = objects_.size();
    std::vector<std::uint64_t> before;
    for (std::uint64_t number = 1; number <= known; ++number)
      if (of(number).state == State::kLives) before.push_back(number);
    std::vector<std::uint64_t> seen;
    const auto visit = [&](Actor& actor) {
      const std::uint64_t number = actor.number;
      if (number == 0 || number > objects_.size() || of(number).state != State::kLives) {
        note("a walk visited an object that does not live");
        return false;
      }
      seen.push_back(number);
      const bool ended = act(number, Part::kVisited);
      if (!ended && (of(number).state != State::kLives)) return false;  // another walk or object destroyed it
      if (!ended && (actor.number != number || actor.copy != ~number)) note("an object moved while it was visited");
      return !ended && next() % 4 == 1;
    };
    if (updates)
      pool_->update(visit);
    else
      pool_->each([&](Actor& actor) { visit(actor); });
    for (const std::uint64_t number : seen) {
      if (of(number).seen_in == begin) note("a walk visited an object twice");
      of(number).seen_in = begin;
    }
    for (const std::uint64_t number : before)
      if (of(number).state == State::kLives && of(number).seen_in != begin) note("a walk left an object out");
  }

  void expect_sound() {
    std::size_t lives = 0;
    for (std::uint64_t number = 1; number <= objects_.size() && wrong_.empty(); ++number) {
      if (of(number).state == State::kLives) {
        ++lives;
        expect_intact(number);
      } else {
        expect_stale(number);
      }
    }
    if (lives != occupied_ || pool_->size() != lives) note("size() is wrong");
    std::size_t walked = 0;
    pool_->each([&](Actor& actor) { walked += actor.copy == ~actor.number; });
    if (walked != lives) note("a walk saw another number of objects");
  }
  void expect_intact(std::uint64_t number) {
    const Actor* const actor = pool_->get(of(number).ref);
    if (actor == nullptr)
      note("the reference to a live object gives null");
    else if (actor->number != number || actor->copy != ~number)
      note("the reference to an object gives another one");
  }
  void expect_stale(std::uint64_t number) {
    if constexpr (kFindsStale)
      if (of(number).state != State::kBegins && pool_->get(of(number).ref) != nullptr)
        note("the reference to a dead object is not stale");
  }

  Known& of(std::uint64_t number) { return objects_[number - 1]; }
  // The which-th live object, counted round; 0: there is none.
  std::uint64_t live(std::size_t which) const {
    for (std::size_t i = 0; i < objects_.size(); ++i)
      if (const std::size_t at = (which + i) % objects_.size(); objects_[at].state == State::kLives) return at + 1;
    return 0;
  }
  std::uint8_t next() {
    if (bytes_.empty()) return 0;
    const std::uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }
  void note(const char* what) {
    if (wrong_.empty()) wrong_ = what;
  }

  static constexpr std::size_t kKept = 8;
  std::span<const std::uint8_t> bytes_;
  std::size_t capacity_;
  std::vector<Known> objects_;
  std::size_t occupied_ = 0, walks_ = 0, depth_ = 0, beginning_ = 0;
  std::string wrong_;
  std::optional<Pool> pool_;
};

}  // namespace lab::designs
