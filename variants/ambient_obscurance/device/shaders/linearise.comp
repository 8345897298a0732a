#version 450
#extension GL_GOOGLE_include_directive : require
#include "steps.glsl"

layout(constant_id = 1) const bool counts = true;  // samples that touch a mover

void main() {
  const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(at, size))) return;
  const int pixel = at.y * size.x + at.x;
  const vec4 read = inputs[frame_inputs + pixel];
  const float away = read.x > 0 ? min(near / read.x, nothing) : nothing;
  z[z_first(now) + pixel] = counts && read.w != 0 ? -away : away;
}
