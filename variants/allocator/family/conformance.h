/// The checks of --conformance for an allocator. Checks of a capability run only if the allocator has it.
#pragma once

#include <string>
#include <vector>

#include "harness/bench/variant.h"
#include "variants/allocator/family/subject.h"

namespace lab::allocator {

/// Each check constructs its own allocators.
std::vector<bench::ConformanceCheck> checks_of(const Subject& subject);

// Each of the following returns what is wrong, or "".

// By the size of a request.
/// Alignment at the edge sizes, at every size, and after random frees.
std::string check_alignment(const Subject& subject);
/// Allocates blocks of each size, frees some, and allocates larger and smaller ones: a block that was put into the
/// free list of a wrong size would overlap its neighbour.
std::string check_block_sizes(const Subject& subject);
std::string check_every_size(const Subject& subject);
std::string check_empty_requests(const Subject& subject);
std::string check_too_large_requests(const Subject& subject);

// Of a fixed capacity, in a buffer of the allocator's own and in some that it is given.
std::string check_largest_request(const Subject& subject);
std::string check_capacity(const Subject& subject);
/// One allocator is filled over and over, with blocks of one size and of all sizes, and emptied in various orders.
/// Each time it is empty, it has its first capacity.
std::string check_first_state(const Subject& subject);

// Of what becomes of freed memory.
std::string check_free_null(const Subject& subject);
/// Repeats in one instance: as many random requests as the demand allows, then frees in random order.
std::string check_freed_is_used_again(const Subject& subject);
/// Rounds that end in a reset with live blocks, and with freed ones if the allocator frees single blocks. After the
/// reset all memory is available, and no two blocks overlap.
std::string check_reset_frees_everything(const Subject& subject);

}  // namespace lab::allocator
