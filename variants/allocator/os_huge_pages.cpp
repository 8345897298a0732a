#include "variants/allocator/family/os_pages.h"
#include "variants/allocator/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::with_huge_pages_trait(allocator::make_variant<
                                          allocator::OsPagesOf<allocator::OsPages::Size::kHuge>>(
      LAB_VARIANT,
      {.idea = "os_pages, but each block of 1 MiB or more is whole pages of 2 MiB, which the kernel is asked for "
               "(transparent huge pages).",
       .cost = "Allocate and free: up to four system calls, and a page fault for each 2 MiB at its first use. Memory: "
               "rounding up to 2 MiB.",
       .source =
           "Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015): the other side of its question of page "
           "size against TLB misses",
       .weakness =
           "Rounding may double a block. Without a free huge page, the kernel gives small ones and does not say "
           "so (the metric huge_page_bytes does)."}));
}
