// SPDX-License-Identifier: Apache-2.0
// The value at a pixel of an enlarged image, interpolated between the centres of cells; powers, which span
// decades, are interpolated in their logarithm. Cells with NaN are left out. See sample_nearest.frag.
#version 450 core

const float kLeastPower = 1e-37;

float image_value(sampler2D cells, vec4 placement, vec2 corner, int channel, bool logarithmic) {
  vec2 texel = placement.xy + (corner + 0.5) * placement.zw;
  ivec2 size = textureSize(cells, 0);
  vec2 base = floor(texel - 0.5);
  vec2 fraction = texel - 0.5 - base;
  float sum = 0.0, weights = 0.0, nearest = 0.0;
  for (int i = 0; i < 4; ++i) {
    ivec2 step_on = ivec2(i & 1, i >> 1);
    vec2 both = texelFetch(cells, clamp(ivec2(base) + step_on, ivec2(0), size - 1), 0).rg;
    float value = channel == 0 ? both.r : both.g;
    vec2 part = mix(1.0 - fraction, fraction, vec2(step_on));
    float weight = isnan(value) ? 0.0 : part.x * part.y;
    // NaN in the pixel's own cell makes the pixel NaN, so that the plane's edge does not move.
    if (step_on == ivec2(greaterThanEqual(fraction, vec2(0.5)))) nearest = value;
    sum += weight > 0.0 ? weight * (logarithmic ? log2(max(value, kLeastPower)) : value) : 0.0;
    weights += weight;
  }
  if (any(lessThan(texel, vec2(0.0))) || any(greaterThanEqual(texel, vec2(size)))) return -1.0;
  if (isnan(nearest)) return -2.0;
  return logarithmic ? exp2(sum / weights) : sum / weights;
}
