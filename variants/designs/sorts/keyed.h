/// An entry of 16 bytes that is sorted by its key.
#pragma once

#include <cstdint>

namespace lab::designs {

/// A key and what it carries: a pointer, an index, an offset.
struct Keyed {
  std::uint64_t key;
  std::uint64_t value;

  bool operator==(const Keyed&) const = default;
};

}  // namespace lab::designs
