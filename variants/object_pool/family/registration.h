/// Makes a Variant from a class template whose classes model ObjectPool.
#pragma once

#include <vector>

#include "harness/bench/variant.h"
#include "variants/object_pool/family/subject.h"
#ifndef LAB_FUZZ
#include "variants/object_pool/family/task_table.h"
#endif

namespace lab::object_pool {

struct TaskTable;

/// What the report shows of a variant's capabilities.
struct Traits {
  bool finds_stale = false, moves = false, unstable_refs = false, walkable = false;
};

/// Adds to the variant's four lines what its family knows. `tasks`: null for a fuzz target, which has no workloads.
bench::Variant complete(const char* name, bench::VariantCard&& card, const Traits& traits, const Subject& subject,
                        const TaskTable* tasks);

template <template <typename> class Pool>
bench::Variant make_variant(const char* name, bench::VariantCard&& card) {
  using P = Pool<Probe>;
  static_assert(ObjectPool<P>);
  const Traits traits{FindsStale<P>, MovesObjects<P>, UnstableRefs<P>, Walkable<P>};
// Nobody runs the workloads of a fuzz target, and without them it compiles in a fraction of the time.
#ifdef LAB_FUZZ
  return complete(name, std::move(card), traits, subject_of<P>(), nullptr);
#else
  const TaskTable tasks = tasks_of<Pool>();
  return complete(name, std::move(card), traits, subject_of<P>(), &tasks);
#endif
}

}  // namespace lab::object_pool
