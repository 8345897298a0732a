#version 450
#extension GL_GOOGLE_include_directive : require
#include "steps.glsl"

void main() {
  const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(at, size))) return;
  const int pixel = at.y * size.x + at.x;
  const float depth = inputs[frame_inputs + pixel];
  const float z = depth > 0 ? min(near / depth, nothing) : nothing;
  made[z_first(now) + pixel] = byte_at(frame_moving + pixel) != 0 ? -z : z;
}
