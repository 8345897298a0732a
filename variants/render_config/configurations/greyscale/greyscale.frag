#version 450
#extension GL_GOOGLE_include_directive : require
#define PASS_CONSTANTS float amount;  // of grey: 0 to 1
#include "../shaders/frame.glsl"
layout(set = 1, binding = 0) uniform sampler2D image;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 shown;

void main() {
  const vec4 colour = textureLod(image, uv, 0.0);
  const float grey = dot(colour.rgb, vec3(0.2126, 0.7152, 0.0722));  // how bright each primary of a screen looks
  shown = vec4(mix(colour.rgb, vec3(grey), pass.amount), colour.a);
}
