#include "variants/ambient_obscurance/family/cpu_variant.h"

using namespace lab;
using namespace lab::ambient_obscurance;

const bench::Variant& bench::this_variant() {
  return make_cpu_variant(LAB_VARIANT,
                          {.idea = "eight pixels at once; depths are gathered",
                           .cost = "the same reads, one thread",
                           .source = "the steps of scalar over eight lanes",
                           .weakness = "needs AVX2; gathers read one lane after the other"},
                          {.steps = avx2_steps()});
}
