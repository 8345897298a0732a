#include "variants/common/plans/recording.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/base/random.h"

namespace lab {
namespace {

using What = RecordedRequest::What;

RecordedRequest allocate(std::uint32_t bytes) {
  return {.what = What::kAllocate, .bytes = bytes};
}
RecordedRequest free_of(std::uint32_t block) {
  return {.what = What::kFree, .block = block};
}
RecordedRequest reallocate(std::uint32_t block, std::uint32_t bytes) {
  return {.what = What::kReallocate, .bytes = bytes, .block = block};
}
RecordedRequest zeroed(std::uint32_t bytes) {
  return {.what = What::kZeroed, .bytes = bytes};
}
RecordedRequest aligned(std::uint32_t bytes, std::uint8_t log2_alignment) {
  return {.what = What::kAligned, .log2_alignment = log2_alignment, .bytes = bytes};
}

/// Valid requests of every kind, sizes of every width.
Recording random_recording(std::uint64_t seed, std::size_t requests) {
  Random random(seed);
  Recording recording;
  std::vector<std::uint32_t> live;
  std::uint32_t allocations = 0;
  while (recording.size() < requests) {
    RecordedRequest next;
    next.what = static_cast<What>(random.below(5));
    if (next.ends()) {
      if (live.empty()) continue;
      const std::size_t which = random.below(live.size());
      next.block = live[which];
      live[which] = live.back();
      live.pop_back();
    }
    if (next.what == What::kAligned) next.log2_alignment = static_cast<std::uint8_t>(random.below(32));
    if (next.allocates()) {
      next.bytes = static_cast<std::uint32_t>((random.next() >> 32) >> random.below(33));
      live.push_back(allocations++);
    }
    recording.push_back(next);
  }
  return recording;
}

std::string problem_of(std::string_view file) {
  const Expected<Recording> read = decode(file);
  return read ? "" : read.error().what;
}

TEST(Recording, is_the_same_after_encoding_and_decoding) {
  const Recording good[] = {
      {},
      {allocate(0)},
      {allocate(~0u), free_of(0)},
      {allocate(16), allocate(16), free_of(0), reallocate(1, 17), free_of(2)},
      {zeroed(7), aligned(64, 12), aligned(1, 0), aligned(5, 31), free_of(1), free_of(3), free_of(2), free_of(0)},
      Recording(5000, allocate(48)),
      random_recording(1, 3000),
  };
  for (const Recording& recording : good) {
    const Expected<Recording> read = decode(encode(recording));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_TRUE(*read == recording) << recording.size() << " requests";
  }
  for (std::uint64_t seed = 2; seed < 60; ++seed) {
    const Recording recording = random_recording(seed, seed * 7);
    const Expected<Recording> read = decode(encode(recording));
    EXPECT_TRUE(read && *read == recording) << seed;
  }
}

TEST(Recording, says_how_many_requests_allocate) {
  EXPECT_EQ(allocations_of(encode({allocate(1), free_of(0), zeroed(2), reallocate(1, 3)})), 3u);
  EXPECT_EQ(allocations_of("LABTRACE"), 0u);
  EXPECT_EQ(allocations_of(std::string(30, '\1')), 0u);
}

TEST(Recording, takes_few_bits_where_requests_repeat) {
  Recording recording;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    recording.push_back(allocate(48));
    recording.push_back(free_of(i));
  }
  EXPECT_LT(encode(recording).size(), 2'000u);
}

TEST(Recording, of_another_form_is_refused_with_the_reason) {
  const std::string good = encode({allocate(16), allocate(24), free_of(0), reallocate(1, 17)});
  EXPECT_EQ(problem_of(good), "");
  constexpr const char* kNone = "expected a recording of version 1, which begins with LABTRACE and a byte of 1";
  std::string version = good, count = good, more = good, fewer = good, hash = good, allocations = good;
  version[8] = 2;
  count[20] = 1;
  count[17] = 1;
  more[17] = 5;
  fewer[17] = 3;
  allocations[21] = 4;
  hash[9] = static_cast<char>(hash[9] ^ 1);
  struct Case {
    std::string file, problem;
  };
  const Case bad[] = {
      {"", kNone},
      {"LABTRACE", kNone},
      {good.substr(0, 24), kNone},
      {version, kNone},
      {count + std::string(4, '\xff'), "expected at most 16777216 requests, found 16777217"},
      {good.substr(0, 25), "it ends within request 0 of 4"},
      {good + '\0', "it does not end after 4 requests"},
      {fewer, "it does not end after 3 requests"},
      {allocations, "it has another number of allocations than it says"},
      {hash, "its hash is not that of its requests"},
      {encode({allocate(1), free_of(0), free_of(0)}), "request 2 ends a block that is not live"},
      {encode({allocate(1), reallocate(0, 2), reallocate(0, 3)}), "request 2 ends a block that is not live"},
  };
  for (const Case& one : bad) EXPECT_EQ(problem_of(one.file), one.problem);
  EXPECT_NE(problem_of(more), "");
}

TEST(Recording, has_no_two_forms_and_no_byte_without_meaning) {
  const std::string good = encode(random_recording(3, 400));
  for (std::size_t at = 0; at < good.size(); ++at) {
    EXPECT_NE(problem_of(good.substr(0, at)), "") << "cut off at " << at;
    for (const int bit : {0, 3, 7}) {
      std::string changed = good;
      changed[at] = static_cast<char>(changed[at] ^ 1 << bit);
      EXPECT_NE(problem_of(changed), "") << "byte " << at << ", bit " << bit;
    }
  }
}

TEST(Recording, of_any_bytes_is_a_refusal_or_a_recording_and_nothing_else) {
  Random random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string file("LABTRACE\x01", 9);
    for (int i = 0; i < 8; ++i) file.push_back(static_cast<char>(random.next()));
    const std::uint64_t count = random.below(2) == 0 ? random.below(300) : random.below(std::uint64_t{1} << 32);
    for (int i = 0; i < 4; ++i) file.push_back(static_cast<char>(count >> 8 * i));
    for (int i = 0; i < 4; ++i) file.push_back(static_cast<char>(random.below(100) >> 8 * i));
    for (std::size_t i = random.below(200); i > 0; --i) file.push_back(static_cast<char>(random.next()));
    const Expected<Recording> read = decode(file);
    if (read) {
      EXPECT_EQ(encode(*read), file);
    } else {
      EXPECT_NE(read.error().what, "");
    }
  }
}

// --- What the recorder writes --------------------------------------------------------------------------------------

std::string problem_of_raw(const std::vector<RawRequest>& raw) {
  const Expected<Recording> made = recording_of(raw, 100);
  return made ? "" : made.error().what;
}

TEST(RawRequests, become_a_recording_without_addresses) {
  const std::vector<RawRequest> raw{
      {kRawAllocate, 10, 0x1000, 0},
      {kRawFree, 0, 0x9000, 0},  // of a block from before
      {kRawZeroed, 20, 0x2000, 0},
      {kRawReallocate, 30, 0x3000, 0x1000},
      {kRawReallocate, 40, 0x4000, 0x9100},                      // likewise: a new block
      {kRawAllocate, std::uint64_t{1} << 32, 0x5000, 0},         // too large
      {kRawFree, 0, 0x5000, 0},                                  // and its end
      {kRawReallocate, std::uint64_t{1} << 32, 0x6000, 0x4000},  // too large: only the end of the old block
      {kRawAligned, 50, 0x1000, 4096},
      {kRawAligned, 51, 0x7000, 48},
      {kRawReallocate, 31, 0x3000, 0x3000},  // in place
      {kRawFree, 0, 0x3000, 0},
      {kRawEnd, 0, 0, 0},
      {kRawAllocate, 99, 0x8000, 0},
  };
  const Recording expected{allocate(10),    zeroed(20),     reallocate(0, 30), allocate(40), free_of(3),
                           aligned(50, 12), aligned(51, 6), reallocate(2, 31), free_of(6)};
  const Expected<Recording> made = recording_of(raw, 100);
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_TRUE(*made == expected);
  EXPECT_EQ(recording_of(raw, 3)->size(), 3u);
  EXPECT_EQ(problem_of(encode(*made)), "");
}

TEST(RawRequests, that_no_recorder_writes_are_refused) {
  EXPECT_EQ(problem_of_raw({{kRawAllocate, 10, 0x1000, 0}, {77, 0, 0, 0}}),
            "request 1: there is no request of kind 77");
  EXPECT_EQ(problem_of_raw({{kRawAllocate, 10, 0x1000, 0}, {kRawZeroed, 10, 0x1000, 0}}),
            "request 1: it returned a block that is live");
}

// --- A replay ------------------------------------------------------------------------------------------------------

/// Writes down what is asked of it.
struct Listener {
  std::uint32_t allocate(std::size_t bytes) {
    said += "+" + std::to_string(bytes);
    return next++;
  }
  void free(std::uint32_t block, std::size_t) { said += "-" + std::to_string(block); }
  bool resets() const { return false; }
  void reset() {}

  std::string said;
  std::uint32_t next = 0;
};

TEST(Recording, is_replayed_with_copies_and_ends_empty) {
  const Trace trace = trace_of({allocate(10), zeroed(0), aligned(30, 6), free_of(1), reallocate(0, 40), allocate(5)});
  Listener listener;
  EXPECT_TRUE(replay(trace, listener));
  EXPECT_EQ(listener.said, "+10+1+30-1+40-0+5-2-3-4");
  EXPECT_EQ(trace.slots, 3u) << "slots are used again";
  const Demand demand = demand_of(trace);
  EXPECT_EQ(demand.bytes, 80u) << "while 10 bytes are copied to 40";
  EXPECT_EQ(demand.blocks, 3u);
}

TEST(Demand, of_a_plans_trace_is_the_plans) {
  Trace trace;
  trace.slots = 2;
  trace.allocate(0, 10);
  trace.allocate(1, 20);
  trace.free_all();
  trace.allocate(0, 25);
  const Demand demand = demand_of(trace);
  EXPECT_EQ(demand.bytes, 30u);
  EXPECT_EQ(demand.blocks, 2u);
}

}  // namespace
}  // namespace lab
