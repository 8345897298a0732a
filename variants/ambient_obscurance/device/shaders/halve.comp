#version 450
#extension GL_GOOGLE_include_directive : require
#include "steps.glsl"

layout(constant_id = 1) const bool counts = true;  // samples that touch a mover

void main() {
  const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(at, chain[level].yz))) return;
  const int above = chain[level - 1].y;
  const int upper = z_first(now) + chain[level - 1].x + 2 * at.y * above + 2 * at.x;
  const vec4 four = vec4(z[upper], z[upper + 1], z[upper + above], z[upper + above + 1]);
  const float away = abs(four[(at.x & 1) * 2 + (at.y & 1)]);
  const bool moves = counts && forwards_movers != 0 && any(lessThan(four, vec4(0)));
  z[z_first(now) + chain[level].x + at.y * chain[level].y + at.x] = moves ? -away : away;
}
