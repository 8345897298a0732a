#version 450
// A mesh that knows where it was in the last frame.
#extension GL_GOOGLE_include_directive : require
#include "../shaders/frame.glsl"
#include "../shaders/objects.glsl"
layout(location = 0) out vec3 previous_position;
layout(location = 1) out vec3 normal;
layout(location = 2) flat out vec4 colour;
layout(location = 3) flat out float moves;  // 1: yes

void main() {
  const Object object = objects[gl_InstanceIndex];
  previous_position = previous_object_position();
  normal = object_normal();
  colour = object.colour;
  moves = object.rows == object.previous_rows ? 0.0 : 1.0;
  gl_Position = seen_from(pass.view, object_position());
}
