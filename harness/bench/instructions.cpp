#include "harness/bench/instructions.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

namespace lab::bench {

namespace {

/// The processor's own number of the event "a far branch retired": entries to the kernel and returns from it. None if
/// unknown for this processor.
std::optional<std::uint64_t> far_branches() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_is("amd")) return 0xc6;      // Retired Far Control Transfers (Processor Programming Reference)
  if (__builtin_cpu_is("intel")) return 0x40c4;  // BR_INST_RETIRED.FAR_BRANCH (Software Developer's Manual, vol. 3B)
#endif
  return std::nullopt;
}

File open_event(std::uint32_t type, std::uint64_t event, const File& leader) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = type;
  attributes.config = event;
  attributes.read_format = PERF_FORMAT_GROUP;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  // The counter must always run: one that is multiplexed with others is an estimate.
  attributes.pinned = attributes.disabled = leader.get() < 0;
  return File(static_cast<int>(
      ::syscall(SYS_perf_event_open, &attributes, 0, -1, leader.get(), std::uint64_t{PERF_FLAG_FD_CLOEXEC})));
}

}  // namespace

Instructions::Instructions() : instructions_(open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, File())) {
  const std::optional<std::uint64_t> far = far_branches();
  if (counts() && far) far_branches_ = open_event(PERF_TYPE_RAW, *far, instructions_);
  // Once, both together.
  if (counts()) ::ioctl(instructions_.get(), PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

// A pinned event that found no free counter cannot be read. Work without any instruction does not exist.
std::optional<std::uint64_t> Instructions::now() const {
  std::array<std::uint64_t, 3> found{};  // the number of events, then each one's count
  const ssize_t bytes = counts() ? ::read(instructions_.get(), found.data(), sizeof found) : 0;
  if (bytes < static_cast<ssize_t>(2 * sizeof found[0]) || found[1] == 0) return std::nullopt;
  return found[1] - found[2];
}

void Instructions::start() {
  before_ = now();
}

void Instructions::stop() {
  const std::optional<std::uint64_t> after = now();
  if (after && before_ && sum_)
    *sum_ += *after - *before_;
  else
    sum_.reset();
}

}  // namespace lab::bench
