#include "variants/allocator/family/malloc_checks.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/base/own_loader.h"
#include "harness/base/random.h"
#include "harness/bench/variant.h"
#include "variants/allocator/family/allocator.h"
#include "variants/common/heaps/growth.h"
#include "variants/common/heaps/ledger.h"

namespace lab::allocator {

namespace {

using Ledger = lab::Ledger<void*>;

/// Seconds that a child process may take; what it does takes milliseconds. Less where many hang, in every session.
constexpr unsigned kChildSeconds = 8, kHangingSeconds = 3;

/// More than any machine has, with and without the sign bit. Volatile: the compiler would refuse the constants.
volatile std::size_t huge_bytes[] = {SIZE_MAX / 2 + 1, SIZE_MAX - 4096, SIZE_MAX};

// All calls go through observed(), because the compiler knows what malloc and its relatives promise, and would take a
// promise for kept.
unsigned char* bytes_of(void* block) {
  return static_cast<unsigned char*>(observed(block));
}

std::string returned_null(const std::string& call) {
  return fmt::format("{} returned null", call);
}

std::string returned_block(const std::string& call) {
  return fmt::format("{} returned a block, expected null", call);
}

/// Frees every block of the ledger. Returns the first difference in contents, or "".
std::string free_all(Ledger& ledger) {
  std::string failure;
  while (!ledger.empty()) {
    void* const lowest = ledger.lowest().first;
    std::string changed = ledger.remove(lowest);
    if (failure.empty()) failure = std::move(changed);
    std::free(lowest);
  }
  return failure;
}

/// Sizes of small, large and mapped blocks.
constexpr std::size_t kSizes[] = {1, 8, 24, 100, 1000, 4096, 5000, 70'000, 300'000, 2'000'000};

std::string callocs_zero() {
  for (int round = 0; round < 3; ++round)
    for (const std::size_t bytes : kSizes) {
      void* const dirty = observed(std::malloc(bytes));
      if (dirty == nullptr) return returned_null(fmt::format("malloc({})", bytes));
      std::memset(dirty, 0xff, bytes);
      std::free(observed(dirty));
      const unsigned char* const block = bytes_of(std::calloc(bytes, 1));
      if (block == nullptr) return returned_null(fmt::format("calloc({}, 1)", bytes));
      const unsigned char* const other =
          std::find_if(block, block + bytes, [](unsigned char byte) { return byte != 0; });
      const auto at = static_cast<std::size_t>(other - block);
      std::free(const_cast<unsigned char*>(block));
      if (at != bytes) return fmt::format("byte {} of a block of calloc({}, 1) is not 0", at, bytes);
    }
  // Both factors are possible sizes; the product wraps around to 0 or to a small number.
  for (const auto& [count, each] :
       {std::pair{std::size_t{1} << 32, std::size_t{1} << 32}, std::pair{(SIZE_MAX / 16) + 2, std::size_t{16}}}) {
    volatile std::size_t n = count;
    if (void* const block = observed(std::calloc(n, each)); block != nullptr)
      return returned_block(fmt::format("calloc({}, {})", count, each));
  }
  return "";
}

/// Byte i of the contents in `reallocs_keep`.
unsigned char content(std::size_t i) {
  return static_cast<unsigned char>(i * 131 + 7);
}

std::string reallocs_keep() {
  unsigned char* block = bytes_of(std::realloc(nullptr, 1));
  if (block == nullptr) return returned_null("realloc(NULL, 1)");
  block[0] = content(0);
  std::size_t before = 1;
  Random random(1);
  Ledger neighbours;
  std::string failure;
  for (int i = 0; i < 400 && failure.empty(); ++i) {
    const std::size_t bytes = random.between(1, std::size_t{1} << random.between(1, 19));
    unsigned char* const moved = bytes_of(std::realloc(block, bytes));
    if (moved == nullptr) {
      failure = returned_null(fmt::format("realloc of {} to {} bytes", before, bytes));
      break;
    }
    block = moved;
    for (std::size_t at = 0; at < std::min(before, bytes) && failure.empty(); ++at)
      if (block[at] != content(at))
        failure = fmt::format("byte {} changed in a realloc of {} to {} bytes", at, before, bytes);
    for (std::size_t at = before; at < bytes; ++at) block[at] = content(at);
    before = bytes;
    // A block beside it, so that it cannot always grow in place.
    if (void* const neighbour = observed(std::malloc(1 + bytes % 300)); neighbour != nullptr && i % 2 == 0) {
      if (failure.empty()) failure = neighbours.add(neighbour, 1 + bytes % 300);
    } else {
      std::free(neighbour);
    }
  }
  if (failure.empty())
    for (const std::size_t bytes : huge_bytes)
      if (void* const other = observed(std::realloc(block, bytes)); other != nullptr)
        return returned_block(fmt::format("realloc to {} bytes", bytes));
  for (std::size_t at = 0; at < before && failure.empty(); ++at)
    if (block[at] != content(at)) failure = fmt::format("byte {} changed in a realloc that returned null", at);
  const std::string changed = free_all(neighbours);
  std::free(block);
  return failure.empty() ? changed : failure;
}

/// A function that returns aligned blocks.
struct AlignedCall {
  const char* name;
  void* (*call)(std::size_t alignment, std::size_t bytes);
  std::size_t least;  ///< alignment
};

constexpr AlignedCall kAlignedCalls[] = {
    {"aligned_alloc", [](std::size_t alignment, std::size_t bytes) { return ::aligned_alloc(alignment, bytes); }, 16},
    {"posix_memalign",
     [](std::size_t alignment, std::size_t bytes) {
       void* block = nullptr;
       return ::posix_memalign(&block, alignment, bytes) == 0 ? block : nullptr;
     },
     sizeof(void*)},
    {"memalign", [](std::size_t alignment, std::size_t bytes) { return ::memalign(alignment, bytes); }, 16}};

/// The largest alignment of a type that programs have: two cache lines. Larger ones are for pages.
constexpr std::size_t kMostOfTypes = 128;

/// `wanted`: the alignments that must be kept; blocks of all alignments must be distinct, kept and freed.
std::string aligned_blocks(std::pair<std::size_t, std::size_t> wanted) {
  constexpr std::size_t kMost = 65'536;
  for (const AlignedCall& one : kAlignedCalls) {
    if (!is_of_malloc(one.name)) continue;
    Ledger ledger;
    std::string failure;
    for (int round = 0; round < 2; ++round) {
      for (std::size_t alignment = one.least; alignment <= kMost; alignment *= 2)
        for (const std::size_t times : {1, 2, 3, 5, 9}) {
          // C wants a multiple of the alignment.
          const std::size_t bytes = alignment * times;
          void* const block = observed(one.call(alignment, bytes));
          const std::string call = fmt::format("{} of {} bytes at {}", one.name, bytes, alignment);
          if (block == nullptr)
            failure = returned_null(call);
          else if (const std::size_t off = reinterpret_cast<std::uintptr_t>(block) % alignment;
                   off != 0 && alignment >= wanted.first && alignment <= wanted.second)
            failure = fmt::format("{}: the address is {} bytes past its alignment", call, off);
          else if (failure = ledger.add(block, bytes); !failure.empty())
            failure = fmt::format("{}: {}", call, failure);
          if (!failure.empty()) return failure;
        }
      if (failure = free_all(ledger); !failure.empty()) return fmt::format("{}: {}", one.name, failure);
    }
    for (const std::size_t bytes : huge_bytes)
      if (observed(one.call(64, bytes & ~std::size_t{63})) != nullptr)
        return returned_block(fmt::format("{} of {} bytes at 64", one.name, bytes & ~std::size_t{63}));
  }
  return "";
}

std::string aligned_for_types() {
  return aligned_blocks({1, kMostOfTypes});
}

std::string aligned_for_pages() {
  return aligned_blocks({kMostOfTypes + 1, SIZE_MAX});
}

/// If two live blocks do not overlap with all the bytes that malloc_usable_size reports, none of the reports is too
/// large.
std::string usable_sizes() {
  std::map<std::uintptr_t, std::pair<std::size_t, std::size_t>> blocks;  // by address: usable and requested bytes
  std::string failure;
  Random random(1);
  for (int i = 0; i < 2000 && failure.empty(); ++i) {
    const std::size_t bytes = random.between(1, std::size_t{1} << random.between(1, 16));
    void* const block = observed(std::malloc(bytes));
    if (block == nullptr) return returned_null(fmt::format("malloc({})", bytes));
    const std::size_t usable = ::malloc_usable_size(block);
    if (usable < bytes) failure = fmt::format("malloc_usable_size of a block of {} bytes is {}", bytes, usable);
    blocks[reinterpret_cast<std::uintptr_t>(block)] = {usable, bytes};
  }
  for (auto at = blocks.begin(); at != blocks.end() && failure.empty(); ++at)
    if (const auto next = std::next(at); next != blocks.end() && next->first - at->first < at->second.first)
      failure = fmt::format("malloc_usable_size of a block of {} bytes is {}, but the next block is {} bytes after it",
                            at->second.second, at->second.first, next->first - at->first);
  for (const auto& [address, sizes] : blocks) std::free(reinterpret_cast<void*>(address));
  if (failure.empty() && ::malloc_usable_size(nullptr) != 0) return "malloc_usable_size(NULL) is not 0";
  return failure;
}

/// C allows null for no bytes. A block must be one that can be freed.
std::string no_bytes() {
  Ledger ledger;
  std::vector<void*> empty;
  std::string failure;
  for (int i = 0; i < 100 && failure.empty(); ++i) {
    empty.insert(empty.end(), {observed(std::malloc(0)), observed(std::calloc(0, 8)), observed(std::calloc(8, 0)),
                               observed(std::realloc(nullptr, 0))});
    void* const block = observed(std::malloc(40));
    failure = block == nullptr ? returned_null("malloc(40)") : ledger.add(block, 40);
  }
  for (void* const block : empty) {
    if (block != nullptr && std::ranges::count(empty, block) != 1 && failure.empty())
      failure = "two live blocks of 0 bytes have the same address";
  }
  if (!failure.empty()) return failure;
  for (void* const block : empty) std::free(block);
  return free_all(ledger);
}

/// A block with one byte throughout, for threads that free each other's. What it must hold is kept outside of it.
struct Parcel {
  unsigned char* block = nullptr;
  std::size_t bytes = 0;
  unsigned char content = 0;

  bool is_whole() const {
    return std::all_of(block, block + bytes, [this](unsigned char byte) { return byte == content; });
  }
};

std::string threads() {
  constexpr unsigned kThreads = 4;
  constexpr int kSteps = 20'000;
  constexpr std::size_t kMostBytes = 2000;
  struct Place {
    std::mutex lock;
    Parcel parcel;
  };
  std::array<Place, 64> places;
  std::atomic<bool> damaged{false}, refused{false};
  const auto end = [&](const Parcel& parcel) {
    if (parcel.block != nullptr && !parcel.is_whole()) damaged = true;
    std::free(parcel.block);
  };
  const auto work = [&](unsigned number) {
    Random random(number + 1);
    for (int i = 0; i < kSteps && !damaged && !refused; ++i) {
      Parcel parcel{nullptr, random.between(1, kMostBytes), static_cast<unsigned char>(random.next())};
      parcel.block = bytes_of(std::malloc(parcel.bytes));
      if (parcel.block == nullptr) {
        refused = true;
        return;
      }
      std::memset(parcel.block, parcel.content, parcel.bytes);
      Place& place = places[static_cast<std::size_t>(random.below(places.size()))];
      {
        const std::lock_guard<std::mutex> held(place.lock);
        std::swap(place.parcel, parcel);
      }
      end(parcel);
    }
  };
  std::vector<std::thread> running;
  for (unsigned i = 0; i < kThreads; ++i) running.emplace_back(work, i);
  for (std::thread& one : running) one.join();
  for (const Place& place : places) end(place.parcel);
  if (refused) return "a request of a thread returned null";
  return damaged ? "a block changed while other threads allocated and freed" : "";
}

/// The exit statuses of a child.
constexpr int kWell = 0, kRefused = 3, kChanged = 4;

/// What a program does to its heap, in a child process: allocates, keeps contents, reallocates and frees.
int exercise_heap() {
  std::array<unsigned char*, 200> blocks{};
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const std::size_t bytes = 16 + i * 37 % 5000;
      blocks[i] = bytes_of(std::malloc(bytes));
      if (blocks[i] == nullptr) return kRefused;
      std::memset(blocks[i], static_cast<int>(i), bytes);
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      unsigned char* const grown = bytes_of(std::realloc(blocks[i], 6000));
      if (grown == nullptr) return kRefused;
      const std::size_t bytes = 16 + i * 37 % 5000;
      const auto same = [&](unsigned char byte) { return byte == static_cast<unsigned char>(i); };
      if (!std::all_of(grown, grown + bytes, same)) return kChanged;
      std::free(grown);
    }
  }
  return kWell;
}

/// Runs `work` in a child process, whose exit status it returns. Returns what is wrong with `what`, the child.
template <typename Work>
std::string in_child(const char* what, const Work& work, unsigned seconds = kChildSeconds) {
  const pid_t child = ::fork();
  if (child < 0) return fmt::format("fork: {}", std::strerror(errno));
  if (child == 0) {
    // A child that hangs ends by itself, with or without its parent.
    std::signal(SIGALRM, SIG_DFL);
    ::alarm(seconds);
    ::_exit(work());
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return fmt::format("{} did not end within {} s", what, seconds);
  if (WIFSIGNALED(status)) return fmt::format("{} crashed with {}", what, ::strsignal(WTERMSIG(status)));
  switch (WEXITSTATUS(status)) {
    case kWell:
      return "";
    case kRefused:
      return fmt::format("a request of {} returned null", what);
    case kChanged:
      return fmt::format("a block of {} changed", what);
    default:
      return fmt::format("{} ended with exit status {}", what, WEXITSTATUS(status));
  }
}

std::string forks() {
  Ledger ledger;
  std::string failure;
  for (std::size_t i = 0; i < 300 && failure.empty(); ++i) {
    void* const block = observed(std::malloc(1 + i * 61 % 9000));
    failure = block == nullptr ? returned_null("malloc") : ledger.add(block, 1 + i * 61 % 9000);
  }
  if (!failure.empty()) return failure;
  failure = in_child("a forked process", [&] {
    if (const int status = exercise_heap(); status != kWell) return status;
    return free_all(ledger).empty() ? exercise_heap() : kChanged;
  });
  const std::string changed = free_all(ledger);
  if (failure.empty() && !changed.empty()) failure = "after a fork, in the parent: " + changed;
  return failure;
}

std::string forks_beside_threads() {
  constexpr unsigned kThreads = 3;
  constexpr int kForks = 40;
  std::atomic<bool> stop{false};
  std::atomic<unsigned> started{0};
  std::vector<std::thread> running;
  for (unsigned i = 0; i < kThreads; ++i)
    running.emplace_back([&, i] {
      Random random(i + 1);
      ++started;
      while (!stop) {
        // Large ones too: they take the locks behind the caches of threads.
        void* const small = observed(std::malloc(random.between(1, 3000)));
        void* const large = observed(std::malloc(random.between(20'000, 200'000)));
        std::free(small);
        std::free(large);
      }
    });
  while (started < kThreads) std::this_thread::yield();
  std::string failure;
  for (int i = 0; i < kForks && failure.empty(); ++i)
    failure = in_child("a process that was forked while other threads allocated", exercise_heap);
  stop = true;
  for (std::thread& one : running) one.join();
  return failure;
}

/// Fork handlers that allocate, as those of libraries do. They cannot be taken back, so they act while `active` alone.
struct ForkHandlers {
  bool active = false;
  void* kept = nullptr;

  template <ForkHandlers& self>
  static void enlist() {
    ::pthread_atfork(
        [] {
          if (!self.active) return;
          self.kept = observed(std::malloc(100));
          std::free(observed(std::malloc(300'000)));
        },
        [] { self.end(); }, [] { self.end(); });
  }

  void end() {
    if (active) std::free(kept);
    if (active) std::free(observed(std::malloc(3000)));
  }
};

ForkHandlers early, late;

/// Before any library's constructor, among them that of a malloc: handlers that prepare a fork run in the reverse
/// order.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void enlist_early(int, char**, char**) {
  ForkHandlers::enlist<early>();
}
[[gnu::used, gnu::section(".preinit_array")]] void (*const at_start)(int, char**, char**) = enlist_early;
#endif

/// In a child, which may hang.
std::string forks_with(ForkHandlers& handlers, unsigned seconds) {
  const auto fork_often = [&] {
    handlers.active = true;
    constexpr int kForks = kMemoryIsMeasurable ? 20 : 3;  // a sanitizer's forks are slow
    for (int i = 0; i < kForks; ++i) {
      const pid_t child = ::fork();
      if (child == 0) ::_exit(exercise_heap());
      int status = 0;
      if (child < 0 || ::waitpid(child, &status, 0) != child || status != 0) return kChanged;
    }
    return exercise_heap();
  };
  return in_child("a process that forked with fork handlers that allocate", fork_often, seconds);
}

std::string forks_with_late_handlers() {
  static std::once_flag once;
  std::call_once(once, [] { ForkHandlers::enlist<late>(); });
  return forks_with(late, kChildSeconds);
}

std::string forks_with_early_handlers() {
  return forks_with(early, kHangingSeconds);
}

/// What a program may do to the pages inside of its block before it resizes it.
struct PageAdvice {
  const char* name;
  void (*give)(void* pages, std::size_t bytes);
};

template <int kAdvice>
void advise(void* pages, std::size_t bytes) {
  (void)::madvise(pages, bytes, kAdvice);  // older kernels do not know all
}

constexpr PageAdvice kAdvices[] = {
    {"madvise(MADV_HUGEPAGE)", advise<MADV_HUGEPAGE>},
    {"madvise(MADV_NOHUGEPAGE)", advise<MADV_NOHUGEPAGE>},
    {"madvise(MADV_SEQUENTIAL)", advise<MADV_SEQUENTIAL>},
    {"madvise(MADV_RANDOM)", advise<MADV_RANDOM>},
    {"madvise(MADV_DONTDUMP)", advise<MADV_DONTDUMP>},
    {"madvise(MADV_DONTFORK)", advise<MADV_DONTFORK>},
    {"madvise(MADV_WIPEONFORK)", advise<MADV_WIPEONFORK>},
    {"madvise(MADV_MERGEABLE)", advise<MADV_MERGEABLE>},
    {"mlock", [](void* pages, std::size_t bytes) { (void)::mlock(pages, std::min<std::size_t>(bytes, 65'536)); }},
    {"mprotect, there and back",
     [](void* pages, std::size_t bytes) {
       (void)::mprotect(pages, bytes, PROT_READ);
       (void)::madvise(pages, bytes / 2, MADV_RANDOM);  // so that the system cannot join the parts again
       (void)::mprotect(pages, bytes, PROT_READ | PROT_WRITE);
     }},
};

/// In a child, because what was done to pages stays with the heap.
std::string reallocs_keep_after_advice() {
  constexpr std::size_t kPage = 4096;
  for (const PageAdvice& advice : kAdvices)
    for (const auto& sizes : {std::pair<std::size_t, std::size_t>{2'000'000, 6'000'000},
                              {8'000'000, 3'000'000},
                              {300'000, 3'000'000},
                              {3'000'000, 300'000}}) {
      const std::size_t before = sizes.first, after = sizes.second;
      const std::string failure = in_child("a process", [&] {
        unsigned char* const block = bytes_of(std::malloc(before));
        if (block == nullptr) return kRefused;
        for (std::size_t i = 0; i < before; ++i) block[i] = content(i);
        const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(block) + before / 4) / kPage * kPage;
        advice.give(reinterpret_cast<void*>(begin), before / 2 / kPage * kPage);
        unsigned char* const moved = bytes_of(std::realloc(block, after));
        if (moved == nullptr) return kRefused;
        for (std::size_t i = 0; i < std::min(before, after); ++i)
          if (moved[i] != content(i)) return kChanged;
        std::memset(moved, 1, after);
        std::free(moved);
        return exercise_heap();
      });
      if (!failure.empty())
        return fmt::format("realloc of {} to {} bytes after {}: {}", before, after, advice.name, failure);
    }
  return "";
}

/// Large blocks come and go: what a heap keeps of them is no other block's and is cleared by calloc.
std::string large_churn() {
  constexpr std::size_t kLive = 6, kSteps = 120;
  Random random(1);
  Ledger ledger;
  std::array<void*, kLive> live{};
  std::string failure;
  for (std::size_t step = 0; step < kSteps && failure.empty(); ++step) {
    void*& place = live[static_cast<std::size_t>(random.below(kLive))];
    if (place != nullptr) {
      failure = ledger.remove(place);
      std::free(place);
      place = nullptr;
    }
    const std::size_t bytes = random.between(1'000'000, 5'000'000);
    const bool clear = random.below(3) == 0;
    unsigned char* const block = bytes_of(clear ? std::calloc(bytes, 1) : std::malloc(bytes));
    if (block == nullptr) return returned_null(fmt::format("{} of {} bytes", clear ? "calloc" : "malloc", bytes));
    if (clear && failure.empty() && std::any_of(block, block + bytes, [](unsigned char byte) { return byte != 0; }))
      failure = fmt::format("calloc of {} bytes after large blocks were freed is not 0", bytes);
    if (failure.empty()) failure = ledger.add(block, bytes);
    place = block;
  }
  const std::string changed = free_all(ledger);
  return failure.empty() ? changed : failure;
}

/// Whether this process may give a thread a real-time priority.
bool may_be_real_time() {
  const sched_param least{.sched_priority = ::sched_get_priority_min(SCHED_FIFO)};
  sched_param before{};
  const int policy = ::sched_getscheduler(0);
  if (::sched_getparam(0, &before) != 0 || ::sched_setscheduler(0, SCHED_FIFO, &least) != 0) return false;
  ::sched_setscheduler(0, policy, &before);
  return true;
}

/// The longest of its waits for a malloc in milliseconds, of a thread of a real-time priority beside an ordinary one
/// that allocates without pause on the same core.
double longest_real_time_wait(int core) {
  constexpr int kWakes = 60;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(core), &one);
  std::atomic<bool> stop{false};
  double longest = 0;
  std::thread ordinary([&] {
    ::sched_setaffinity(0, sizeof(one), &one);
    while (!stop) std::free(observed(std::malloc(200)));
  });
  std::thread urgent([&] {
    ::sched_setaffinity(0, sizeof(one), &one);
    const sched_param least{.sched_priority = ::sched_get_priority_min(SCHED_FIFO)};
    ::sched_setscheduler(0, SCHED_FIFO, &least);
    for (int i = 0; i < kWakes; ++i) {
      std::this_thread::sleep_for(std::chrono::microseconds(301));
      const auto start = std::chrono::steady_clock::now();
      std::free(observed(std::malloc(200)));
      const std::chrono::duration<double, std::milli> wait = std::chrono::steady_clock::now() - start;
      longest = std::max(longest, wait.count());
    }
    stop = true;
  });
  urgent.join();
  ordinary.join();
  return longest;
}

/// A busy machine may delay any one wait: the shortest of some longest waits counts.
std::string real_time_threads() {
  constexpr double kMostMilliseconds = 8;
  constexpr int kRounds = 5;
  const int core = ::sched_getcpu();
  double longest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kRounds && longest > kMostMilliseconds; ++i)
    longest = std::min(longest, longest_real_time_wait(std::max(core, 0)));
  if (longest <= kMostMilliseconds) return "";
  return fmt::format(
      "a thread of the policy SCHED_FIFO waited for a malloc up to {:.0f} ms, in each of {} tries, while "
      "an ordinary thread of its core allocated; expected at most {:.0f} ms",
      longest, kRounds, kMostMilliseconds);
}

std::string executes() {
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  const char* const libraries = std::getenv("LD_LIBRARY_PATH");
  std::vector<std::string> command =
      by_bundled_loader({own_executable(), "--describe"}, libraries == nullptr ? "" : libraries);
  const std::string program = command.front();
  const bool is_started_by_kernel = command.size() == 2;  // not by a loader, whose argument is the program's path
  if (is_started_by_kernel) command.front() = "variant";
  std::vector<char*> pointers;
  for (std::string& word : command) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const std::string failure = in_child("an executed program", [null, &program, &pointers] {
    ::dup2(null, STDOUT_FILENO);
    ::execv(program.c_str(), pointers.data());
    return 127;
  });
  ::close(null);
  return failure;
}

}  // namespace

std::string definer_of(const char* function) {
  void* const address = ::dlsym(RTLD_DEFAULT, function);
  Dl_info info{};
  if (address == nullptr || ::dladdr(address, &info) == 0) return "";
  return info.dli_fname;
}

bool is_of_malloc(const char* function) {
  return definer_of(function) == definer_of("malloc");
}

std::vector<bench::ConformanceCheck> malloc_checks() {
  const struct {
    bool applies;
    const char* name;
    std::string (*check)();
    bool decides = true;
  } rows[]{
      {true, "calloc returns zeros, and null for a product that is too large", callocs_zero},
      {true, "realloc keeps contents", reallocs_keep},
      {true, "aligned blocks are distinct, can be freed, and keep alignments up to 128", aligned_for_types},
      // mimalloc 2.0.9, Debian 12's, does not keep 256 to 1024.
      {true, "aligned blocks keep alignments above 128", aligned_for_pages, false},
      {is_of_malloc("malloc_usable_size"), "malloc_usable_size covers the request and no other block", usable_sizes},
      {true, "requests of 0 bytes do no harm", no_bytes},
      {true, "threads may allocate at once and free each other's blocks", threads},
      {true, "a forked process can allocate", forks},
      // A sanitizer's own locks are not made for this.
      {kMemoryIsMeasurable, "a process that was forked while other threads allocated can allocate",
       forks_beside_threads},
      {true, "a fork may have handlers that allocate", forks_with_late_handlers},
      // Those of jemalloc and others hold a lock in the handlers that were there before theirs.
      {kMemoryIsMeasurable, "a fork may have handlers that allocate and were there before the malloc's",
       forks_with_early_handlers, false},
      {kMemoryIsMeasurable, "realloc keeps contents after madvise, mlock and mprotect", reallocs_keep_after_advice},
      {true, "large blocks come and go", large_churn},
      {kMemoryIsMeasurable && may_be_real_time(), "a thread of a real-time policy does not wait for an ordinary one",
       real_time_threads, false},
      {true, "an executed program can allocate", executes}};
  std::vector<bench::ConformanceCheck> checks;
  for (const auto& row : rows)
    if (row.applies) checks.push_back({row.name, row.check, row.decides});
  return checks;
}

bench::Variant& with_malloc_checks(bench::Variant& variant) {
  for (bench::ConformanceCheck& check : malloc_checks()) variant.conformance.push_back(std::move(check));
  return variant;
}

}  // namespace lab::allocator
