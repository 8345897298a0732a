#include "variants/object_pool/family/fuzz.h"

#include "variants/common/plans/fuzz_input.h"
#include "variants/object_pool/family/checked_pool.h"

namespace lab::object_pool {

namespace {

std::string act(CheckedPool& pool, std::uint8_t operation, FuzzInput& input) {
  std::string problem;
  if (operation < 128) return pool.create();
  if (operation < 208) {
    const std::size_t number = operation - 128u + 80u * input.next();
    return pool.live().empty() ? "" : pool.destroy(number % pool.live().size());
  }
  if (operation < 224) return pool.update(operation - 207u);
  if (operation < 240) return pool.use_stale(operation - 224u + 16u * input.next());
  if (operation < 248) {
    for (std::size_t i = 0; i < pool.live().size() && problem.empty(); ++i) problem = pool.destroy(i);
    return problem;
  }
  while (pool.live().size() < pool.pool().capacity() && problem.empty()) problem = pool.create();
  return problem.empty() ? pool.create() : problem;
}

}  // namespace

std::string fuzz(const Subject& subject, Acting acting, std::span<const std::uint8_t> bytes) {
  if (acting != nullptr && !bytes.empty() && bytes.front() >= 128) return acting(bytes.subspan(1));
  FuzzInput input(bytes);
  CheckedPool pool(subject, 1u + input.next() % 128u);
  while (!input.ended()) {
    const std::uint8_t operation = input.next();
    std::string problem = act(pool, operation, input);
    if (problem.empty() && (operation % 8 == 0 || input.ended())) problem = pool.everything();
    if (!problem.empty()) return problem;
  }
  return pool.everything();
}

}  // namespace lab::object_pool
