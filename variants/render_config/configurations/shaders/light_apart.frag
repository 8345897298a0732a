#version 450
// Lights the G-buffer, with shadows of three cascades in images of their own. A surface is in the first cascade that
// contains it, and at its edge partly in the next; a square of three by three texels is compared. The pass's view is the first cascade.
#extension GL_GOOGLE_include_directive : require
#define PASS_CONSTANTS float offset; float blend;
// offset: of in_cascade(). blend: the part of a cascade that is its edge
#include "frame.glsl"
#include "lighting.glsl"
#include "surface.glsl"
layout(set = 1, binding = 3) uniform sampler2D shadow_0;
layout(set = 1, binding = 4) uniform sampler2D shadow_1;
layout(set = 1, binding = 5) uniform sampler2D shadow_2;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 lit;

// x: how much of the sun's light arrives. y: how much the cascade can say about it, 0 outside to 1 within its edge.
vec2 said_by(sampler2D shadow, uint cascade, Surface surface) {
  const vec3 at = in_cascade(pass.view + cascade, surface, pass.offset);
  const float within = clamp((1.0 - max(abs(at.x), abs(at.y))) / pass.blend, 0.0, 1.0);
  if (within == 0.0 || at.z < 0.0 || at.z > 1.0) return vec2(1.0, 0.0);

  // The square covers four by four texels, those at its edges in part. A gather has two by two.
  const vec2 size = vec2(textureSize(shadow, 0)), texels = (at.xy * 0.5 + 0.5) * size - 0.5;
  const vec2 corner = floor(texels), after = texels - corner, before = 1.0 - after;
  const vec4 low_left = step(at.z, textureGather(shadow, corner / size));
  const vec4 low_right = step(at.z, textureGather(shadow, (corner + vec2(2.0, 0.0)) / size));
  const vec4 high_left = step(at.z, textureGather(shadow, (corner + vec2(0.0, 2.0)) / size));
  const vec4 high_right = step(at.z, textureGather(shadow, (corner + 2.0) / size));
  // In a gather's order, x and y are the second row, w and z the first.
  const vec4 left = vec4(before.x, 1.0, 1.0, before.x), right = vec4(1.0, after.x, after.x, 1.0);
  const vec4 low = vec4(1.0, 1.0, before.y, before.y), high = vec4(after.y, after.y, 1.0, 1.0);
  const float reached = dot(low_left, left * low) + dot(low_right, right * low) + dot(high_left, left * high) +
                        dot(high_right, right * high);
  return vec2(reached / 9.0, within);
}

float sunlight(Surface surface) {
  // Each cascade says what the ones before it left open.
  vec2 said = said_by(shadow_0, 0u, surface);
  float light = said.x * said.y, open = 1.0 - said.y;
  if (open > 0.0) {
    said = said_by(shadow_1, 1u, surface);
    light += open * said.x * said.y;
    open *= 1.0 - said.y;
  }
  if (open > 0.0) {
    said = said_by(shadow_2, 2u, surface);
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
