#include "variants/ambient_obscurance/device/device_variant.h"

using namespace lab;
using namespace lab::ambient_obscurance;

const bench::Variant& bench::this_variant() {
  return make_device_variant(LAB_VARIANT, {.idea = "compute shaders, an invocation a pixel",
                                           .cost = "one submission a frame, with a barrier after each of its steps",
                                           .source = "the steps of scalar in GLSL",
                                           .weakness = "reads buffers and no images, so that no texture cache helps"});
}
