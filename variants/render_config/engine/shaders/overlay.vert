#version 450
// Rectangles of six vertices each: the box behind the text, then the strokes of its letters.
layout(std430, set = 0, binding = 0) readonly buffer Rectangles { vec4 rectangles[]; };  // left, top, right, bottom, in pixels
layout(push_constant) uniform Image { vec2 clip_per_pixel; };

layout(location = 0) out vec4 colour;

const uint corners[6] = uint[6](0, 1, 2, 2, 1, 3);

void main() {
  vec4 rectangle = rectangles[gl_VertexIndex / 6];
  uint corner = corners[gl_VertexIndex % 6];
  vec2 pixel = vec2((corner & 1) == 0 ? rectangle.x : rectangle.z, (corner & 2) == 0 ? rectangle.y : rectangle.w);
  gl_Position = vec4(pixel * clip_per_pixel - 1.0, 0.0, 1.0);
  colour = gl_VertexIndex < 6 ? vec4(0.0, 0.0, 0.0, 0.6) : vec4(1.0);
}
