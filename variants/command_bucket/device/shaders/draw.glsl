// Shared by the draws of all layers. As in scene_renderer.cpp and drawable_scene.h.
struct Instance {
  vec2 place;  // of the middle of the base, pixels
  float size;  // pixels from there to the edge
  float height;
  vec4 colour;
};

layout(push_constant) uniform Push {
  uint constants;  // the draw's
  uint command;    // of the layer: makes an index of `constants`
  uint mask;       // of that index
};
layout(constant_id = 0) const float kEdge = 512.0;  // of the images, pixels
layout(constant_id = 1) const float kTop = 8.0;     // no mesh is higher, pixels
layout(constant_id = 2) const float kShear = 0.0;   // 1: along the sun's rays, 0: from above
const vec2 kSun = vec2(0.5, 0.38);                  // where a shadow goes, per pixel of height

float depth_of(float height) { return 0.95 - 0.9 * height / kTop; }
float height_of(float depth) { return (0.95 - depth) / 0.9 * kTop; }

vec4 on_screen(vec2 at, float height) { return vec4(at * 2.0 / kEdge - 1.0, depth_of(height), 1.0); }

// A bijection of the draw's place in the order and 16 bits of its constants: no two draws of a layer have one value.
// The last steps are those of MurmurHash3 (A. Appleby). Never the value with which an image is cleared.
uint order_of(uint position, uint seen) {
  uint value = (position << 16 | ((seen ^ seen >> 16) & 0xffffu)) + 1u;
  value = (value ^ value >> 16) * 0x85ebca6bu;
  value = (value ^ value >> 13) * 0xc2b2ae35u;
  return value ^ value >> 16;
}
