#include "variants/object_pool/family/conformance.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "harness/base/random.h"
#include "variants/object_pool/family/checked_pool.h"

namespace lab::object_pool {

namespace {

constexpr std::size_t kCapacities[] = {1, 2, 63, 64, 65, 100, 1000};

std::string random_use(const Subject& subject, std::size_t capacity) {
  CheckedPool pool(subject, capacity);
  Random random(capacity);
  for (int step = 0; step < 2000; ++step) {
    std::string problem;
    if (random.below(100) < (step / 400 % 2 == 0 ? 70u : 35u))
      problem = pool.create();
    else if (!pool.live().empty())
      problem = pool.destroy(random.below(pool.live().size()));
    if (problem.empty() && step % 101 == 100) problem = pool.update(random.between(2, 9));
    if (problem.empty() && step % 50 == 0) problem = pool.everything();
    if (!problem.empty()) return fmt::format("capacity {}, after {} operations: {}", capacity, step + 1, problem);
  }
  return pool.everything();
}

std::string random_uses(const Subject& subject) {
  for (const std::size_t capacity : kCapacities)
    if (std::string problem = random_use(subject, capacity); !problem.empty()) return problem;
  return "";
}

// Full and empty again, many times: no slot may be lost.
std::string refills(const Subject& subject) {
  for (const std::size_t capacity : kCapacities) {
    CheckedPool pool(subject, capacity);
    std::size_t first = 0;
    for (int round = 0; round < 6; ++round) {
      for (std::size_t i = 0; i < capacity + 2; ++i)
        if (std::string problem = pool.create(); !problem.empty()) return fmt::format("round {}: {}", round, problem);
      if (round == 1) first = pool.pool().memory_bytes();
      if (round > 1 && pool.pool().memory_bytes() > first)
        return fmt::format("its memory grew from {} to {} bytes with the same objects", first,
                           pool.pool().memory_bytes());
      if (round % 2 == 1) {
        if (std::string problem = pool.update(1); !problem.empty()) return problem;
      }
      while (!pool.live().empty())
        if (std::string problem = pool.destroy(round % 3 == 0 ? 0 : pool.live().size() - 1); !problem.empty())
          return problem;
      if (std::string problem = pool.everything(); !problem.empty()) return problem;
    }
  }
  return "";
}

// Objects that still live when the pool ends are its own business.
std::string ends_with_objects(const Subject& subject) {
  CheckedPool pool(subject, 10);
  for (int i = 0; i < 7; ++i)
    if (std::string problem = pool.create(); !problem.empty()) return problem;
  return pool.everything();
}

std::string stale_after_reuse(const Subject& subject) {
  CheckedPool pool(subject, 1);
  for (int use = 0; use < 100; ++use) {
    if (std::string problem = pool.create(); !problem.empty()) return problem;
    if (std::string problem = pool.destroy(0); !problem.empty()) return problem;
    if (std::string problem = pool.create(); !problem.empty()) return problem;
    if (std::string problem = pool.everything(); !problem.empty()) return problem;
    if (std::string problem = pool.destroy(0); !problem.empty()) return problem;
  }
  return "";
}

std::string finds_overwritten(const Subject& subject) {
  const auto pool = subject(4);
  for (std::uint64_t id = 1; id <= 4; ++id) pool->create(id);
  pool->destroy(2);
  pool->destroy(3);
  pool->create(5);
  if (pool->overwritten() != 0) return "it found a write where there was none";
  pool->scribble(2);
  pool->create(6);
  if (pool->overwritten() != 1) return fmt::format("it found {} of 1 writes to destroyed objects", pool->overwritten());
  return "";
}

}  // namespace

std::vector<bench::ConformanceCheck> checks_of(const Subject& subject) {
  std::vector<bench::ConformanceCheck> checks{
      {"objects keep their contents, are walked once each, and are as many as the capacity at most",
       [subject] { return random_uses(subject); }},
      {"a pool can be filled and emptied again and again, without losing a slot or growing",
       [subject] { return refills(subject); }},
      {"a pool may end with live objects", [subject] { return ends_with_objects(subject); }}};
  const Abilities can = subject(1)->can();
  if (can.finds_stale)
    checks.push_back({"a reference to a destroyed object is stale, also when its slot is in use again",
                      [subject] { return stale_after_reuse(subject); }});
  if (can.counts_overwritten)
    checks.push_back({"a write to a destroyed object is found when its slot is used again",
                      [subject] { return finds_overwritten(subject); }});
  return checks;
}

}  // namespace lab::object_pool
