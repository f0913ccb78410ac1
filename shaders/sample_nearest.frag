// SPDX-License-Identifier: Apache-2.0
// The value of an image of cells at a pixel: the cell that holds the pixel's centre. For images at
// their own resolution, or enlarged with sharp edges.
//
// All three sample_*.frag define image_value(). `placement` is the texel coordinate of the corner of
// pixel (0, 0) (xy) and texels per pixel (zw); `corner` is the pixel. They return -1 where the image
// does not cover the pixel, -2 where it holds NaN (outside the plane), else the value.
#version 450 core

float image_value(sampler2D cells, vec4 placement, vec2 corner, int channel, bool logarithmic) {
  vec2 texel = placement.xy + (corner + 0.5) * placement.zw;
  ivec2 size = textureSize(cells, 0);
  ivec2 cell = ivec2(floor(texel));
  vec2 both = texelFetch(cells, clamp(cell, ivec2(0), size - 1), 0).rg;
  float value = channel == 0 ? both.r : both.g;
  bool covered = all(greaterThanEqual(cell, ivec2(0))) && all(lessThan(cell, size));
  return covered ? (isnan(value) ? -2.0 : value) : -1.0;
}
