/// The queries to one driver, from vkCreateInstance to the last size of the sweeps.
#pragma once

#include <string>

#include "harness/probe/child/protocol.h"
#include "harness/probe/sweeps.h"

namespace lab::probe {

struct QueryRequest {
  std::string loader;   ///< path or name of libvulkan.so.1
  std::string library;  ///< the driver's library, opened first: the loader skips one that it cannot open
  Sweeps sweeps;
  std::uint32_t first = 0;  ///< the first physical device to query; an earlier process queried the ones before
  bool validate = false;    ///< use the validation layers, and report their messages as events
};

/// Runs all queries and reports every result, errors included.
void run_queries(const QueryRequest& request, const EventWriter& events);

}  // namespace lab::probe
