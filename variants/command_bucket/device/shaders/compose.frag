#version 450
// The light of sky and sun on what the G-buffer shows.
#extension GL_GOOGLE_include_directive : require
#include "draw.glsl"
layout(binding = 3) uniform sampler2D colours;
layout(binding = 4) uniform sampler2D depths;
layout(binding = 5) uniform sampler2D shadows;
layout(location = 0) out vec4 lit;

void main() {
  const ivec2 at = ivec2(gl_FragCoord.xy);
  const vec4 colour = texelFetch(colours, at, 0);
  const float depth = texelFetch(depths, at, 0).r;
  const float height = height_of(depth);
  const ivec2 along = clamp(ivec2(gl_FragCoord.xy + height * kSun), ivec2(0), ivec2(int(kEdge) - 1));
  const float nearest = height_of(texelFetch(shadows, along, 0).r);
  const float sun = nearest > height + 0.08 * kTop ? 0.0 : colour.a;
  lit = depth == 1.0 ? vec4(0.02, 0.03, 0.06, 1.0)
                     : vec4(colour.rgb * (vec3(0.17, 0.21, 0.33) + sun * vec3(0.72, 0.52, 0.38)), 1.0);
}
