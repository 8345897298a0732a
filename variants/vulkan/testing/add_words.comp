#version 450
// For a test: adds the words of two buffers and a push constant.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer First { uint first[]; };
layout(binding = 1) readonly buffer Second { uint second[]; };
layout(binding = 2) writeonly buffer Sums { uint sums[]; };
layout(push_constant) uniform Push { uint added; };

void main() {
  const uint at = gl_GlobalInvocationID.x;
  if (at < sums.length()) sums[at] = first[at] + second[at] + added;
}
