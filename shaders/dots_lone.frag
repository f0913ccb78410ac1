// SPDX-License-Identifier: Apache-2.0
// Draws an entry without neighbours, which would be a single pixel and easily overlooked, `dot` pixels wide,
// centred on its cell. dots_none.frag leaves entries unchanged.
#version 450 core

bool occupied(sampler2D cells, ivec2 cell, int level, int channel) {
  ivec2 size = textureSize(cells, level);
  vec2 both = texelFetch(cells, clamp(cell, ivec2(0), size - 1), level).rg;
  bool inside = all(greaterThanEqual(cell, ivec2(0))) && all(lessThan(cell, size));
  return inside && (channel == 0 ? both.r : both.g) > 0.0; // false for NaN
}

bool is_lone(sampler2D cells, ivec2 cell, int level, int channel) {
  for (int i = 0; i < 9; ++i)
    if (i != 4 && occupied(cells, cell + ivec2(i % 3, i / 3) - 1, level, channel)) return false;
  return true;
}

// `value` if it is not 0, else the value of a lone entry whose dot reaches the pixel.
float with_dots(sampler2D cells, vec4 placement, vec2 corner, int channel, float value, float dot) {
  if (value != 0.0) return value;
  // On this level a texel is at least as wide as a pixel of the screen, so that only few texels are searched.
  float widest = max(placement.z, placement.w);
  int level = min(widest <= 1.0 ? 0 : int(ceil(log2(widest) - 1e-4)), textureQueryLevels(cells) - 1);
  vec2 ratio = vec2(textureSize(cells, level)) / vec2(textureSize(cells, 0));
  vec2 origin = placement.xy * ratio, per_pixel = placement.zw * ratio;
  vec2 reach = 0.5 * dot * per_pixel;
  vec2 centre = origin + (corner + 0.5) * per_pixel;
  // Half open, so that a dot has the same number of pixels wherever it lies: centres of cells in
  // (centre - reach, centre + reach].
  ivec2 first = ivec2(floor(centre - reach - 0.5 + 1e-3)) + 1;
  ivec2 last = ivec2(floor(centre + reach - 0.5 + 1e-3));
  float found = 0.0;
  for (int y = first.y; y <= last.y; ++y)
    for (int x = first.x; x <= last.x; ++x) {
      ivec2 cell = ivec2(x, y);
      if (!occupied(cells, cell, level, channel) || !is_lone(cells, cell, level, channel)) continue;
      vec2 both = texelFetch(cells, cell, level).rg;
      found = max(found, channel == 0 ? both.r : both.g);
    }
  return found;
}
