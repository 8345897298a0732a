#version 450
#extension GL_GOOGLE_include_directive : require
#include "draw.glsl"
struct LightConstants {
  vec3 tint;
  uint word;
};
layout(binding = 1) readonly buffer Lights { Instance lights[]; };
layout(binding = 2) readonly buffer Mapped { LightConstants mapped[]; };
layout(location = 0) in vec3 position;
layout(location = 0) flat out uint order;
layout(location = 1) flat out vec3 light;
layout(location = 2) out vec2 from_middle;

void main() {
  const uint index = (constants ^ command) & mask;
  const Instance instance = lights[index];
  gl_Position = on_screen(instance.place + position.xy * instance.size, 0.0);
  order = order_of(uint(gl_InstanceIndex), constants ^ mapped[index].word);
  light = instance.colour.rgb * mapped[index].tint;
  from_middle = position.xy;
}
