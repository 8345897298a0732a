#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "variants/designs/addresses/arena_model_test.h"
#include "variants/designs/addresses/boundary_tags.h"
#include "variants/designs/addresses/first_fit_list.h"
#include "variants/designs/addresses/slab.h"
#include "variants/designs/addresses/tlsf.h"
#include "variants/designs/offsets/size_bins.h"

namespace lab::designs {
namespace {

template <typename Design>
std::size_t alignment_of(std::size_t bytes) {
  if constexpr (requires { Design::alignment(bytes); })
    return Design::alignment(bytes);
  else
    return Design::kGranule;
}

template <typename Design>
class ArenaDesigns : public testing::Test {};

using All = testing::Types<FirstFitList, BoundaryTags, Tlsf, Slab>;

class Names {
 public:
  template <typename Design>
  static std::string GetName(int index) {
    constexpr const char* kNames[] = {"first_fit_list", "boundary_tags", "tlsf", "slab"};
    return kNames[index];
  }
};
TYPED_TEST_SUITE(ArenaDesigns, All, Names);

TYPED_TEST(ArenaDesigns, serve_their_largest_request_and_not_a_byte_more) {
  std::vector<std::size_t> arenas{4096, 4097, 4111, 4112, 8192, 12'288, 20'480, 65'536, 1'052'672, 1'000'000};
  for (std::size_t bytes = 0; bytes <= 256; ++bytes) arenas.push_back(bytes);
  for (const std::size_t bytes : arenas) {
    expect_exact_limits<TypeParam>(bytes, alignment_of<TypeParam>);
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(ArenaDesigns, serve_as_many_requests_as_they_state) {
  std::vector<std::size_t> all(600), edges{0, 1};
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (std::size_t power = 4; power <= 131'072; power *= 2)
    for (const std::size_t bytes :
         {power - 9, power - 5, power - 4, power - 3, power - 1, power, power + 1, 3 * power / 2})
      if (bytes < 200'000) edges.push_back(bytes);
  for (const std::size_t bytes : {0u, 48u, 64u, 80u, 96u, 4096u, 8192u, 12'304u})
    expect_exact_capacity<TypeParam>(bytes, all, alignment_of<TypeParam>);
  for (const std::size_t bytes : {69'632u, 131'072u, 200'000u})
    expect_exact_capacity<TypeParam>(bytes, edges, alignment_of<TypeParam>);
}

TYPED_TEST(ArenaDesigns, are_in_their_first_state_after_any_sequence_of_frees) {
  for (const std::size_t bytes : {65'536u, 300'000u, 1'048'576u})
    expect_first_state_after_any_frees<TypeParam>(bytes, alignment_of<TypeParam>);
}

TYPED_TEST(ArenaDesigns, keep_contents_apart_under_random_requests) {
  for (const std::size_t bytes : {16'384u, 100'000u, 524'288u})
    expect_sound_under_random_requests<TypeParam>(bytes, alignment_of<TypeParam>);
}

// --- What each design promises beyond that ---------------------------------------------------------------------------

struct alignas(4096) Memory {
  std::byte bytes[64 * 4096];
};

template <typename Design>
std::vector<std::size_t> free_blocks(const Design& design) {
  std::vector<std::size_t> found;
  if constexpr (requires { design.for_each_free([](std::size_t) {}); })
    design.for_each_free([&](std::size_t bytes) { found.push_back(bytes); });
  else
    design.for_each([&](std::size_t bytes, bool free) {
      if (free) found.push_back(bytes);
    });
  return found;
}
using Sizes = std::vector<std::size_t>;

TEST(FirstFitList, takes_the_beginning_of_the_first_block_that_is_large_enough) {
  const auto memory = std::make_unique<Memory>();
  FirstFitList list(memory->bytes, 1024);
  std::vector<void*> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(list.allocate(128));
  list.free(blocks[1], 128);
  list.free(blocks[5], 128);
  list.free(blocks[4], 128);
  EXPECT_EQ(free_blocks(list), (Sizes{128, 256}));
  EXPECT_EQ(list.allocate(129), blocks[4]);
  EXPECT_EQ(list.allocate(100), blocks[1]);
  EXPECT_EQ(list.allocate(112), static_cast<std::byte*>(blocks[4]) + 144);
  EXPECT_EQ(free_blocks(list), (Sizes{16}));
}

TEST(FirstFitList, counts_the_free_blocks_that_it_passes) {
  const auto memory = std::make_unique<Memory>();
  FirstFitList list(memory->bytes, 1024);
  std::vector<void*> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(list.allocate(128));
  std::uint64_t passed = 0;
  for (const std::size_t i : {1u, 3u, 5u}) list.free(blocks[i], 128, passed);
  EXPECT_EQ(passed, 0u + 1 + 2);
  passed = 0;
  EXPECT_EQ(list.allocate(128, passed), blocks[1]);
  EXPECT_EQ(passed, 0u);
  EXPECT_EQ(list.allocate(129, passed), nullptr);
  EXPECT_EQ(passed, 2u);
}

TEST(BoundaryTags, count_the_free_blocks_that_they_pass) {
  const auto memory = std::make_unique<Memory>();
  BoundaryTags tags(memory->bytes, 8 * 128);
  std::vector<void*> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(tags.allocate(96));
  for (const std::size_t i : {1u, 3u, 5u}) tags.free(blocks[i]);
  std::uint64_t passed = 0;
  EXPECT_NE(tags.allocate(96, passed), nullptr);
  const std::uint64_t first = passed;
  EXPECT_LE(first, 1u) << "the list's head, which is no block and too small";
  EXPECT_EQ(tags.allocate(97, passed), nullptr);
  EXPECT_EQ(passed, first + 3) << "two free blocks and the list's head";
}

TEST(BoundaryTags, take_32_bytes_more_than_the_request) {
  const auto memory = std::make_unique<Memory>();
  BoundaryTags tags(memory->bytes, 8192);
  for (const auto& [bytes, taken] :
       {std::pair<std::size_t, std::size_t>{0, 48}, {1, 48}, {16, 48}, {17, 64}, {4096, 4128}})
    EXPECT_EQ(tags.block_bytes(tags.allocate(bytes)), taken) << bytes;
}

TEST(BoundaryTags, need_two_pages_for_a_request_of_one) {
  const auto memory = std::make_unique<Memory>();
  EXPECT_EQ(BoundaryTags(memory->bytes, 4096).allocate(4096), nullptr);
  EXPECT_NE(BoundaryTags(memory->bytes, 8192).allocate(4096), nullptr);
  EXPECT_EQ(BoundaryTags(memory->bytes, 8192).capacity(4096), 1u);
}

TEST(BoundaryTags, merge_a_freed_block_with_both_neighbours_in_any_order) {
  const auto memory = std::make_unique<Memory>();
  std::vector<int> order{0, 1, 2, 3, 4};
  BoundaryTags tags(memory->bytes, 5 * 96);
  do {
    std::vector<void*> blocks;
    for (int i = 0; i < 5; ++i) blocks.push_back(tags.allocate(64));
    EXPECT_EQ(free_blocks(tags), Sizes{});
    for (const int i : order) tags.free(blocks[static_cast<std::size_t>(i)]);
    ASSERT_EQ(free_blocks(tags), Sizes{480});
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Tlsf, has_four_bytes_of_metadata_in_a_block) {
  const auto memory = std::make_unique<Memory>();
  Tlsf tlsf(memory->bytes, 8192);
  EXPECT_EQ(tlsf.largest_request(), 8192u - 16 - 4);
  for (const auto& [bytes, taken] :
       {std::pair<std::size_t, std::size_t>{0, 16}, {12, 16}, {13, 32}, {28, 32}, {29, 48}})
    EXPECT_EQ(tlsf.block_bytes(tlsf.allocate(bytes)), taken) << bytes;
}

TEST(Tlsf, merges_a_freed_block_with_both_neighbours_in_any_order) {
  const auto memory = std::make_unique<Memory>();
  std::vector<int> order{0, 1, 2, 3, 4};
  Tlsf tlsf(memory->bytes, 5 * 64 + 16);
  do {
    std::vector<void*> blocks;
    for (int i = 0; i < 5; ++i) blocks.push_back(tlsf.allocate(60));
    EXPECT_EQ(free_blocks(tlsf), Sizes{});
    for (const int i : order) tlsf.free(blocks[static_cast<std::size_t>(i)]);
    ASSERT_EQ(free_blocks(tlsf), Sizes{320});
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Tlsf, takes_a_block_of_the_smallest_list_in_which_every_block_fits) {
  const auto memory = std::make_unique<Memory>();
  Tlsf tlsf(memory->bytes, sizeof memory->bytes);
  // Free blocks of 65, 66 and 80 units, between blocks that stay. Lists are two units wide there.
  std::vector<void*> kept, freed;
  for (const std::size_t units : {65u, 66u, 80u}) {
    freed.push_back(tlsf.allocate(units * 16 - 4));
    kept.push_back(tlsf.allocate(1));
  }
  for (void* const block : freed) tlsf.free(block);
  // 65 units are rounded up to 66, so the block of exactly 65 is not found, and that of 66 is.
  EXPECT_EQ(tlsf.allocate(65 * 16 - 4), freed[1]);
  EXPECT_EQ(tlsf.allocate(66 * 16 - 4), freed[2]);
}

TEST(Tlsf, adds_a_small_rest_to_the_block) {
  const auto memory = std::make_unique<Memory>();
  // The arena is one block of 66 units. A rest of at most 1/32 of the request is no block of its own.
  Tlsf tlsf(memory->bytes, 67 * 16);
  for (const auto& [units, taken] :
       {std::pair<std::size_t, std::size_t>{66, 66}, {65, 66}, {64, 66}, {63, 63}, {1, 1}}) {
    void* const block = tlsf.allocate(units * 16 - 4);
    EXPECT_EQ(tlsf.block_bytes(block), taken * 16) << units;
    tlsf.free(block);
    EXPECT_EQ(free_blocks(tlsf), Sizes{66 * 16});
  }
}

TEST(Tlsf, searches_the_requests_own_list_if_no_larger_one_has_a_block_a_bounded_number_of_blocks_far) {
  constexpr unsigned kUnits = 65;  // shares its list with blocks of 64 units
  constexpr unsigned kApart = 4;   // units of the live blocks between
  for (const unsigned smaller : {0u, Tlsf::kMostTries - 1, Tlsf::kMostTries}) {
    const std::size_t bytes = 16 + 16 * (kUnits + kApart + smaller * std::size_t{kUnits - 1 + kApart});
    std::vector<std::byte> room(bytes + 16);
    auto* const begin = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(room.data()) + 15) / 16 * 16);
    Tlsf tlsf(begin, bytes);
    std::vector<void*> freed{tlsf.allocate(kUnits * 16 - 4)};
    tlsf.allocate(kApart * 16 - 4);
    for (unsigned i = 0; i < smaller; ++i) {
      freed.push_back(tlsf.allocate((kUnits - 1) * 16 - 4));
      tlsf.allocate(kApart * 16 - 4);
    }
    ASSERT_EQ(free_blocks(tlsf), Sizes{}) << smaller;
    for (void* const block : freed) tlsf.free(block);
    // The list is last in, first out, so the one that fits comes last.
    EXPECT_EQ(tlsf.allocate(kUnits * 16 - 4), smaller < Tlsf::kMostTries ? freed[0] : nullptr) << smaller;
  }
}

TEST(Slab, shares_a_page_among_blocks_of_one_size_and_gives_it_back_when_the_last_is_free) {
  const auto memory = std::make_unique<Memory>();
  Slab slab(memory->bytes, 3 * 4096);
  EXPECT_EQ(slab.table_bytes(), 4096u);
  std::byte* const first = memory->bytes + 4096;
  EXPECT_EQ(slab.allocate(100), first);
  EXPECT_EQ(slab.allocate(112), first + 112);
  EXPECT_EQ(slab.allocate(200), first + 4096);
  EXPECT_EQ(slab.allocate(16), nullptr);
  slab.free(first);
  EXPECT_EQ(slab.allocate(16), nullptr) << "a live block of another size holds the page";
  EXPECT_EQ(slab.allocate(97), first) << "the last freed is the first reused";
  slab.free(first);
  slab.free(first + 112);
  EXPECT_EQ(slab.allocate(4096), first);
}

TEST(Slab, aligns_a_block_to_the_largest_power_of_two_that_divides_its_size) {
  EXPECT_EQ(Slab::alignment(0), 16u);
  EXPECT_EQ(Slab::alignment(64), 64u);
  EXPECT_EQ(Slab::alignment(65), 16u);
  EXPECT_EQ(Slab::alignment(1024), 1024u);
  EXPECT_EQ(Slab::alignment(3840), 256u);
  EXPECT_EQ(Slab::alignment(3841), 4096u);
  EXPECT_EQ(Slab::alignment(100'000), 4096u);
}

TEST(Slab, rounds_a_request_up_by_less_than_an_eighth) {
  for (std::size_t bytes = 129; bytes <= Slab::kMostSlabBytes; ++bytes)
    ASSERT_LT(static_cast<double>(Slab::block_bytes(bytes)), 1.125 * static_cast<double>(bytes)) << bytes;
}

TEST(Slab, serves_a_request_from_the_only_run_that_holds_it_behind_any_number_of_shorter_ones) {
  constexpr std::size_t kPages = 1024, kPage = Slab::kPageBytes;
  const std::unique_ptr<std::byte, void (*)(void*)> memory(
      static_cast<std::byte*>(std::aligned_alloc(kPage, kPages * kPage)), &std::free);
  for (const int shorter : {0, 31, 32, 40}) {
    Slab slab(memory.get(), kPages * kPage);
    std::vector<void*> runs;
    for (int i = 0; i <= shorter; ++i) {  // apart, so that they do not merge
      runs.push_back(slab.allocate((i == 0 ? 17 : 16) * kPage));
      ASSERT_NE(slab.allocate(kPage), nullptr);
    }
    while (slab.allocate(kPage) != nullptr) {
    }
    for (void* const run : runs) slab.free(run);  // the last freed is the first that is tried
    EXPECT_EQ(slab.allocate(17 * kPage), runs.front()) << shorter;
    EXPECT_EQ(slab.allocate(17 * kPage), nullptr) << shorter;
  }
}

TEST(SizeBins, hold_consecutive_sizes_of_which_the_smallest_is_known) {
  using Bins = SizeBins<3>;
  unsigned before = Bins::of(0);
  for (std::uint32_t size = 1; size < 5000; ++size) {
    const unsigned bin = Bins::of(size);
    ASSERT_TRUE(bin == before || bin == before + 1) << size;
    if (bin != before) {
      ASSERT_EQ(Bins::smallest(bin), size);
    }
    before = bin;
    const unsigned holding = Bins::holding(size);
    ASSERT_GE(Bins::smallest(holding), size);
    ASSERT_LT(Bins::smallest(holding - 1), size) << "a lower bin would do";
  }
  EXPECT_EQ(Bins::smallest(Bins::of(1u << 31)), 1u << 31);
}

TEST(BinSet, finds_the_next_member_across_words) {
  BinSet<300> set;
  EXPECT_EQ(set.first_from(0), BinSet<300>::kNone);
  for (const unsigned bin : {3u, 63u, 64u, 299u}) set.add(bin);
  std::vector<unsigned> found;
  for (unsigned bin = 0; bin < 300; ++bin) found.push_back(set.first_from(bin));
  for (unsigned bin = 0; bin < 300; ++bin) EXPECT_EQ(found[bin], bin <= 3 ? 3 : bin <= 63 ? 63 : bin <= 64 ? 64 : 299u);
  set.remove(299);
  EXPECT_EQ(set.first_from(65), BinSet<300>::kNone);
  EXPECT_EQ(set.first_from(64), 64u);
}

}  // namespace
}  // namespace lab::designs
