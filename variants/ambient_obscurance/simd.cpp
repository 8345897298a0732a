#include "variants/ambient_obscurance/family/cpu_renderer.h"

using namespace lab;
using namespace lab::ambient_obscurance;

bench::Variant bench::this_variant() {
  return make_variant({.name = LAB_VARIANT,
                       .idea = "eight pixels at once; depths are gathered",
                       .cost = "the same reads, one thread",
                       .source = "the steps of scalar over eight lanes",
                       .weakness = "needs AVX2; gathers read one lane after the other"},
                      cpu_maker(avx2_steps(), false));
}
