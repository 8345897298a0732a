/// What the harness and the executable of a variant agree on if a malloc replacement is preloaded under it.
#pragma once

#include <array>

namespace lab::bench {

/// Environment variable: the name of the variant that the executable is with the library that LD_PRELOAD names. Not
/// set: nothing may be preloaded.
inline constexpr const char* kPreloadedAs = "LAB_PRELOADED_AS";

/// What a malloc replacement must define: free() gets the blocks of all the others.
inline constexpr std::array kMallocFunctions{"malloc", "free", "calloc", "realloc", "aligned_alloc"};

}  // namespace lab::bench
