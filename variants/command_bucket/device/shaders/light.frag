#version 450
layout(binding = 3) uniform sampler2D colours;
layout(location = 0) flat in uint order;
layout(location = 1) flat in vec3 light;
layout(location = 2) in vec2 from_middle;
layout(location = 0) out vec4 added;
layout(location = 1) out uint seen_order;

void main() {
  const float near = max(1.0 - dot(from_middle, from_middle), 0.0);
  const vec3 surface = texelFetch(colours, ivec2(gl_FragCoord.xy), 0).rgb;
  added = vec4(light * near * near * (surface + 0.25), 0.0);
  seen_order = order;
}
