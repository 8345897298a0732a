// What pages of layers report as their memory is what they asked for, counted by this executable's own operator new. A
// sanitizer has its own, and there this test is left out.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include "variants/designs/layers/paged_layers.h"

namespace {

std::atomic<std::size_t> asked_for = 0;

/// The size stands in front of each block. The address of a block is a multiple of `alignment`, its head as long.
void* allocate(std::size_t bytes, std::size_t alignment) {
  alignment = std::max(alignment, alignof(std::max_align_t));
  void* const memory = std::aligned_alloc(alignment, (bytes + 2 * alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  *static_cast<std::size_t*>(memory) = bytes;
  asked_for += bytes;
  return static_cast<std::byte*>(memory) + alignment;
}
void release(void* block, std::size_t alignment) {
  if (block == nullptr) return;
  alignment = std::max(alignment, alignof(std::max_align_t));
  void* const memory = static_cast<std::byte*>(block) - alignment;
  asked_for -= *static_cast<std::size_t*>(memory);
  std::free(memory);
}

}  // namespace

// Not inlined: the compiler would see that malloc's block is given to operator delete.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return allocate(bytes, 1);
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
  release(block, 1);
}
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept {
  release(block, 1);
}
[[gnu::noinline]] void operator delete(void* block, std::align_val_t alignment) noexcept {
  release(block, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* block, std::size_t, std::align_val_t alignment) noexcept {
  release(block, static_cast<std::size_t>(alignment));
}

namespace lab::designs {
namespace {

TEST(PagedLayers, report_as_their_bytes_all_that_they_asked_for) {
  for (const std::uint32_t slots : {64u, 256u, 1024u})
    for (const bool recycles : {false, true}) {
      const std::size_t before = asked_for;
      const auto pages =
          std::make_unique<PagedLayers>(PagedLayers::Settings{slots, recycles}, std::array<std::size_t, 3>{4, 64, 12});
      const auto check = [&](const char* step) { EXPECT_EQ(pages->bytes(), asked_for - before) << step; };
      const auto kill_two_of_three = [&] {
        pages->for_each_page([&](PagedLayers::Page& page) {
          for (std::size_t word = 0; word < pages->words_of(page); ++word)
            pages->kill_bits(page, word, 0xdb6db6db6db6db6du);
        });
      };
      const auto compact = [&](CompactionOrder order) {
        pages->compact(order, [&](const PagedLayers::NewIndices&) {
          // The index layer is reported apart.
          EXPECT_EQ(pages->counts().index_layer_bytes, pages->slots() * sizeof(PagedLayers::Index));
          check("a compaction's owner");
        });
      };
      check("made");
      for (int round = 0; round < 3; ++round) {
        pages->append(20 * slots + 7, [](const PagedLayers::Page&, std::uint32_t, std::uint32_t) {});
        check("appended");
        const PagedLayers::Layer first = pages->add_layer(88).value(), second = pages->add_layer(12).value();
        check("added layers");
        kill_two_of_three();
        compact(round % 2 == 0 ? CompactionOrder::kStable : CompactionOrder::kFromEnd);
        check("compacted");
        pages->append(30 * slots, [](const PagedLayers::Page&, std::uint32_t, std::uint32_t) {});
        check("appended to spare pages");
        pages->remove_layer(second);
        check("removed a layer");
        pages->for_each_page([&](PagedLayers::Page& page) { pages->kill_page(page); });
        pages->free_dead_pages();
        check("freed dead pages");
        pages->remove_layer(first);
        if (round == 1) pages->free_spare_pages();
        check("freed spare pages");
      }
    }
}

}  // namespace
}  // namespace lab::designs
#endif
