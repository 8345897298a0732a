#include "variants/allocator/family/team.h"

#include "variants/common/workers/pinned_workers.h"

namespace lab::allocator {

Team::Team(unsigned threads)
    : pool_(threads, pinned_workers(threads)), together_(static_cast<std::ptrdiff_t>(threads)) {}
Team::~Team() = default;

void Team::run(const std::function<void(unsigned thread)>& role) {
  pool_.run(size(), [&](std::size_t) {
    meet();  // a thread that waits here takes no second task
    role(designs::thread_slot);
  });
}

}  // namespace lab::allocator
