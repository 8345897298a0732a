/// Asks one device for the memory requirements of every image and buffer of a list. Each query is asked twice, the
/// second time in the reverse order, and each time in both ways that Vulkan has: of a created object, and of its
/// description alone (maintenance4). All answers to a query must be the same.
#pragma once

#include <cstdint>

#include "harness/probe/answers.h"
#include "harness/probe/child/device_properties.h"
#include "harness/probe/child/protocol.h"
#include "harness/probe/query_list.h"
#include "harness/vulkan/functions.h"

namespace lab::probe {

/// Returns the number of queries with different answers.
std::uint64_t query_device(const vulkan::InstanceFunctions& vulkan, VkPhysicalDevice physical,
                           const PhysicalDevice& device, const QueryList& queries, const AnswerTable& answers,
                           const EventWriter& events);

}  // namespace lab::probe
