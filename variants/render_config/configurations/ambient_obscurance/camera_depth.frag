#version 450
// How far the camera sees along its direction, in metres; negative where an object moves. The background does not.
#extension GL_GOOGLE_include_directive : require
#include "../shaders/frame.glsl"
layout(set = 1, binding = 0) uniform sampler2D depth;
layout(set = 1, binding = 1) uniform sampler2D motion;
layout(location = 0) in vec2 uv;
layout(location = 0) out float seen;

void main() {
  const float away = distance_from_camera(world_position(uv, textureLod(depth, uv, 0.0).r));
  seen = textureLod(motion, uv, 0.0).b > 0.5 ? -away : away;
}
