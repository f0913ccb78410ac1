// SPDX-License-Identifier: Apache-2.0
// One level of an image's pyramid from the level above: R takes the mean and G
// the maximum of the cells that a texel covers, weighted by the part covered
// when a side is odd. NaN (outside the plane) is left out; a texel that covers only NaN becomes NaN.
#version 450 core

layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rg32f) readonly uniform image2D source;
layout(binding = 1, rg32f) writeonly uniform image2D target;

void main() {
  ivec2 cell = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(target);
  if (any(greaterThanEqual(cell, size))) return;
  vec2 ratio = vec2(imageSize(source)) / vec2(size);
  vec2 low = vec2(cell) * ratio;
  vec2 high = vec2(cell + 1) * ratio;
  ivec2 first = ivec2(floor(low + 1e-3));
  ivec2 last = min(ivec2(ceil(high - 1e-3)), imageSize(source)) - 1;

  float sum = 0.0, weights = 0.0;
  float most = uintBitsToFloat(0x7fc00000u);
  for (int y = first.y; y <= last.y; ++y)
    for (int x = first.x; x <= last.x; ++x) {
      vec2 value = imageLoad(source, ivec2(x, y)).rg;
      vec2 covered = min(high, vec2(x + 1, y + 1)) - max(low, vec2(x, y));
      float weight = covered.x * covered.y;
      if (!isnan(value.r)) {
        sum += weight * value.r;
        weights += weight;
      }
      if (!isnan(value.g)) most = isnan(most) ? value.g : max(most, value.g);
    }
  float mean = weights > 0.0 ? sum / weights : uintBitsToFloat(0x7fc00000u);
  imageStore(target, cell, vec4(mean, most, 0.0, 0.0));
}
