#include "variants/allocator/family/os_pages.h"

#include <malloc.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/bench/variant.h"

namespace lab::allocator {

namespace {

std::size_t whole(std::size_t bytes, std::size_t page) {
  return (bytes + page - 1) & ~(page - 1);
}

void* map(std::size_t bytes) {
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? nullptr : pages;
}

/// Maps a page more than asked for, and gives back what lies before and behind the aligned part.
void* map_huge(std::size_t bytes) {
  auto* const mapped = static_cast<std::byte*>(map(bytes + kHugePageBytes));
  if (mapped == nullptr) return nullptr;
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(mapped) % kHugePageBytes;
  if (before > 0) munmap(mapped, before);
  munmap(mapped + before + bytes, kHugePageBytes - before);
  madvise(mapped + before, bytes, MADV_HUGEPAGE);
  return mapped + before;
}

}  // namespace

bool huge_pages_on_request(std::string_view enabled) {
  return enabled.find("[always]") != std::string_view::npos || enabled.find("[madvise]") != std::string_view::npos;
}

bool huge_pages_on_request() {
  const Expected<std::string> enabled = read_file("/sys/kernel/mm/transparent_hugepage/enabled");
  return enabled && huge_pages_on_request(*enabled);
}

bench::Variant& with_huge_pages_trait(bench::Variant& variant) {
  variant.traits["huge pages"] =
      huge_pages_on_request() ? "on request" : "none: this kernel gives no huge pages, so these are pages of 4 KiB";
  return variant;
}

std::size_t huge_page_bytes() {
  const Expected<std::string> sums = read_file("/proc/self/smaps_rollup");
  constexpr std::string_view kField = "AnonHugePages:";
  const std::size_t at = sums ? sums->find(kField) : std::string::npos;
  return at == std::string::npos ? 0 : std::strtoull(sums->c_str() + at + kField.size(), nullptr, 10) * 1024;
}

std::size_t OsPages::page_bytes(std::size_t bytes) const {
  if (bytes < kPageBytes) return 0;
  return largest_ == Size::kHuge && bytes >= kHugePageBytes / 2 ? kHugePageBytes : kPageBytes;
}

void* OsPages::allocate(std::size_t bytes) {
  const std::size_t page = page_bytes(bytes);
  if (page == 0) return std::malloc(bytes);
  if (bytes > PTRDIFF_MAX) return nullptr;  // rounding up, or one page more, would overflow
  const std::size_t mapped = whole(bytes, page);
  void* const block = page == kHugePageBytes ? map_huge(mapped) : map(mapped);
  if (block == nullptr) return nullptr;
  // The kernel may be set to give huge pages to everybody.
  if (page == kPageBytes && mapped >= kHugePageBytes) madvise(block, mapped, MADV_NOHUGEPAGE);
  mapped_bytes_ += mapped;
  return block;
}

void OsPages::free(void* block, std::size_t bytes) {
  const std::size_t page = page_bytes(bytes);
  if (page == 0) return std::free(block);
  if (block == nullptr) return;
  munmap(block, whole(bytes, page));
  mapped_bytes_ -= whole(bytes, page);
}

std::size_t OsPages::alignment(std::size_t bytes) const {
  const std::size_t page = page_bytes(bytes);
  return page == 0 ? alignof(std::max_align_t) : page;
}

std::size_t OsPages::occupied(void* block, std::size_t bytes) const {
  const std::size_t page = page_bytes(bytes);
  return page == 0 ? malloc_usable_size(block) + sizeof(std::size_t) : whole(bytes, page);
}

std::map<std::string, double> OsPages::counters() const {
  std::map<std::string, double> all{{"mapped_bytes", static_cast<double>(mapped_bytes_)}};
  if (largest_ == Size::kHuge) all["huge_page_bytes"] = static_cast<double>(huge_page_bytes());
  return all;
}

}  // namespace lab::allocator
