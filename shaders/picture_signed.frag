// SPDX-License-Identifier: Apache-2.0
// Signed values on the diverging colour map: positive ones from the first image, the magnitudes of negative
// ones from the second, |value| on the scale and range of the first. Where a pixel holds neither, the colour of
// an empty cell.
#version 450 core

vec3 nothing_color();
vec3 no_entry_color();
vec3 signed_color(float place);
float place_of(float value);
float first_dotted(vec2 corner);
float second_dotted(vec2 corner);

vec3 picture_color(vec2 corner, int combination, float error_limit, vec4 wipe) {
  float above = first_dotted(corner), below = second_dotted(corner);
  if (above < 0.0 || below < 0.0) return nothing_color();
  float value = above - below;
  if (value == 0.0) return no_entry_color();
  return signed_color(value > 0.0 ? place_of(value) : -place_of(-value));
}
