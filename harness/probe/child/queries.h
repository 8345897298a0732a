/// The queries to one device of a driver, from vkCreateInstance to the last answer.
#pragma once

#include <string>

#include "harness/probe/answers.h"
#include "harness/probe/child/protocol.h"
#include "harness/probe/query_list.h"

namespace lab::probe {

struct QueryRequest {
  std::string loader;        ///< path or name of libvulkan.so.1
  std::string library;       ///< the driver's library, opened first: the loader skips one that it cannot open
  std::uint32_t device = 0;  ///< index of the physical device; each is queried in a process of its own
  bool validate = false;     ///< use the validation layers, and report their messages as events
};

/// Runs all queries and reports every result, errors included. Returns how many queries got two different answers.
std::uint64_t run_queries(const QueryRequest& request, const QueryList& queries, const AnswerTable& answers,
                          const EventWriter& events);

}  // namespace lab::probe
