/// The questions that one driver is asked, from vkCreateInstance to the last size of the sweeps.
#pragma once

#include <string>

#include "harness/probe/child/protocol.h"
#include "harness/probe/sweeps.h"

namespace lab::probe {

struct Interview {
  std::string loader;   ///< path or name of libvulkan.so.1
  std::string library;  ///< the driver's, opened first: the loader passes over one that it cannot open
  Sweeps sweeps;
  std::uint32_t first = 0;  ///< the first physical device to ask; earlier ones were asked by an earlier process
  bool validate = false;    ///< with the validation layers, their complaints as events
};

/// Asks and says every answer. What goes wrong is said too.
void interview(const Interview& what, const Speaker& speaker);

}  // namespace lab::probe
