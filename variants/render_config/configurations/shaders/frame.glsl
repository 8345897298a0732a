// What every shader can read. As in engine/frame_data.h.
//
// A shader with constants of its own defines them before it includes this file; the pass then sets them by their names:
//   #define PASS_CONSTANTS float bias; vec3 tint;
//   #include "frame.glsl"
// and reads pass.bias. They are floats and vectors of floats.
struct View {
  mat4 view_projection;
  vec4 eye;    // w: the near distance
  vec4 range;  // x, y: distances from the camera, along its direction, that it covers; z: edge of a texel, metres
};

struct Object {
  vec4 rows[3];  // of a transformation that scales, then turns, then moves
  vec4 colour;   // a: opacity
};

layout(std140, set = 0, binding = 0) uniform Frame {
  mat4 inverse_view_projection;   // of the camera
  mat4 previous_view_projection;  // of the camera, in the last frame
  vec4 sun_direction;             // to the sun
  vec4 sun_colour;
  vec4 sky_colour;
  vec4 output_size;  // width, height, and 1 by each
  vec4 time;         // seconds; number of the frame
  View views[8];     // the camera is the first
}
frame;

layout(std430, set = 0, binding = 1) readonly buffer Objects { Object objects[]; };

#ifndef PASS_CONSTANTS
#define PASS_CONSTANTS
#endif
layout(push_constant) uniform Pass {
  uint view;  // the pass's, an index of frame.views
  PASS_CONSTANTS
}
pass;

const uint kCamera = 0u;

// In Vulkan's clip space.
vec4 seen_from(uint view, vec3 position) { return frame.views[view].view_projection * vec4(position, 1.0); }

// Along the camera's direction, metres.
float distance_from_camera(vec3 position) { return seen_from(kCamera, position).w; }

// Of a place in the image, both coordinates from 0 to 1, and the depth that the camera sees there.
vec3 world_position(vec2 uv, float depth) {
  const vec4 position = frame.inverse_view_projection * vec4(uv * 2.0 - 1.0, depth, 1.0);
  return position.xyz / position.w;
}
