/// Makes a Variant that renders on a Vulkan device.
#pragma once

#include "harness/bench/task.h"

namespace lab::ambient_obscurance {

bench::Variant& make_device_variant(const char* name, const bench::Card& card);

}  // namespace lab::ambient_obscurance
