// SPDX-License-Identifier: Apache-2.0
// The value of an image at a pixel that covers many of its cells: their mean (channel 0) weighted by
// the part covered, or their maximum (channel 1). Reads the level of the pyramid on which a pixel is
// at most kMostTexels wide. An axis on which a pixel covers at most one cell is not averaged. See
// sample_nearest.frag.
#version 450 core

const float kMostTexels = 8.0;

int reduced_level(sampler2D cells, vec2 per_pixel) {
  float widest = max(per_pixel.x, per_pixel.y) / kMostTexels;
  int level = widest <= 1.0 ? 0 : int(ceil(log2(widest) - 1e-4));
  return min(level, textureQueryLevels(cells) - 1);
}

// Without this, rounding of the placement would add a small part of a bright neighbour.
vec2 snapped(vec2 edge) {
  vec2 whole = round(edge);
  return mix(edge, whole, lessThan(abs(edge - whole), vec2(0.01)));
}

float image_value(sampler2D cells, vec4 placement, vec2 corner, int channel, bool logarithmic) {
  vec2 texel = placement.xy + (corner + 0.5) * placement.zw;
  if (any(lessThan(texel, vec2(0.0))) || any(greaterThanEqual(texel, vec2(textureSize(cells, 0))))) return -1.0;

  int level = reduced_level(cells, placement.zw);
  vec2 size = vec2(textureSize(cells, level));
  vec2 ratio = size / vec2(textureSize(cells, 0));
  vec2 origin = placement.xy * ratio, per_pixel = placement.zw * ratio;
  vec2 centre = floor(origin + (corner + 0.5) * per_pixel);
  bvec2 sharp = lessThanEqual(per_pixel, vec2(1.00001));
  vec2 low = clamp(mix(snapped(origin + corner * per_pixel), centre, sharp), vec2(0.0), size);
  vec2 high = clamp(mix(snapped(origin + (corner + 1.0) * per_pixel), centre + 1.0, sharp), vec2(0.0), size);

  ivec2 first = ivec2(floor(low)), last = ivec2(ceil(high)) - 1;
  float sum = 0.0, weights = 0.0, most = 0.0;
  for (int y = first.y; y <= last.y; ++y)
    for (int x = first.x; x <= last.x; ++x) {
      vec2 both = texelFetch(cells, ivec2(x, y), level).rg;
      float value = channel == 0 ? both.r : both.g;
      if (isnan(value)) continue;
      vec2 part = min(high, vec2(x + 1, y + 1)) - max(low, vec2(x, y));
      sum += part.x * part.y * value;
      weights += part.x * part.y;
      most = max(most, value);
    }
  if (weights <= 0.0) return -2.0;
  return channel == 0 ? sum / weights : most;
}
