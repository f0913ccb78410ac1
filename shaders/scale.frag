// SPDX-License-Identifier: Apache-2.0
// From a value to a place on the colour map, 0 … 1. `range` is log10 of the
// values drawn as 0 and 1. Powers are drawn as magnitudes |F| = sqrt(power) on
// the linear and symlog scales, counts as they are; symlog is
// s(x) = log10(1 + x/threshold), linear below the threshold.
#version 450 core

const int kLog = 0, kLinear = 1, kSymlog = 2, kDecibel = 3;

float log10_of(float value) { return log2(value) * 0.30102999566398120; }

float amplitude(float value, bool is_power) { return is_power ? sqrt(value) : value; }

float span_of(float low, float high, float x) {
  float width = high - low;
  return width > 0.0 ? clamp((x - low) / width, 0.0, 1.0) : (x > low ? 1.0 : 0.0);
}

float scaled(float value, int scale, vec2 range, bool is_power, float log_threshold, float log_reference,
             float decibel_step) {
  if (scale == kLog || scale == kDecibel) {
    if (value <= 0.0) return 0.0;
    float exponent = log10_of(value);
    if (scale == kDecibel && decibel_step > 0.0) {
      // Steps are counted from the reference, so that they mean the same in every panel.
      float step_width = decibel_step * (is_power ? 0.1 : 0.05);
      exponent = log_reference + step_width * floor((exponent - log_reference) / step_width + 1e-4);
    }
    return span_of(range.x, range.y, exponent);
  }
  float x = amplitude(value, is_power);
  vec2 ends = pow(vec2(10.0), is_power ? 0.5 * range : range);
  if (scale == kLinear) return span_of(ends.x, ends.y, x);
  float threshold = pow(10.0, is_power ? 0.5 * log_threshold : log_threshold);
  return span_of(log10_of(1.0 + ends.x / threshold), log10_of(1.0 + ends.y / threshold),
                 log10_of(1.0 + x / threshold));
}
