#include "variants/object_pool/family/subject.h"

#include <utility>

namespace lab::object_pool {

ReferringPool::ReferringPool() = default;
ReferringPool::~ReferringPool() = default;

void ReferringPool::keep(std::uint64_t id, void* ref, void (*end)(void*), Probe* object) {
  Kept kept{{ref, end}, object};
  kept_.insert_or_assign(id, std::move(kept));
}

void* ReferringPool::ref_to(std::uint64_t id) const {
  return kept_.at(id).ref.get();
}

Probe* ReferringPool::last_at(std::uint64_t id) const {
  return kept_.at(id).object;
}

}  // namespace lab::object_pool
