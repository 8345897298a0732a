#version 450
// Halves an image of depths. Of four texels one is taken, a mean would be a place that nothing has; which one changes
// from row to row and column to column, so that no line of texels is left out. It counts as moving if one of four does.
layout(set = 1, binding = 0) uniform sampler2D depth;
layout(location = 0) out float taken;

void main() {
  const ivec2 at = ivec2(gl_FragCoord.xy), last = textureSize(depth, 0) - 1;
  bool moves = false;
  for (int i = 0; i < 4; ++i)
    moves = moves || texelFetch(depth, min(2 * at + ivec2(i & 1, i >> 1), last), 0).r < 0.0;
  const float away = abs(texelFetch(depth, min(2 * at + (at.yx & 1), last), 0).r);
  taken = moves ? -away : away;
}
