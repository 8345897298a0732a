/// Large blocks as whole pages of the operating system, each mapped by itself: the page table, not a search, puts them
/// together from free memory. Small blocks are the C library's.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "harness/bench/task.h"
#include "variants/allocator/family/allocator.h"

namespace lab::allocator {

inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;  // of x86-64

/// Whether the kernel gives huge pages to memory that asks for them, from its file
/// sys/kernel/mm/transparent_hugepage/enabled, such as "always [madvise] never".
bool huge_pages_on_request(std::string_view enabled);

/// The same of this machine's kernel.
bool huge_pages_on_request();

/// Adds whether it does to the variant's traits.
bench::Variant& with_huge_pages_trait(bench::Variant& variant);

/// Bytes of this process that are in huge pages; 0 if the kernel does not say.
std::size_t huge_page_bytes();

class OsPages {
 public:
  /// With kHuge, a block of at least half a huge page has whole huge pages, where the kernel gives them on request.
  /// Every other block of at least a page has whole pages of 4 KiB, and never huge ones.
  enum class Size { k4K, kHuge };

  explicit OsPages(Size largest) : largest_(largest) {}
  ~OsPages() = default;
  OsPages(const OsPages&) = delete;
  OsPages& operator=(const OsPages&) = delete;

  void* allocate(std::size_t bytes);
  void free(void* block, std::size_t bytes);
  std::size_t alignment(std::size_t bytes) const;
  std::size_t occupied(void* block, std::size_t bytes) const;
  std::map<std::string, double> counters() const;

 private:
  /// Of the pages of a block of `bytes`; 0: it is the C library's.
  std::size_t page_bytes(std::size_t bytes) const;

  Size largest_;
  std::size_t mapped_bytes_ = 0;
};

template <OsPages::Size kLargest>
class OsPagesOf : public OsPages {
 public:
  explicit OsPagesOf(const Demand&) : OsPages(kLargest) {}
};

}  // namespace lab::allocator
