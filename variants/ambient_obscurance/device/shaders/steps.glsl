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
  int dangerous;  // 0 off, 1 printed, 2 meant
  int printed_combination;
  ivec4 chain[8];                      // by level: where it begins, width, height
  vec4 spiral[64];                     // xy
};
layout(std430, set = 0, binding = 1) readonly buffer Inputs { float inputs[]; };  // by frame: depth, motion x, motion y
layout(std430, set = 0, binding = 2) readonly buffer Bytes { uint bytes[]; };     // by frame moving; by pattern kind_of
layout(std430, set = 0, binding = 3) buffer Made { float made[]; };
layout(std430, set = 0, binding = 4) readonly buffer Kinds { vec4 kinds[]; };     // 64 a pattern: cosine, sine, shift

layout(push_constant) uniform Frame {
  int frame_inputs;  // where the frame's depth begins
  int frame_moving, pattern_kind_of;  // bytes
  int first_kind;
  int now;          // 0 or 1: which of two is this frame's
  int has_history;
  int level;
};

// In `made`: two chains, then planes.
int z_first(int which) { return which * texels; }
int plane_first(int plane) { return 2 * texels + plane * pixels; }
const int kObscured = 0, kTouching = 1, kResult = 2, kPenalty = 4, kWeight = 6;

int byte_at(int at) { return int(bytes[at >> 2] >> ((at & 3) * 8)) & 255; }
