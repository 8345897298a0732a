#version 450
// Samples every texel of a texture once and sums them with their positions. An invocation takes one texel of each of
// kTiles tiles; a workgroup is a tile, 2^tile_log2 texels wide. Both sizes of the texture are multiples of a tile's.
layout(local_size_x = 64) in;
layout(binding = 0) uniform sampler2D texels;
layout(binding = 1) buffer Sums { uint sums[]; };
layout(push_constant) uniform Size { uint width, height, tile_log2; };

const uint kTiles = 16;

void main() {
  const uint tile_width = 1u << tile_log2;
  const uint tile_height = 64u >> tile_log2;
  const uint tiles_down = height / tile_height;
  const uvec2 in_tile = uvec2(gl_LocalInvocationID.x & (tile_width - 1u), gl_LocalInvocationID.x >> tile_log2);
  uint sum = 0u;
  for (uint i = 0u; i < kTiles; ++i) {
    const uint tile = gl_WorkGroupID.x * kTiles + i;
    const uvec2 at = uvec2(tile / tiles_down * tile_width, tile % tiles_down * tile_height) + in_tile;
    const uvec4 texel = uvec4(textureLod(texels, (vec2(at) + 0.5) / vec2(width, height), 0.0) * 255.0 + 0.5);
    const uint packed = texel.r | texel.g << 8 | texel.b << 16 | texel.a << 24;
    sum += packed * (2u * (at.y * width + at.x) + 1u);
  }
  sums[gl_GlobalInvocationID.x] = sum;
}
