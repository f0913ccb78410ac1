// SPDX-License-Identifier: Apache-2.0
// The error of the second image B against the first A, from x = |A| and y = |B| (counts as they are). Signed
// errors use the diverging colour map within ±limit; absolute errors use the range of the first image.
#version 450 core

const int kSignedDifference = 3, kAbsoluteDifference = 4, kRelativeDifference = 5;
const float kDecibelsPerOctave = 6.0205999132796239; // 20 log10(2)

vec3 nothing_color();
vec3 signed_color(float place);
vec3 difference_color(float value);
float first_value(vec2 corner);
float second_value(vec2 corner);
float magnitude_of(float value);
float power_of(float magnitude);

vec3 picture_color(vec2 corner, int combination, float error_limit, vec4 wipe) {
  float a = first_value(corner), b = second_value(corner);
  if (a < 0.0 || b < 0.0) return nothing_color();
  float x = magnitude_of(a), y = magnitude_of(b);
  float limit = max(error_limit, 1e-30);
  if (combination == kAbsoluteDifference) return difference_color(power_of(abs(y - x)));
  if (combination == kSignedDifference) return signed_color((y - x) / limit);
  // 0 where both are zero; ±limit where only one is.
  if (combination == kRelativeDifference) return signed_color(x == y ? 0.0 : (x == 0.0 ? 1.0 : (y - x) / x / limit));
  return signed_color(x == y ? 0.0 : (x == 0.0 ? 1.0 : (y == 0.0 ? -1.0 : kDecibelsPerOctave * log2(y / x) / limit)));
}
