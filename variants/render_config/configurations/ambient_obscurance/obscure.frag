#version 450
// Takes from what is lit the light of the sky that does not arrive: what it adds is negative.
#extension GL_GOOGLE_include_directive : require
#include "../shaders/frame.glsl"
#include "../shaders/lighting.glsl"
#include "../shaders/surface.glsl"
layout(set = 1, binding = 3) uniform sampler2D accumulated;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 added;

const float kSameDepth = 0.05;  // of a depth: as far from it, a pixel is of another surface

// The mean of the 4 x 4 pixels that one pattern of dithered samples covers, as far as they are of one surface.
float smooth_obscurance() {
  const ivec2 pixel = ivec2(gl_FragCoord.xy), last = textureSize(accumulated, 0) - 1;
  const vec2 own = texelFetch(accumulated, pixel, 0).rb;
  float sum = 0.0, weights = 0.0;
  for (int i = 0; i < 16; ++i) {
    const vec2 other = texelFetch(accumulated, clamp(pixel + ivec2(i & 3, i >> 2) - 2, ivec2(0), last), 0).rb;
    const float weight = max(0.0, 1.0 - abs(other.y - own.y) / (kSameDepth * own.y));
    sum += weight * other.x;
    weights += weight;
  }
  return sum / weights;
}

void main() {
  added = vec4(0.0);
  Surface surface;
  if (find_surface(uv, surface))
    added.rgb = lit_surface(surface.colour, surface.normal, 0.0) * (smooth_obscurance() - 1.0);
}
