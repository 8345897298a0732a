#include "variants/object_visibility/family/registration.h"
#include "variants/object_visibility/family/vulkan_counter.h"
#include "variants/vulkan/measured_device.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace object_visibility;
  return make_variant(
      LAB_VARIANT,
      {.idea = "A compute shader: each group counts in shared memory, then adds its counters to all.",
       .cost = "An atomic addition for each run in what an invocation reads; a submission and its fence.",
       .source = "the usual histogram of a GPU",
       .weakness = "Reading an image back to the host would cost more; atomic additions to few objects "
                   "wait for each other. On lavapipe, a CPU does it."},
      [](const Setup& setup) { return make_measured_vulkan_counter(setup.device); },
      {.unsupported = vulkan::no_measured_device, .on_device = true});
}
