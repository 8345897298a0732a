#version 450
// From light to what a screen shows. The sky is where `lit` is transparent.
#extension GL_GOOGLE_include_directive : require
#define PASS_CONSTANTS float exposure;
#include "frame.glsl"
#include "lighting.glsl"
layout(set = 1, binding = 0) uniform sampler2D lit;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 shown;

void main() {
  const vec4 seen = textureLod(lit, uv, 0.0);
  vec3 light = seen.rgb;
  if (seen.a < 1.0) {
    const vec3 direction = normalize(world_position(uv, 1.0) - frame.views[kCamera].eye.xyz);
    light += (1.0 - seen.a) * sky(direction);
  }
  light *= pass.exposure;
  shown = vec4(pow(light / (1.0 + light), vec3(1.0 / 2.2)), 1.0);
}
