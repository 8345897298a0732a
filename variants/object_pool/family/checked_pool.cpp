#include "variants/object_pool/family/checked_pool.h"

#include <fmt/format.h>

#include <algorithm>

namespace lab::object_pool {

namespace {

std::string wrong(const Probe* object, std::uint64_t id) {
  if (object == nullptr) return fmt::format("object {} lives, and its reference gives null", id);
  if (object->id != id) return fmt::format("the reference to object {} gives object {}", id, object->id);
  if (!object->intact()) return fmt::format("the contents of object {} changed", id);
  if (reinterpret_cast<std::uintptr_t>(object) % alignof(Probe) != 0)
    return fmt::format("object {} is not aligned", id);
  return "";
}

}  // namespace

std::string CheckedPool::create() {
  const bool created = pool_->create(++last_);
  if (created && live_.size() >= capacity_)
    return fmt::format("it has {} objects at a capacity of {}", live_.size() + 1, capacity_);
  if (!created && live_.size() < capacity_)
    return fmt::format("it is full with {} objects at a capacity of {}", live_.size(), capacity_);
  if (!created) return "";
  live_.push_back(last_);
  return wrong(pool_->find(last_), last_);
}

std::string CheckedPool::destroy(std::size_t index) {
  const std::uint64_t id = live_[index];
  if (std::string problem = wrong(pool_->find(id), id); !problem.empty()) return problem;
  pool_->destroy(id);
  live_[index] = live_.back();
  live_.pop_back();
  ended_.push_back(id);
  return use_stale(ended_.size() - 1);
}

std::string CheckedPool::update(std::uint64_t divisor) {
  std::vector<std::uint64_t> seen;
  pool_->update([&](const Probe& object) {
    seen.push_back(object.id);
    return object.id % divisor == 0;
  });
  std::sort(seen.begin(), seen.end());
  std::vector<std::uint64_t> expected = live_;
  std::sort(expected.begin(), expected.end());
  if (seen != expected)
    return fmt::format("an update saw {} objects, or others than the {} that live", seen.size(), expected.size());
  std::erase_if(live_, [&](std::uint64_t id) {
    if (id % divisor == 0) ended_.push_back(id);
    return id % divisor == 0;
  });
  return everything();
}

std::string CheckedPool::use_stale(std::size_t which) {
  if (ended_.empty() || !pool_->can().finds_stale) return "";
  const std::uint64_t id = ended_[which % ended_.size()];
  if (pool_->find(id) != nullptr) return fmt::format("the reference to the destroyed object {} is not stale", id);
  pool_->destroy(id);
  if (pool_->size() != live_.size())
    return fmt::format("a destruction through a stale reference changed the number of objects to {}", pool_->size());
  return "";
}

std::string CheckedPool::everything() {
  std::vector<std::uint64_t> seen;
  for (const Probe* object : pool_->walk()) {
    if (!object->intact()) return fmt::format("the contents of object {} changed", object->id);
    seen.push_back(object->id);
  }
  std::sort(seen.begin(), seen.end());
  std::vector<std::uint64_t> expected = live_;
  std::sort(expected.begin(), expected.end());
  if (seen != expected)
    return fmt::format("a walk saw {} objects, or others than the {} that live", seen.size(), expected.size());
  if (pool_->size() != live_.size()) return fmt::format("size() is {} with {} objects", pool_->size(), live_.size());
  if (pool_->capacity() != capacity_) return fmt::format("capacity() is {}, expected {}", pool_->capacity(), capacity_);
  for (const std::uint64_t id : live_)
    if (std::string problem = wrong(pool_->find(id), id); !problem.empty()) return problem;
  for (std::size_t i = 0; i < ended_.size(); i += 1 + ended_.size() / 64)
    if (std::string problem = use_stale(i); !problem.empty()) return problem;
  return "";
}

}  // namespace lab::object_pool
