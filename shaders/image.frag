// SPDX-License-Identifier: Apache-2.0
// A panel's picture: one image, two with a wipe between them, or the error of
// the second against the first. Pixel row 0 is the top row of the panel.
// image_value, lone_dot: sampling.frag; scaled, amplitude: scale.frag.
#version 450 core

layout(std140, binding = 0) uniform Look {
  vec4 placements[2]; // texel at the corner of pixel (0, 0), texels per pixel
  vec4 ranges;        // low and high of the first and of the second, log10
  vec4 grid;          // plane units since a cell's edge at pixel (0, 0), units per pixel
  vec4 empty_color;   // no entry
  vec4 outside_color; // not covered, or NaN
  vec4 grid_color;
  vec4 wipe;          // position in pixels, width of its line in pixels, line's brightness, unused
  vec4 scale_values;  // log10 threshold, log10 reference, decibel step, error limit
  vec4 dots;          // width of a lone dot in pixels, least place on the map of an entry
  ivec4 modes;        // combination, scale, channel, colour map's row
  ivec4 flags;        // values are powers, interpolated, empty cells have their colour, diverging map's row
};

layout(binding = 0) uniform sampler2D first_image;
layout(binding = 1) uniform sampler2D second_image;
layout(binding = 2) uniform sampler2D color_maps;

layout(location = 0) out vec4 color;

const int kFirst = 0, kWipe = 1, kDecibelRatio = 2, kSignedDifference = 3, kAbsoluteDifference = 4,
          kRelativeDifference = 5, kPowerDifference = 6;

float image_value(sampler2D cells, vec4 placement, vec2 corner, int channel, bool interpolated, bool logarithmic);
float lone_dot(sampler2D cells, vec4 placement, vec2 corner, int channel, float dot);
float scaled(float value, int scale, vec2 range, bool is_power, float log_threshold, float log_reference,
             float decibel_step);
float amplitude(float value, bool is_power);

vec3 map_color(int row, float place) {
  float entry = clamp(place, 0.0, 1.0) * 255.0;
  int below = min(int(entry), 254);
  return mix(texelFetch(color_maps, ivec2(below, row), 0).rgb, texelFetch(color_maps, ivec2(below + 1, row), 0).rgb,
             entry - float(below));
}

float value_of(sampler2D cells, int which, vec2 corner) {
  bool is_power = flags.x != 0;
  return image_value(cells, placements[which], corner, modes.z, flags.y != 0, is_power);
}

float place_of(float value, vec2 range) {
  return scaled(value, modes.y, range, flags.x != 0, scale_values.x, scale_values.y, scale_values.z);
}

vec3 image_color(sampler2D cells, int which, vec2 corner) {
  float value = value_of(cells, which, corner);
  if (value < 0.0) return outside_color.rgb;
  bool marks_empty = flags.z != 0;
  if (marks_empty && value == 0.0 && dots.x > 1.0) value = lone_dot(cells, placements[which], corner, modes.z, dots.x);
  if (marks_empty && value == 0.0) return empty_color.rgb;
  float place = place_of(value, which == 0 ? ranges.xy : ranges.zw);
  return map_color(modes.w, marks_empty ? max(place, dots.y) : place);
}

vec3 error_color(vec2 corner) {
  float a = value_of(first_image, 0, corner), b = value_of(second_image, 1, corner);
  if (a < 0.0 || b < 0.0) return outside_color.rgb;
  bool is_power = flags.x != 0;
  float x = amplitude(a, is_power), y = amplitude(b, is_power);
  float limit = max(scale_values.w, 1e-30);
  switch (modes.x) {
  case kDecibelRatio: {
    // Both zero agree; one zero is beyond any limit.
    float ratio = x == y ? 0.0 : (x == 0.0 ? limit : (y == 0.0 ? -limit : 6.0205999132796239 * log2(y / x)));
    return map_color(flags.w, 0.5 + 0.5 * clamp(ratio / limit, -1.0, 1.0));
  }
  case kSignedDifference:
    return map_color(flags.w, 0.5 + 0.5 * clamp((y - x) / limit, -1.0, 1.0));
  case kRelativeDifference: {
    float relative = x == y ? 0.0 : (x == 0.0 ? limit : (y - x) / x);
    return map_color(flags.w, 0.5 + 0.5 * clamp(relative / limit, -1.0, 1.0));
  }
  case kAbsoluteDifference:
    return map_color(modes.w, place_of(is_power ? (y - x) * (y - x) : abs(y - x), ranges.xy));
  default:
    return map_color(modes.w, place_of(abs(b - a), ranges.xy));
  }
}

// Edges of single coefficients or entries, once they are large enough: always
// one pixel wide, faint at first.
vec3 with_grid(vec3 below, vec2 corner) {
  vec2 cell_pixels = 1.0 / grid.zw;
  float strength = clamp((min(cell_pixels.x, cell_pixels.y) - 12.0) / 12.0, 0.0, 1.0) * grid_color.a;
  if (strength <= 0.0) return below;
  vec2 units = grid.xy + (corner + 0.5) * grid.zw;
  vec2 since_edge = (units - floor(units)) * cell_pixels;
  return any(lessThan(since_edge, vec2(1.0))) ? mix(below, grid_color.rgb, strength) : below;
}

void main() {
  vec2 corner = gl_FragCoord.xy - 0.5;
  if (modes.x == kWipe) {
    float distance = corner.x + 0.5 - wipe.x;
    color.rgb = distance < 0.0 ? image_color(first_image, 0, corner) : image_color(second_image, 1, corner);
    color.rgb = with_grid(color.rgb, corner);
    if (abs(distance) <= 0.5 * wipe.y) color.rgb = mix(color.rgb, vec3(1.0), wipe.z);
  } else {
    color.rgb = modes.x == kFirst ? image_color(first_image, 0, corner) : error_color(corner);
    color.rgb = with_grid(color.rgb, corner);
  }
  color.a = 1.0;
}
