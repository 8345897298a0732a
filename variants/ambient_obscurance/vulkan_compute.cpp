#include "variants/ambient_obscurance/device/device_renderer.h"

using namespace lab;
using namespace lab::ambient_obscurance;

bench::Variant bench::this_variant() {
  return make_variant({.name = LAB_VARIANT,
                       .idea = "compute shaders, an invocation a pixel",
                       .cost = "one submission a frame, with a barrier after each of its steps",
                       .source = "the steps of scalar in GLSL",
                       .weakness = "reads buffers and no images, so that no texture cache helps"},
                      device_maker());
}
