#version 450
// Counts ids: each group in counters of its own, which it adds to everybody's at the end. An invocation takes four
// pixels at a time and adds runs among them at once.
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer Ids { uvec4 ids[]; };
// For 0 to `largest`, and one more for all ids beyond it.
layout(binding = 1) buffer Counts { uint counts[]; };
layout(push_constant) uniform Push { uint pixels, largest; };

const uint kLocal = 4096;  // counters of a group: 16 KiB, which every device has; larger tables are everybody's alone
shared uint local_counts[kLocal];

void add(uint id, uint times) {
  const uint counter = min(id, largest + 1);
  if (largest + 2 <= kLocal)
    atomicAdd(local_counts[counter], times);
  else
    atomicAdd(counts[counter], times);
}

void main() {
  const bool local = largest + 2 <= kLocal;
  if (local) {
    for (uint i = gl_LocalInvocationIndex; i < largest + 2; i += gl_WorkGroupSize.x) local_counts[i] = 0;
    barrier();
  }
  uint run = 0, length = 0;
  for (uint at = gl_GlobalInvocationID.x; at < (pixels + 3) / 4; at += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
    const uvec4 four = ids[at];
    const uint valid = min(pixels - 4 * at, 4);
    for (uint i = 0; i < valid; ++i) {
      if (four[i] != run) {
        if (length > 0) add(run, length);
        run = four[i];
        length = 0;
      }
      ++length;
    }
  }
  if (length > 0) add(run, length);
  if (local) {
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < largest + 2; i += gl_WorkGroupSize.x)
      if (local_counts[i] > 0) atomicAdd(counts[i], local_counts[i]);
  }
}
