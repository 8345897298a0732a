// What the four steps share: the text is that of ../../family/steps_text.h, whose comments hold here too. `precise`
// keeps multiplications and additions apart, as the CPU does.

layout(local_size_x = 8, local_size_y = 8) in;

layout(std140, set = 0, binding = 0) uniform Parameters {
  ivec2 size;
  int texels, pixels;  // of a chain, of a plane
  float near, x_first, y_first, step_;
  float pixels_by_depth, nothing, radius, bias;
  float intensity, epsilon, depth_minimum, velocity_scale;
  float moving_scale, low_velocity, high_velocity, moving_minimum;
  float smoothing, most_radius;
  int pixels_at_0, disocclusion;
  int velocity;
  int dangerous;  // 0 off, 1 printed, 2 meant, 3 current
  int printed_combination;
  int forwards_movers;
  ivec4 chain[8];                      // by level: where it begins, width, height
  vec4 spiral[64];                     // xy
};
// A load of lavapipe takes as long for four values as for one, so what is read together lies together.
layout(std430, set = 0, binding = 1) readonly buffer Inputs { vec4 inputs[]; };  // by frame: depth, motion x, y, moving
layout(std430, set = 0, binding = 2) readonly buffer KindOf { uint kind_of[]; };  // by pattern: bytes
layout(std430, set = 0, binding = 3) buffer Chains { float z[]; };                // two
layout(std430, set = 0, binding = 4) buffer Planes { vec2 planes[]; };
layout(std140, set = 0, binding = 5) uniform Kinds { vec4 kinds[16 * 64]; };      // 64 a pattern: cosine, sine, shift

layout(push_constant) uniform Frame {
  int frame_inputs;     // where the frame's begin
  int pattern_kind_of;  // bytes
  int first_kind;
  int now;  // 0 or 1: which of two is this frame's
  int has_history;
  int level;
};

int z_first(int which) { return which * texels; }

// Pairs: obscured and the share of samples that touch a mover; result and penalty, of this frame and the last; what
// history weighed.
const int kObscured = 0, kResult = 1, kWeight = 3;
int plane_first(int plane) { return plane * pixels; }
