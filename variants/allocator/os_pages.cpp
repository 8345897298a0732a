#include "variants/allocator/family/os_pages.h"

#include "variants/allocator/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::OsPagesOf<allocator::OsPages::Size::k4K>>(
      LAB_VARIANT,
      {.idea = "Each block of 4 KiB or more is mapped by itself, as whole pages of 4 KiB. Free memory has no holes, "
               "because the page table puts any free pages together. Small blocks are the C library's.",
       .cost =
           "Allocate and free: a system call, and a page fault for each page at its first use. Memory: rounding up to "
           "4 KiB; eight bytes of page table per page.",
       .source =
           "Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015), which suggests it and gives no times",
       .weakness =
           "The kernel clears each page again after each allocation. A page of 4 KiB covers little memory with an "
           "entry of the TLB. A wrong size unmaps another block."});
}
