#include "harness/bench/page_faults.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <thread>

#include "harness/bench/task.h"

namespace lab::bench {
namespace {

/// Memory that the kernel has not made yet, of one size of page: huge ones would be one fault for many.
class Untouched {
 public:
  explicit Untouched(std::size_t pages)
      : page_bytes_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))),
        bytes_(pages * page_bytes_),
        start_(
            static_cast<char*>(::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    ::madvise(start_, bytes_, MADV_NOHUGEPAGE);
  }
  ~Untouched() { ::munmap(start_, bytes_); }
  Untouched(const Untouched&) = delete;
  Untouched& operator=(const Untouched&) = delete;

  void touch() {
    for (std::size_t at = 0; at < bytes_; at += page_bytes_) static_cast<volatile char*>(start_)[at] = 1;
  }

 private:
  std::size_t page_bytes_;
  std::size_t bytes_;
  char* start_;
};

constexpr std::size_t kPages = 100;
/// Of the test itself: a stack that grows, code that runs for the first time.
constexpr std::size_t kMostOwn = 20;
/// A sanitizer has bytes of its own for each of the program's, which it touches too.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kWithShadow = 8;
#else
constexpr std::size_t kWithShadow = 1;
#endif

std::uint64_t faults_of(auto&& work) {
  PageFaults faults;
  PhaseClock clock(1, &faults);
  clock.time(0, work);
  EXPECT_EQ(clock.nanoseconds()[0], 0);
  return faults.sum();
}

TEST(PageFaults, are_one_for_each_page_that_is_touched_first) {
  Untouched memory(kPages);
  const std::uint64_t first = faults_of([&] { memory.touch(); });
  EXPECT_GE(first, kPages);
  EXPECT_LE(first, kWithShadow * kPages + kMostOwn);
  EXPECT_LE(faults_of([&] { memory.touch(); }), kMostOwn) << "they are there";
}

TEST(PageFaults, outside_the_timed_parts_are_not_counted) {
  Untouched memory(kPages);
  PageFaults faults;
  PhaseClock clock(2, &faults);
  clock.time(0, [] {});
  memory.touch();
  clock.time(1, [] {});
  EXPECT_LE(faults.sum(), kMostOwn);
}

TEST(PageFaults, of_all_threads_are_counted) {
  Untouched memory(kPages);
  EXPECT_GE(faults_of([&] { std::jthread([&] { memory.touch(); }).join(); }), kPages);
}

}  // namespace
}  // namespace lab::bench
