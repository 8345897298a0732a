#include "variants/render_config/language/config.h"

#include <algorithm>
#include <cmath>

namespace lab::render_config {

std::array<std::uint32_t, 2> Config::size_of(std::size_t resource, std::uint32_t width, std::uint32_t height) const {
  const Resource& of = resources[resource];
  if (of.pixels[0] != 0) return of.pixels;
  const auto scaled = [&](std::uint32_t edge) {
    return static_cast<std::uint32_t>(std::max(1.0, std::floor(edge * of.scale)));
  };
  return {scaled(width), scaled(height)};
}

std::vector<bool> Config::histories() const {
  std::vector<bool> histories(resources.size());
  for (const Pass& pass : frame)
    for (const Input& input : pass.inputs)
      if (input.previous) histories[input.resource] = true;
  return histories;
}

}  // namespace lab::render_config
