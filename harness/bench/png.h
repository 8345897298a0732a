/// Pictures as PNG files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lab::bench {

/// A picture: 8 bits a channel, rows from the top.
struct Picture {
  unsigned width = 0, height = 0;
  unsigned channels = 3;  ///< 1: grey; 3: red, green, blue
  std::vector<std::uint8_t> pixels;
};

/// A PNG file (ISO/IEC 15948). A picture always gives the same bytes.
std::string png_of(const Picture& picture);

}  // namespace lab::bench
