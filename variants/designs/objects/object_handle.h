/// What a user keeps of an object instead of its address: the number of a slot and which of its uses is meant.
#pragma once

#include <cstdint>

namespace lab::designs {

struct ObjectHandle {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;  ///< of a live object it is odd; 0: no object
  bool operator==(const ObjectHandle&) const = default;
};

}  // namespace lab::designs
