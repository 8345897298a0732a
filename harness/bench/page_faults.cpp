#include "harness/bench/page_faults.h"

#include <sys/resource.h>

namespace lab::bench {

namespace {

std::uint64_t now() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_minflt) + static_cast<std::uint64_t>(usage.ru_majflt);
}

}  // namespace

void PageFaults::start() {
  before_ = now();
}

void PageFaults::stop() {
  sum_ += now() - before_;
}

}  // namespace lab::bench
