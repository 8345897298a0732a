#version 450
// What surface.glsl reads, and how it moves.
#extension GL_GOOGLE_include_directive : require
#include "../shaders/frame.glsl"
layout(location = 0) in vec3 previous_position;
layout(location = 1) in vec3 normal;
layout(location = 2) flat in vec4 colour;
layout(location = 3) flat in float moves;
layout(location = 0) out vec4 seen_albedo;
layout(location = 1) out vec4 seen_normal;
layout(location = 2) out vec4 seen_motion;

void main() {
  seen_albedo = vec4(colour.rgb, 1.0);
  seen_normal = vec4(normalize(normal) * 0.5 + 0.5, 1.0);
  seen_motion = vec4(gl_FragCoord.xy * frame.output_size.zw - previous_uv(previous_position), moves, 0.0);
}
