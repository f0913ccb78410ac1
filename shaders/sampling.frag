// SPDX-License-Identifier: Apache-2.0
// The value of an image of cells under one pixel. A pixel that covers many
// cells takes their mean (channel 0) or maximum (channel 1), weighted by the
// part it covers; a pixel inside a cell takes that cell, or is interpolated
// between cell centres. `placement` is the texel coordinate of pixel (0, 0)'s
// corner (xy) and texels per pixel (zw).
#version 450 core

const float kNothing = -1.0;   // the image does not cover this pixel
const float kUndefined = -2.0; // it does, with NaN: outside the plane
const float kTinyPower = 1e-37;

bool is_undefined(float value) { return isnan(value); }

float cell_at(sampler2D cells, ivec2 cell, int level, int channel) {
  vec2 both = texelFetch(cells, cell, level).rg;
  return channel == 0 ? both.r : both.g;
}

// Level on which a pixel covers at most `most` texels on an axis.
int level_for(vec2 per_pixel, float most) {
  float widest = max(per_pixel.x, per_pixel.y) / most;
  return widest <= 1.0 ? 0 : int(ceil(log2(widest) - 1e-4));
}

// Rounding in `placement` must not let a bright neighbour bleed in.
vec2 snapped(vec2 edge) {
  vec2 whole = round(edge);
  return mix(edge, whole, lessThan(abs(edge - whole), vec2(0.01)));
}

float covered_value(sampler2D cells, vec4 placement, vec2 corner, int channel) {
  int level = min(level_for(placement.zw, 8.0), textureQueryLevels(cells) - 1);
  ivec2 size = textureSize(cells, level);
  vec2 ratio = vec2(size) / vec2(textureSize(cells, 0));
  vec2 low = snapped((placement.xy + corner * placement.zw) * ratio);
  vec2 high = snapped((placement.xy + (corner + 1.0) * placement.zw) * ratio);
  // An axis that is not reduced stays sharp: the cell at the pixel's centre.
  vec2 centre = floor((placement.xy + (corner + 0.5) * placement.zw) * ratio);
  bvec2 sharp = lessThanEqual(placement.zw * ratio, vec2(1.001));
  low = clamp(mix(low, centre, sharp), vec2(0.0), vec2(size));
  high = clamp(mix(high, centre + 1.0, sharp), vec2(0.0), vec2(size));

  ivec2 first = ivec2(floor(low)), last = ivec2(ceil(high)) - 1;
  float sum = 0.0, weights = 0.0, most = 0.0;
  for (int y = first.y; y <= last.y; ++y)
    for (int x = first.x; x <= last.x; ++x) {
      float value = cell_at(cells, ivec2(x, y), level, channel);
      if (is_undefined(value)) continue;
      vec2 part = min(high, vec2(x + 1, y + 1)) - max(low, vec2(x, y));
      float weight = part.x * part.y;
      sum += weight * value;
      weights += weight;
      most = max(most, value);
    }
  if (weights <= 0.0) return kUndefined;
  return channel == 0 ? sum / weights : most;
}

// Interpolation between centres; powers, which span decades, in the logarithm.
float smooth_value(sampler2D cells, vec2 texel, int channel, bool logarithmic) {
  ivec2 size = textureSize(cells, 0);
  if (is_undefined(cell_at(cells, ivec2(texel), 0, channel))) return kUndefined;
  vec2 base = floor(texel - 0.5);
  vec2 fraction = texel - 0.5 - base;
  float sum = 0.0, weights = 0.0;
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 2; ++x) {
      ivec2 cell = clamp(ivec2(base) + ivec2(x, y), ivec2(0), size - 1);
      float value = cell_at(cells, cell, 0, channel);
      if (is_undefined(value)) continue;
      float weight = (x == 0 ? 1.0 - fraction.x : fraction.x) * (y == 0 ? 1.0 - fraction.y : fraction.y);
      sum += weight * (logarithmic ? log2(max(value, kTinyPower)) : value);
      weights += weight;
    }
  float mean = sum / weights;
  return logarithmic ? exp2(mean) : mean;
}

// kNothing, kUndefined, or the value (>= 0) at the pixel whose corner is given.
float image_value(sampler2D cells, vec4 placement, vec2 corner, int channel, bool interpolated, bool logarithmic) {
  vec2 texel = placement.xy + (corner + 0.5) * placement.zw;
  ivec2 size = textureSize(cells, 0);
  if (any(lessThan(texel, vec2(0.0))) || any(greaterThanEqual(texel, vec2(size)))) return kNothing;
  bool reduced = any(greaterThan(placement.zw, vec2(1.001)));
  if (reduced) return covered_value(cells, placement, corner, channel);
  bool enlarged = any(lessThan(placement.zw, vec2(0.999)));
  if (interpolated && enlarged) return smooth_value(cells, texel, channel, logarithmic);
  float value = cell_at(cells, ivec2(texel), 0, channel);
  return is_undefined(value) ? kUndefined : value;
}

bool occupied(sampler2D cells, ivec2 cell, int level, int channel) {
  ivec2 size = textureSize(cells, level);
  if (any(lessThan(cell, ivec2(0))) || any(greaterThanEqual(cell, size))) return false;
  return cell_at(cells, cell, level, channel) > 0.0; // false for NaN
}

bool is_lone(sampler2D cells, ivec2 cell, int level, int channel) {
  for (int y = -1; y <= 1; ++y)
    for (int x = -1; x <= 1; ++x)
      if ((x != 0 || y != 0) && occupied(cells, cell + ivec2(x, y), level, channel)) return false;
  return true;
}

// For a pixel without an entry: the value of a lone occupied cell whose dot,
// `dot` pixels wide and centred on it, reaches this pixel; 0 when there is none.
float lone_dot(sampler2D cells, vec4 placement, vec2 corner, int channel, float dot) {
  // On this level a texel is at most as wide as a pixel of the screen, so a dot
  // is looked for in few of them.
  int level = min(level_for(placement.zw, 1.0), textureQueryLevels(cells) - 1);
  vec2 ratio = vec2(textureSize(cells, level)) / vec2(textureSize(cells, 0));
  vec2 origin = placement.xy * ratio, per_pixel = placement.zw * ratio;
  if (all(greaterThanEqual(1.0 / per_pixel, vec2(dot)))) return 0.0;
  vec2 reach = 0.5 * dot * per_pixel;
  vec2 centre = origin + (corner + 0.5) * per_pixel;
  ivec2 first = ivec2(floor(centre - reach)), last = ivec2(floor(centre + reach));
  float found = 0.0;
  for (int y = first.y; y <= last.y; ++y)
    for (int x = first.x; x <= last.x; ++x) {
      ivec2 cell = ivec2(x, y);
      if (!occupied(cells, cell, level, channel) || !is_lone(cells, cell, level, channel)) continue;
      // Half open, so that a dot has the same number of pixels wherever it lies.
      vec2 distance = (centre - (vec2(cell) + 0.5)) / per_pixel;
      if (all(greaterThanEqual(distance, vec2(-0.5 * dot))) && all(lessThan(distance, vec2(0.5 * dot))))
        found = max(found, cell_at(cells, cell, level, channel));
    }
  return found;
}
