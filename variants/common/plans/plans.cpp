#include "variants/common/plans/plans.h"

#include <algorithm>
#include <utility>

namespace lab {

std::uint32_t random_bytes(Random& random, const Sizes& sizes) {
  return static_cast<std::uint32_t>(random.between(sizes.low, sizes.high));
}

namespace {

std::uint32_t random_slot(Random& random, std::size_t slots) {
  return static_cast<std::uint32_t>(random.below(slots));
}

/// Sets the fill to the state in which the operations leave the slots, and the demand to the maximum that is live.
void close_cycle(ReplacementPlan& plan, std::vector<Replacement> fill) {
  for (const Replacement& operation : plan.operations) fill[operation.slot] = operation;
  std::size_t live = 0;
  for (const Replacement& slot : fill) live += slot.bytes;
  std::vector<Replacement> slots = plan.fill = std::move(fill);
  plan.demand = {.bytes = live, .blocks = slots.size()};
  for (const Replacement& operation : plan.operations) {
    live = live - slots[operation.slot].bytes + operation.bytes;
    slots[operation.slot] = operation;
    plan.demand.bytes = std::max(plan.demand.bytes, live);
  }
}

/// Gives `steps`, the indices of one buffer's operations, their sizes. The operations form a cycle: lifetimes fill it
/// from a random step on, and the last one is cut to fit. So the last operations leave the buffer in the state in which
/// the first ones expect it.
void fill_with_lifetimes(GrowingPlan& plan, const std::vector<std::uint32_t>& steps, unsigned doublings,
                         Random& random) {
  const std::size_t first = steps.empty() ? 0 : random.below(steps.size());
  for (std::size_t placed = 0; placed < steps.size();) {
    const std::size_t life = std::min<std::size_t>(steps.size() - placed, 1 + random.between(1, doublings));
    for (std::size_t age = 0; age < life; ++age, ++placed)
      plan.operations[steps[(first + placed) % steps.size()]].bytes = static_cast<std::uint32_t>(plan.smallest << age);
  }
  auto begin = steps.end();
  while (begin != steps.begin() && (begin == steps.end() || plan.operations[*begin].bytes != plan.smallest)) --begin;
  for (; begin != steps.end(); ++begin) plan.fill.push_back(plan.operations[*begin]);
}

Demand demand_of(const GrowingPlan& plan) {
  Demand demand{.blocks = plan.buffers + 1};
  std::vector<std::size_t> bytes(plan.buffers);
  std::size_t live = 0;
  const auto apply = [&](const GrowingPlan::Step& step) {
    // The old and the new block are both live during the copy.
    if (step.bytes != plan.smallest) demand.bytes = std::max(demand.bytes, live + step.bytes);
    live = live - std::exchange(bytes[step.buffer], step.bytes) + step.bytes;
    demand.bytes = std::max(demand.bytes, live);
  };
  for (const GrowingPlan::Step& step : plan.fill) apply(step);
  for (const GrowingPlan::Step& step : plan.operations) apply(step);
  return demand;
}

void replace(Trace& trace, const Replacement& operation) {
  trace.free(operation.slot);
  trace.allocate(operation.slot, operation.bytes);
}

Trace fill_of(const ReplacementPlan& plan, std::size_t further_slots) {
  Trace trace;
  trace.slots = plan.fill.size() + further_slots;
  for (const Replacement& fill : plan.fill) trace.allocate(fill.slot, fill.bytes);
  return trace;
}

}  // namespace

ReplacementPlan random_replacements(std::uint64_t seed, std::size_t live, std::size_t operations, const Sizes& sizes) {
  Random random(seed);
  ReplacementPlan plan;
  std::uint32_t id = 0;
  for (std::size_t i = 0; i < operations; ++i)
    plan.operations.push_back({random_slot(random, live), random_bytes(random, sizes), id++});
  std::vector<Replacement> untouched;
  for (std::uint32_t slot = 0; slot < live; ++slot) untouched.push_back({slot, random_bytes(random, sizes), id++});
  close_cycle(plan, std::move(untouched));
  return plan;
}

ReplacementPlan two_lifetimes(std::uint64_t seed, std::size_t long_lived, std::size_t short_lived,
                              std::size_t short_pairs, std::size_t short_per_long, const Sizes& sizes) {
  Random random(seed);
  ReplacementPlan plan;
  std::uint32_t id = 0;
  for (std::size_t i = 0; i < short_pairs; ++i) {
    plan.operations.push_back(
        {static_cast<std::uint32_t>(long_lived + i % short_lived), random_bytes(random, sizes), id++});
    if (i % short_per_long == short_per_long - 1)
      plan.operations.push_back({random_slot(random, long_lived), random_bytes(random, sizes), id++});
  }
  std::vector<Replacement> untouched;
  for (std::uint32_t slot = 0; slot < long_lived + short_lived; ++slot)
    untouched.push_back({slot, random_bytes(random, sizes), id++});
  close_cycle(plan, std::move(untouched));
  return plan;
}

ReplacementPlan parted_replacements(std::uint64_t seed, std::size_t parts, std::size_t live, std::size_t rounds,
                                    std::size_t operations, const Sizes& sizes) {
  Random random(seed);
  ReplacementPlan plan;
  std::uint32_t id = 0;
  for (std::size_t i = 0; i < rounds * parts * operations; ++i) {
    const auto first = static_cast<std::uint32_t>(i / operations % parts * live);
    plan.operations.push_back({first + random_slot(random, live), random_bytes(random, sizes), id++});
  }
  std::vector<Replacement> untouched;
  for (std::uint32_t slot = 0; slot < parts * live; ++slot)
    untouched.push_back({slot, random_bytes(random, sizes), id++});
  close_cycle(plan, std::move(untouched));
  return plan;
}

ReplacementPlan slots_of(const ReplacementPlan& plan, std::size_t first, std::size_t count) {
  ReplacementPlan part;
  std::vector<Replacement> fill;
  const auto add = [&](const Replacement& from, std::vector<Replacement>& into) {
    if (from.slot < first || from.slot >= first + count) return;
    into.push_back(from);
    into.back().slot -= static_cast<std::uint32_t>(first);
  };
  for (const Replacement& replacement : plan.fill) add(replacement, fill);
  for (const Replacement& operation : plan.operations) add(operation, part.operations);
  close_cycle(part, std::move(fill));
  return part;
}

Trace ReplacementPlan::trace() const {
  Trace trace = fill_of(*this, 0);
  for (const Replacement& operation : operations) replace(trace, operation);
  return trace;
}

ChurnPlan same_size_churn(std::uint64_t seed, std::size_t live, std::size_t pairs, std::size_t bytes,
                          std::size_t most_burst) {
  Random random(seed);
  ChurnPlan plan;
  plan.block_bytes = bytes;
  const auto size = static_cast<std::uint32_t>(bytes);
  // The bursts use the ids 0 to pairs - 1, their positions.
  auto id = static_cast<std::uint32_t>(pairs);
  for (std::size_t i = 0; i < pairs; ++i) plan.operations.push_back({static_cast<std::uint32_t>(i % live), size, id++});
  for (std::size_t i = 0; i < pairs; ++i) plan.operations.push_back({random_slot(random, live), size, id++});
  std::vector<Replacement> untouched;
  for (std::uint32_t slot = 0; slot < live; ++slot) untouched.push_back({slot, size, id++});
  close_cycle(plan, std::move(untouched));
  for (std::size_t left = pairs; left > 0; left -= plan.bursts.back())
    plan.bursts.push_back(static_cast<std::uint32_t>(random.between(1, std::min(left, most_burst))));
  plan.demand.bytes += most_burst * bytes;
  plan.demand.blocks += most_burst;
  return plan;
}

Trace ChurnPlan::trace() const {
  const auto slots = static_cast<std::uint32_t>(fill.size());
  const auto random = operations.begin() + static_cast<std::ptrdiff_t>(operations.size() / 2);
  Trace trace = fill_of(*this, bursts.empty() ? 0 : *std::max_element(bursts.begin(), bursts.end()));
  std::for_each(operations.begin(), random, [&](const Replacement& operation) { replace(trace, operation); });
  for (const std::uint32_t depth : bursts) {
    for (std::uint32_t i = 0; i < depth; ++i) trace.allocate(slots + i, static_cast<std::uint32_t>(block_bytes));
    for (std::uint32_t i = depth; i-- > 0;) trace.free(slots + i);
  }
  std::for_each(random, operations.end(), [&](const Replacement& operation) { replace(trace, operation); });
  return trace;
}

GrowingPlan growing_buffers(std::uint64_t seed, std::size_t buffers, std::size_t operations, std::size_t smallest,
                            unsigned doublings) {
  Random random(seed);
  GrowingPlan plan;
  plan.buffers = buffers;
  plan.smallest = smallest;
  std::vector<std::vector<std::uint32_t>> steps_of(buffers);  // indices of each buffer's operations
  for (std::uint32_t i = 0; i < operations; ++i) {
    const std::uint32_t buffer = random_slot(random, buffers);
    plan.operations.push_back({buffer, 0, i + 1});
    steps_of[buffer].push_back(i);
  }
  for (const std::vector<std::uint32_t>& steps : steps_of) fill_with_lifetimes(plan, steps, doublings, random);
  plan.demand = demand_of(plan);
  return plan;
}

Trace GrowingPlan::trace() const {
  Trace trace;
  trace.slots = 2 * buffers;                  // while a buffer grows, its old and its new block are live
  std::vector<std::uint32_t> slots(buffers);  // of each buffer's block
  std::vector<bool> live(buffers);
  for (std::uint32_t buffer = 0; buffer < buffers; ++buffer) slots[buffer] = 2 * buffer;
  const auto apply = [&](const Step& step) {
    const std::uint32_t old = slots[step.buffer], grown = old ^ 1;
    const bool anew = step.bytes == smallest;
    if (anew && live[step.buffer]) trace.free(old);
    trace.allocate(grown, step.bytes);
    if (!anew && live[step.buffer]) trace.free(old);
    slots[step.buffer] = grown;
    live[step.buffer] = true;
  };
  for (const Step& step : fill) apply(step);
  for (const Step& step : operations) apply(step);
  return trace;
}

FramePlan frames_of_blocks(std::uint64_t seed, std::size_t frames, std::size_t blocks, const Sizes& sizes) {
  Random random(seed);
  FramePlan plan;
  plan.blocks = blocks;
  for (std::size_t frame = 0; frame < frames; ++frame) {
    std::size_t live = 0;
    for (std::size_t i = 0; i < blocks; ++i) {
      plan.bytes.push_back(random_bytes(random, sizes));
      live += plan.bytes.back();
    }
    plan.demand.bytes = std::max(plan.demand.bytes, live);
  }
  plan.demand.blocks = blocks;
  return plan;
}

Trace FramePlan::trace() const {
  Trace trace;
  trace.slots = blocks;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    trace.allocate(static_cast<std::uint32_t>(i % blocks), bytes[i]);
    if (i % blocks == blocks - 1) trace.free_all();
  }
  return trace;
}

}  // namespace lab
