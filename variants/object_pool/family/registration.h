/// Makes a Variant from a class template whose classes model ObjectPool.
#pragma once

#include "harness/bench/task.h"
#include "variants/object_pool/family/fuzz.h"
#include "variants/object_pool/family/subject.h"
#ifndef LAB_FUZZ
#include "variants/object_pool/family/task_table.h"
#endif

namespace lab::object_pool {

struct TaskTable;

/// What a variant says of itself beside its card.
struct Traits {
  const char* in_use = nullptr;  ///< where it keeps which slots are in use
  const char* finds = nullptr;   ///< mistakes of its user
  /// Set by the family.
  bool finds_stale = false, moves = false, unstable_refs = false, walkable = false;
};

/// Adds to the variant's card what its family knows. `tasks`: null for a fuzz target, which has no workloads.
bench::Variant& complete(const char* name, const bench::Card& card, const Traits& traits, const Subject& subject,
                         Acting acting, const TaskTable* tasks);

template <template <typename> class Pool>
bench::Variant& make_variant(const char* name, const bench::Card& card, Traits traits = {}) {
  using P = Pool<Probe>;
  static_assert(ObjectPool<P>);
  traits.finds_stale = FindsStale<P>;
  traits.moves = MovesObjects<P>;
  traits.unstable_refs = UnstableRefs<P>;
  traits.walkable = Walkable<P>;
// Nobody runs the workloads of a fuzz target, and without them it compiles in a fraction of the time.
#ifdef LAB_FUZZ
  return complete(name, card, traits, subject_of<P>(), acting_of<Pool>(), nullptr);
#else
  static constexpr TaskTable kTasks = tasks_of<Pool>();
  return complete(name, card, traits, subject_of<P>(), acting_of<Pool>(), &kTasks);
#endif
}

}  // namespace lab::object_pool
