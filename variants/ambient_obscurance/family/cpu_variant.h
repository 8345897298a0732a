/// Makes a Variant that renders on the CPU.
#pragma once

#include "harness/bench/task.h"
#include "variants/ambient_obscurance/family/steps.h"

namespace lab::ambient_obscurance {

/// What such a variant is beside its card.
struct CpuTraits {
  const Steps* steps;     ///< null: the CPU lacks their instructions
  bool threads = false;   ///< bands of rows by all threads of the case, or all rows by one
  bool exhibits = false;  ///< as in Maker
};

bench::Variant& make_cpu_variant(const char* name, const bench::Card& card, const CpuTraits& traits);

}  // namespace lab::ambient_obscurance
