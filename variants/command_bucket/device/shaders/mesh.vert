#version 450
#extension GL_GOOGLE_include_directive : require
#include "draw.glsl"
layout(binding = 0) readonly buffer Meshes { Instance meshes[]; };
layout(location = 0) in vec3 position;
layout(location = 0) flat out uint order;
layout(location = 1) flat out vec4 colour;
layout(location = 2) out vec3 point;

void main() {
  const Instance mesh = meshes[(constants ^ command) & mask];
  point = vec3(mesh.place + position.xy * mesh.size, position.z * mesh.height);
  gl_Position = on_screen(point.xy + kShear * point.z * kSun, point.z);
  order = order_of(uint(gl_InstanceIndex), constants);
  colour = mesh.colour;
}
