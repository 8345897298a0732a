#version 450
#extension GL_GOOGLE_include_directive : require
#include "steps.glsl"

layout(constant_id = 2) const bool weighs = false;

vec2 between(int plane, int corner, int right, int below, vec2 part) {
  const int from = plane_first(plane) + corner;
  const vec2 a = planes[from], b = planes[from + right], c = planes[from + below], d = planes[from + right + below];
  precise const vec2 top = a + (b - a) * part.x, bottom = c + (d - c) * part.x;
  precise const vec2 all = top + (bottom - top) * part.y;
  return all;
}

void main() {
  const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(at, size))) return;
  const int pixel = at.y * size.x + at.x, last = 1 - now;
  const vec2 obscured = planes[plane_first(kObscured) + pixel];
  const float current = obscured.x;
  const vec2 motion = inputs[frame_inputs + pixel].yz;
  precise const vec2 was = vec2(at) - motion;
  const bool outside = any(lessThanEqual(was, vec2(-0.5))) || any(lessThanEqual(vec2(size) - 0.5, was));
  const vec2 inside = clamp(was, vec2(0), vec2(size - 1));
  const ivec2 corner_at = ivec2(inside);
  precise const vec2 part = inside - vec2(corner_at);
  const int right = min(1, size.x - 1 - corner_at.x), below = min(1, size.y - 1 - corner_at.y) * size.x;
  // Of the result, and of the penalty.
  const vec2 history = has_history != 0 ? between(kResult + last, corner_at.y * size.x + corner_at.x, right, below, part)
                                        : vec2(0);

  precise float depth_similarity = 1;
  if (disocclusion != 0) {
    precise const vec2 rounded = inside + 0.5;
    const ivec2 nearest = ivec2(rounded);
    precise const float ratio = abs(z[z_first(last) + nearest.y * size.x + nearest.x]) / abs(z[z_first(now) + pixel]);
    depth_similarity = clamp(ratio * ratio * (ratio * ratio) + depth_minimum, 0.0, 1.0);
  }
  precise float fast = 0;
  if (velocity != 0) fast = clamp(sqrt(motion.x * motion.x + motion.y * motion.y) * velocity_scale, 0.0, 1.0);
  precise float penalty = 0;
  if (dangerous != 0) {
    precise const float danger = clamp(obscured.y * moving_scale, 0.0, 1.0) *
                                 (low_velocity - moving_minimum);
    const float before = has_history != 0 && !outside ? history.y : danger;
    precise const float smoothed = danger + (before - danger) * smoothing;
    penalty = dangerous == 3 ? danger : dangerous == 1 ? min(smoothed, danger) : max(smoothed, danger);
  }
  precise float similarity = printed_combination != 0
                                 ? (depth_similarity * low_velocity - fast) * (low_velocity - high_velocity)
                                 : depth_similarity * (low_velocity - fast * (low_velocity - high_velocity));
  similarity = has_history == 0 || outside ? 0 : clamp(similarity - penalty, 0.0, 1.0);
  precise const float result = current + (history.x - current) * similarity;
  planes[plane_first(kResult + now) + pixel] = vec2(result, penalty);
  if (weighs) planes[plane_first(kWeight) + pixel] = vec2(similarity, 0);
}
