#version 450
// Lights the G-buffer, with shadows of four cascades in the tiles of one image. The distance from the camera chooses the
// cascade; the four nearest texels are compared. The pass's view is the first cascade.
#extension GL_GOOGLE_include_directive : require
#define PASS_CONSTANTS float offset;  // of in_cascade()
#include "frame.glsl"
#include "lighting.glsl"
#include "surface.glsl"
layout(set = 1, binding = 3) uniform sampler2D shadow;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 lit;

const uint kCascades = 4u;
const uint kTiles = 2u;  // along each edge of the image

float sunlight(Surface surface) {
  const float away = distance_from_camera(surface.position);
  uint cascade = 0u;
  for (uint i = 0u; i < kCascades; ++i) cascade += away > frame.views[pass.view + i].range.y ? 1u : 0u;
  if (cascade == kCascades) return 1.0;

  const vec3 at = in_cascade(pass.view + cascade, surface, pass.offset);
  const vec2 size = vec2(textureSize(shadow, 0)), texel = float(kTiles) / size;
  const vec2 in_tile = clamp(at.xy * 0.5 + 0.5, texel, 1.0 - texel);  // so that no neighbour is of another tile
  const vec2 tile = vec2(cascade % kTiles, cascade / kTiles);
  const vec2 texels = (tile + in_tile) / float(kTiles) * size - 0.5;
  const vec2 part = fract(texels);
  const vec4 reached = step(at.z, textureGather(shadow, (floor(texels) + 1.0) / size));
  return mix(mix(reached.w, reached.z, part.x), mix(reached.x, reached.y, part.x), part.y);
}

void main() {
  lit = vec4(0.0);
  Surface surface;
  if (find_surface(uv, surface)) lit = vec4(lit_surface(surface.colour, surface.normal, sunlight(surface)), 1.0);
}
