// For vertex shaders of meshes. A draw's first instance is its object.
layout(location = 0) in vec3 mesh_position;
layout(location = 1) in vec3 mesh_normal;

vec3 object_position() {
  const Object object = objects[gl_InstanceIndex];
  const vec4 at = vec4(mesh_position, 1.0);
  return vec3(dot(object.rows[0], at), dot(object.rows[1], at), dot(object.rows[2], at));
}

// Of length 1. A normal is divided by the scale where a position is multiplied with it.
vec3 object_normal() {
  const Object object = objects[gl_InstanceIndex];
  const vec3 x = object.rows[0].xyz, y = object.rows[1].xyz, z = object.rows[2].xyz;
  const vec3 unscaled = mesh_normal / (x * x + y * y + z * z);
  return normalize(vec3(dot(x, unscaled), dot(y, unscaled), dot(z, unscaled)));
}
