#include "variants/allocator/family/os_pages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "variants/allocator/family/page_workloads.h"
#include "variants/allocator/family/subject.h"

namespace lab::allocator {
namespace {

constexpr std::size_t kKiB = 1024, kMiB = 1024 * kKiB;

class HugeHeap : public OsPages {
 public:
  explicit HugeHeap(const Demand&) : OsPages(Size::kHuge) {}
};

double mapped(const OsPages& pages) {
  return pages.counters().at("mapped_bytes");
}

TEST(OsPages, map_whole_pages_for_a_block_of_a_page_or_more_and_none_for_a_smaller_one) {
  OsPages small(OsPages::Size::k4K), huge(OsPages::Size::kHuge);
  struct Row {
    std::size_t bytes, small, huge;
  };
  for (const Row& row : {Row{0, 0, 0}, Row{4095, 0, 0}, Row{4096, 4096, 4096}, Row{4097, 8192, 8192},
                         Row{kMiB - 1, kMiB, kMiB}, Row{kMiB, kMiB, 2 * kMiB}, Row{2 * kMiB, 2 * kMiB, 2 * kMiB},
                         Row{2 * kMiB + 1, 2 * kMiB + 4 * kKiB, 4 * kMiB}}) {
    for (const auto& [pages, expected] : {std::pair{&small, row.small}, {&huge, row.huge}}) {
      void* const block = pages->allocate(row.bytes);
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % pages->alignment(row.bytes), 0u) << row.bytes;
      EXPECT_EQ(mapped(*pages), expected) << row.bytes;
      EXPECT_GE(pages->occupied(block, row.bytes), row.bytes);
      std::memset(block, 1, row.bytes);
      pages->free(block, row.bytes);
      EXPECT_EQ(mapped(*pages), 0) << row.bytes;
    }
  }
  EXPECT_EQ(huge.alignment(kMiB), kHugePageBytes);
}

TEST(OsPages, refuse_what_no_address_space_holds) {
  for (const OsPages::Size size : {OsPages::Size::k4K, OsPages::Size::kHuge}) {
    OsPages pages(size);
    for (const std::size_t bytes :
         {SIZE_MAX, SIZE_MAX - 4095, SIZE_MAX - 2 * kMiB, SIZE_MAX / 2 + 1, SIZE_MAX / 2, SIZE_MAX / 2 - 2 * kMiB})
      EXPECT_EQ(pages.allocate(bytes), nullptr) << bytes;
    EXPECT_EQ(mapped(pages), 0);
  }
}

TEST(OsPages, are_huge_where_the_kernel_gives_huge_pages) {
  if (!huge_pages_on_request()) GTEST_SKIP() << "needs a kernel with huge pages";
  OsPages pages(OsPages::Size::kHuge);
  const std::size_t before = huge_page_bytes();
  constexpr std::size_t kBytes = 8 * kMiB;
  void* const block = pages.allocate(kBytes);
  std::memset(block, 1, kBytes);
  // The kernel may have no free huge page left, so this is all that it promises.
  EXPECT_LE(huge_page_bytes(), before + kBytes);
  EXPECT_EQ(huge_page_bytes() % kHugePageBytes, 0u);
  pages.free(block, kBytes);
  EXPECT_EQ(huge_page_bytes(), before);
}

TEST(OsPages, know_from_the_kernels_file_whether_it_gives_huge_pages) {
  EXPECT_TRUE(huge_pages_on_request("always [madvise] never\n"));
  EXPECT_TRUE(huge_pages_on_request("[always] madvise never\n"));
  EXPECT_FALSE(huge_pages_on_request("always madvise [never]\n"));
  EXPECT_FALSE(huge_pages_on_request(""));
}

TEST(PageWorkloads, have_the_same_answer_for_any_page_size_and_in_every_repetition) {
  class SmallHeap : public OsPages {
   public:
    explicit SmallHeap(const Demand&) : OsPages(Size::k4K) {}
  };
  std::vector<bench::Workload> small, huge;
  add_page_workloads(subject_of<SmallHeap>(), true, small);
  add_page_workloads(subject_of<HugeHeap>(), true, huge);
  ASSERT_EQ(small.size(), huge.size());
  for (std::size_t i = 0; i < small.size(); ++i) {
    const double point = small[i].axis ? small[i].axis->points.front().at : 0;
    const auto answer = [&](const bench::Workload& workload, std::uint64_t seed) {
      const auto task = workload.prepare({.seed = seed, .point = point});
      bench::PhaseClock clock(workload.phases.size());
      const std::uint64_t first = task->repeat(clock), again = task->repeat(clock);
      EXPECT_EQ(first, again) << workload.name;
      EXPECT_GE(task->counters().at("internal_fragmentation"), 1) << workload.name;
      return first;
    };
    EXPECT_EQ(answer(small[i], 1), answer(huge[i], 1)) << small[i].name;
    EXPECT_NE(answer(small[i], 1), answer(small[i], 2)) << small[i].name;
  }
}

}  // namespace
}  // namespace lab::allocator
