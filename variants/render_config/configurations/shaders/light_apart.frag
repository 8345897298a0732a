#version 450
// Lights the G-buffer, with shadows of three cascades in images of their own. A surface is in the first cascade that
// contains it, and at its edge partly in the next; nine texels are compared. The pass's view is the first cascade.
#extension GL_GOOGLE_include_directive : require
#define PASS_CONSTANTS float offset; float blend;
// offset: along the surface's normal against shadows of its own, texels. blend: the part of a cascade that is its edge
#include "frame.glsl"
#include "lighting.glsl"
#include "surface.glsl"
layout(set = 1, binding = 3) uniform sampler2D shadow_0;
layout(set = 1, binding = 4) uniform sampler2D shadow_1;
layout(set = 1, binding = 5) uniform sampler2D shadow_2;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 lit;

// x: how much of the sun's light arrives. y: how much the cascade can say about it, 0 outside to 1 within its edge.
vec2 in_cascade(sampler2D shadow, uint cascade, Surface surface) {
  const uint view = pass.view + cascade;
  const vec3 position = surface.position + surface.normal * (pass.offset * frame.views[view].range.z);
  const vec3 at = seen_from(view, position).xyz;
  const float within = clamp((1.0 - max(abs(at.x), abs(at.y))) / pass.blend, 0.0, 1.0);
  if (within == 0.0 || at.z < 0.0 || at.z > 1.0) return vec2(1.0, 0.0);
  const vec2 texel = 1.0 / vec2(textureSize(shadow, 0)), middle = at.xy * 0.5 + 0.5;
  float reached = 0.0;
  for (int y = -1; y <= 1; ++y)
    for (int x = -1; x <= 1; ++x) reached += step(at.z, textureLod(shadow, middle + vec2(x, y) * texel, 0.0).r);
  return vec2(reached / 9.0, within);
}

float sunlight(Surface surface) {
  // Each cascade says what the ones before it left open.
  vec2 said = in_cascade(shadow_0, 0u, surface);
  float light = said.x * said.y, open = 1.0 - said.y;
  if (open > 0.0) {
    said = in_cascade(shadow_1, 1u, surface);
    light += open * said.x * said.y;
    open *= 1.0 - said.y;
  }
  if (open > 0.0) {
    said = in_cascade(shadow_2, 2u, surface);
    light += open * said.x * said.y;
    open *= 1.0 - said.y;
  }
  return light + open;
}

void main() {
  lit = vec4(0.0);
  Surface surface;
  if (find_surface(uv, surface)) lit = vec4(lit_surface(surface.colour, surface.normal, sunlight(surface)), 1.0);
}
