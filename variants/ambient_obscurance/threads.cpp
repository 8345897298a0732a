#include "variants/ambient_obscurance/family/cpu_variant.h"

using namespace lab;
using namespace lab::ambient_obscurance;

const bench::Variant& bench::this_variant() {
  return make_cpu_variant(LAB_VARIANT,
                          {.idea = "bands of eight rows on all cores",
                           .cost = "the same reads, all threads",
                           .source = "the steps of scalar in bands",
                           .weakness = "waits for all bands after each step"},
                          {.steps = &scalar_steps(), .threads = true});
}
