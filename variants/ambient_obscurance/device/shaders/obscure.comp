#version 450
#extension GL_GOOGLE_include_directive : require
#include "steps.glsl"

layout(constant_id = 0) const int samples = 6;
layout(constant_id = 1) const bool counts = true;  // samples that touch a mover
const int kLevels = 6;

vec3 point(ivec2 at, float away) {
  precise const vec3 there =
      vec3((x_first + float(at.x) * step_) * away, (y_first + float(at.y) * step_) * away, away);
  return there;
}

float z_at(ivec2 at) { return abs(z[z_first(now) + at.y * size.x + at.x]); }

vec3 along_surface(vec3 middle, ivec2 at, ivec2 d) {
  const ivec2 after_at = min(at + d, size - 1), before_at = max(at - d, ivec2(0));
  precise const vec3 after = point(after_at, z_at(after_at)) - middle;
  precise const vec3 before = middle - point(before_at, z_at(before_at));
  const bool take_after = before_at == at || (after_at != at && abs(after.z) <= abs(before.z));
  return take_after ? after : before;
}

void main() {
  const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(at, size))) return;
  const int pixel = at.y * size.x + at.x;
  const vec3 middle = point(at, z_at(at));
  const vec3 across = along_surface(middle, at, ivec2(1, 0)), along_y = along_surface(middle, at, ivec2(0, 1));
  precise vec3 normal = vec3(along_y.y * across.z - along_y.z * across.y, along_y.z * across.x - along_y.x * across.z,
                             along_y.x * across.y - along_y.y * across.x);
  precise const float length_ = sqrt(normal.x * normal.x + normal.y * normal.y + normal.z * normal.z);
  precise const float inverse_ = 1.0 / max(length_, 1e-20);
  normal *= inverse_;

  const int byte_ = pattern_kind_of + pixel;
  const vec4 kind = kinds[first_kind + (int(kind_of[byte_ >> 2] >> ((byte_ & 3) * 8)) & 255)];
  precise const float share = 1.0 / float(samples);
  precise const float disc = min(inputs[frame_inputs + pixel].x * pixels_by_depth, most_radius);
  precise float sum = 0, moving = 0;
  for (int i = 0; i < samples; ++i) {
    precise const float reach = (float(i) + kind.z) * share * disc;
    const vec2 turned = spiral[i].xy;
    precise const vec2 d = vec2((turned.x * kind.x - turned.y * kind.y) * reach,
                                (turned.x * kind.y + turned.y * kind.x) * reach);
    precise const vec2 moved = d + 0.5 + 1024.0;
    const ivec2 sample_at = clamp(at + ivec2(moved) - 1024, ivec2(0), size - 1);
    // As chain[] has it, without its loads, which a device that is a program makes one by one.
    int l = 0, level_first = z_first(now);
    for (int m = 1; m < kLevels; ++m)
      if (float(pixels_at_0 << (m - 1)) <= reach) {
        level_first += (size.x >> l) * (size.y >> l);
        ++l;
      }
    const ivec2 level_size = size >> l;
    const ivec2 texel = min(sample_at >> l, level_size - 1);
    const float there = z[level_first + texel.y * level_size.x + texel.x];
    precise const vec3 to = point(sample_at, abs(there)) - middle;
    precise const float distance2 = to.x * to.x + to.y * to.y + to.z * to.z;
    precise const float above = to.x * normal.x + to.y * normal.y + to.z * normal.z;
    precise const float falloff = max(radius * radius - distance2, 0.0);
    sum += falloff * falloff * falloff * max((above - bias) / (epsilon + distance2), 0.0);
    if (counts) moving += there < 0 ? 1.0 : 0.0;
  }
  precise const float scale = 5 * intensity / (radius * radius * radius * radius * radius * radius * float(samples));
  precise const float obscured = max(1 - sum * scale, 0.0);
  precise const float touching = moving * share;
  planes[plane_first(kObscured) + pixel] = vec2(obscured, touching);
}
