#version 450
// Scalable ambient obscurance (McGuire, Mara, Luebke, 2012): samples on a spiral around a pixel, the far ones from
// smaller images, so that their cost does not depend on the radius.
#extension GL_GOOGLE_include_directive : require
#define PASS_CONSTANTS float radius; float intensity; float bias; float samples; float turns;
// radius, bias: metres. turns: of the spiral, for all samples
#include "../shaders/frame.glsl"
layout(set = 1, binding = 0) uniform sampler2D normal;
layout(set = 1, binding = 1) uniform sampler2D depth_1;
layout(set = 1, binding = 2) uniform sampler2D depth_2;
layout(set = 1, binding = 3) uniform sampler2D depth_4;
layout(set = 1, binding = 4) uniform sampler2D depth_8;
layout(set = 1, binding = 5) uniform sampler2D depth_16;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec2 found;  // light that is left; share of samples that move

const float kTurn = 6.2831853;
const int kMostSamples = 64;
const float kLeastPixels = 2.0;  // of the radius: in fewer there is nothing to see
const int kSharpPixels = 3;      // log2 of the pixels that are read from the largest image

// Where the spiral begins, in turns: the Halton sequence of base 3 comes near every angle in few frames.
const float kHalton[8] = float[](1.0 / 3.0, 2.0 / 3.0, 1.0 / 9.0, 4.0 / 9.0, 7.0 / 9.0, 2.0 / 9.0, 5.0 / 9.0, 8.0 / 9.0);
// Bayer's 4 x 4 matrix: neighbours differ much.
const float kBayer[16] = float[](0.0, 8.0, 2.0, 10.0, 12.0, 4.0, 14.0, 6.0, 3.0, 11.0, 1.0, 9.0, 15.0, 7.0, 13.0, 5.0);

// One that is `away` along the camera's direction. `ahead`: where that is 1, from the eye.
vec3 place(vec3 ahead, float away) { return frame.views[kCamera].eye.xyz + ahead * away; }
vec3 ahead(vec2 uv) {
  return (world_position(uv, 1.0) - frame.views[kCamera].eye.xyz) / frame.views[kCamera].range.y;
}

float depth_at(ivec2 pixel, int level) {
  const ivec2 at = pixel >> level;
  if (level == 0) return texelFetch(depth_1, at, 0).r;
  if (level == 1) return texelFetch(depth_2, min(at, textureSize(depth_2, 0) - 1), 0).r;
  if (level == 2) return texelFetch(depth_4, min(at, textureSize(depth_4, 0) - 1), 0).r;
  if (level == 3) return texelFetch(depth_8, min(at, textureSize(depth_8, 0) - 1), 0).r;
  return texelFetch(depth_16, min(at, textureSize(depth_16, 0) - 1), 0).r;
}

void main() {
  found = vec2(1.0, 0.0);
  const ivec2 pixel = ivec2(gl_FragCoord.xy), last = textureSize(depth_1, 0) - 1;
  const float away = abs(texelFetch(depth_1, pixel, 0).r);
  const mat4 seen = frame.views[kCamera].view_projection;
  const float pixels_of_metre = 0.5 * frame.output_size.y * length(vec3(seen[0].y, seen[1].y, seen[2].y));  // 1 m away
  const float most = pass.radius * pixels_of_metre / away;
  if (away >= 0.99 * frame.views[kCamera].range.y || most < kLeastPixels) return;

  const vec3 position = place(ahead(uv), away);
  const vec3 outwards = normalize(texelFetch(normal, pixel, 0).rgb * 2.0 - 1.0);
  const float begin = kHalton[int(frame.time.y) & 7];
  const float dither = (kBayer[(pixel.y & 3) * 4 + (pixel.x & 3)] + 0.5) / 16.0;
  const int samples = clamp(int(pass.samples), 1, kMostSamples);
  const float squared_radius = pass.radius * pass.radius;
  float sum = 0.0, moving = 0.0;
  for (int i = 0; i < samples; ++i) {
    const float part = (float(i) + dither) / float(samples);  // of the radius
    const float angle = (part * pass.turns + begin) * kTurn, pixels = part * most;
    const int level = clamp(findMSB(int(pixels)) - kSharpPixels, 0, 4);
    const ivec2 at = clamp(pixel + ivec2(round(pixels * vec2(cos(angle), sin(angle)))), ivec2(0), last);
    const float there = depth_at(at, level);
    moving += there < 0.0 ? 1.0 : 0.0;
    const vec3 to = place(ahead((vec2(at) + 0.5) * frame.output_size.zw), abs(there)) - position;
    const float squared = dot(to, to), near = max(squared_radius - squared, 0.0);
    sum += near * near * near * max((dot(to, outwards) - pass.bias) / (squared + 0.01), 0.0);
  }
  const float all = squared_radius * squared_radius * squared_radius * float(samples);
  found = vec2(max(0.0, 1.0 - 5.0 * pass.intensity * sum / all), moving / float(samples));
}
