// For lighting passes: what the G-buffer says of a place in the image. Included after frame.glsl. The shader's own
// images begin at binding 3.
layout(set = 1, binding = 0) uniform sampler2D albedo;
layout(set = 1, binding = 1) uniform sampler2D normal;
layout(set = 1, binding = 2) uniform sampler2D depth;

struct Surface {
  vec3 colour;
  vec3 normal;    // of length 1
  vec3 position;  // in the world
};

// False where nothing was drawn.
bool find_surface(vec2 uv, out Surface surface) {
  const float at = textureLod(depth, uv, 0.0).r;
  if (at == 1.0) return false;
  surface.colour = textureLod(albedo, uv, 0.0).rgb;
  surface.normal = normalize(textureLod(normal, uv, 0.0).rgb * 2.0 - 1.0);
  surface.position = world_position(uv, at);
  return true;
}
