#version 450
// One channel of `accumulated`, as a grey that a screen shows as bright as it is.
#extension GL_GOOGLE_include_directive : require
#define PASS_CONSTANTS vec4 term;
#include "../shaders/frame.glsl"
layout(set = 1, binding = 0) uniform sampler2D accumulated;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 shown;

void main() { shown = vec4(vec3(pow(dot(textureLod(accumulated, uv, 0.0), pass.term), 1.0 / 2.2)), 1.0); }
