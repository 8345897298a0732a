#include "variants/ambient_obscurance/family/cpu_variant.h"

using namespace lab;
using namespace lab::ambient_obscurance;

const bench::Variant& bench::this_variant() {
  return make_cpu_variant(LAB_VARIANT,
                          {.idea = "bands of eight rows on all cores, eight pixels at once",
                           .cost = "the same reads, all threads",
                           .source = "the steps of simd in bands",
                           .weakness = "needs AVX2; waits for all bands after each step"},
                          {.steps = avx2_steps(), .threads = true});
}
