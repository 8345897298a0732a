#version 450
#extension GL_GOOGLE_include_directive : require
#include "draw.glsl"
layout(location = 0) flat in uint order;
layout(location = 1) flat in vec4 colour;
layout(location = 2) in vec3 point;
layout(location = 0) out vec4 seen;  // alpha: how much of the sun's light the surface catches
layout(location = 1) out uint seen_order;

void main() {
  vec3 normal = normalize(cross(dFdx(point), dFdy(point)));
  normal *= sign(normal.z);
  seen = vec4(colour.rgb, max(dot(normal, normalize(vec3(-kSun, 1.0))), 0.0));
  seen_order = order;
}
