#version 450
// Mixes what this frame's samples found with what the last frame had where this surface was. How much of it is taken,
// the similarity, has three terms: the surface was hidden, it moves, its samples have met what moves.
#extension GL_GOOGLE_include_directive : require
#define PASS_CONSTANTS float low_velocity_similarity; float high_velocity_similarity; float velocity_scale; \
  float depth_least_similarity; float moving_scale; float moving_least_similarity;
#include "../shaders/frame.glsl"
layout(set = 1, binding = 0) uniform sampler2D obscurance;
layout(set = 1, binding = 1) uniform sampler2D depth;
layout(set = 1, binding = 2) uniform sampler2D motion;
layout(set = 1, binding = 3) uniform sampler2D history;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 accumulated;  // light that is left, danger, depth, similarity

float saturate(float value) { return clamp(value, 0.0, 1.0); }

void main() {
  const vec2 now = textureLod(obscurance, uv, 0.0).rg;
  const float away = abs(textureLod(depth, uv, 0.0).r);
  const vec2 moved = textureLod(motion, uv, 0.0).xy, before = uv - moved;
  const vec4 last = textureLod(history, before, 0.0);
  // All is 0 before the first frame; and what is no number must not last.
  const bool known = last.r >= 0.0 && last.b > 0.0 && before == clamp(before, 0.0, 1.0);

  // What was nearer than the surface hid it. Nothing farther could be seen where it was.
  const float farther = last.b / away;
  const float seen = saturate(farther * farther * farther * farther + pass.depth_least_similarity);
  const float velocity = saturate(length(moved * frame.output_size.xy) * pass.velocity_scale);
  const float similarity = mix(pass.low_velocity_similarity, pass.high_velocity_similarity, velocity) * seen;
  // Danger grows at once and fades slowly, because what it has left in the history does so too.
  float danger = saturate(now.y * pass.moving_scale) * (pass.low_velocity_similarity - pass.moving_least_similarity);
  if (known) danger = max(danger, mix(danger, last.g, 0.9));

  const float taken = known ? saturate(similarity - danger) : 0.0;
  accumulated = vec4(mix(now.x, last.r, taken), danger, away, taken);
}
