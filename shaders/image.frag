// SPDX-License-Identifier: Apache-2.0
// The part that all pictures of a panel share: uniforms, colours, the grid. Pixel row 0 is the top row. Each
// function declared below is defined in one of several files, of which a program links the one that it needs:
// image_value (sample_*.frag), with_dots (dots_*.frag), scaled and amplitude (scale.frag), picture_color
// (picture_*.frag). README.md lists them.
#version 450 core

layout(std140, binding = 0) uniform Look {
  vec4 placements[2]; // texel at the corner of pixel (0, 0), texels per pixel
  vec4 ranges;        // low and high of the first and of the second, log10
  vec4 grid;          // plane units since a cell's edge at pixel (0, 0), units per pixel
  vec4 empty_color;   // no entry
  vec4 outside_color; // not covered, or NaN
  vec4 grid_color;
  vec4 wipe;          // unit normal of its line, distance of the line from (0, 0) along it, width; pixels
  vec4 scale_values;  // log10 threshold, log10 reference, decibel step, error limit
  vec4 dots;          // width of a lone entry in pixels, place of the smallest entry on the colour map
  ivec4 modes;        // combination, scale, channel, colour map's row
  ivec4 flags;        // values are powers, unused, empty cells have their own colour, diverging map's row
};

layout(binding = 0) uniform sampler2D first_image;
layout(binding = 1) uniform sampler2D second_image;
layout(binding = 2) uniform sampler2D color_maps;

layout(location = 0) out vec4 color;

float image_value(sampler2D cells, vec4 placement, vec2 corner, int channel, bool logarithmic);
float with_dots(sampler2D cells, vec4 placement, vec2 corner, int channel, float value, float dot);
float scaled(float value, int scale, vec2 range, bool is_power, float log_threshold, float log_reference,
             float decibel_step);
float amplitude(float value, bool is_power);
vec3 picture_color(vec2 corner, int combination, float error_limit, vec4 wipe);

vec3 nothing_color() { return outside_color.rgb; }
vec3 map_color(float place) { return texelFetch(color_maps, ivec2(int(place * 255.0 + 0.5), modes.w), 0).rgb; }
vec3 signed_color(float place) {
  return texelFetch(color_maps, ivec2(int((0.5 + 0.5 * clamp(place, -1.0, 1.0)) * 255.0 + 0.5), flags.w), 0).rgb;
}

float first_value(vec2 corner) { return image_value(first_image, placements[0], corner, modes.z, flags.x != 0); }
float second_value(vec2 corner) { return image_value(second_image, placements[1], corner, modes.z, flags.x != 0); }
float magnitude_of(float value) { return amplitude(value, flags.x != 0); }
float power_of(float magnitude) { return flags.x != 0 ? magnitude * magnitude : magnitude; }

vec3 color_on_range(float value, vec2 range) {
  bool marks_empty = flags.z != 0;
  float place = scaled(value, modes.y, range, flags.x != 0, scale_values.x, scale_values.y, scale_values.z);
  vec3 mapped = map_color(marks_empty ? mix(dots.y, 1.0, place) : place);
  if (value < 0.0) return outside_color.rgb;
  return marks_empty && value == 0.0 ? empty_color.rgb : mapped;
}

float first_dotted(vec2 corner) {
  return with_dots(first_image, placements[0], corner, modes.z, first_value(corner), dots.x);
}
float second_dotted(vec2 corner) {
  return with_dots(second_image, placements[1], corner, modes.z, second_value(corner), dots.x);
}

vec3 no_entry_color() { return empty_color.rgb; }

// Of an entry, on the range of the first image.
float place_of(float value) {
  float place = scaled(value, modes.y, ranges.xy, flags.x != 0, scale_values.x, scale_values.y, scale_values.z);
  return mix(dots.y, 1.0, place);
}

vec3 first_color(vec2 corner) { return color_on_range(first_dotted(corner), ranges.xy); }

vec3 second_color(vec2 corner) { return color_on_range(second_dotted(corner), ranges.zw); }

vec3 difference_color(float value) {
  return map_color(scaled(value, modes.y, ranges.xy, flags.x != 0, scale_values.x, scale_values.y, scale_values.z));
}

// Edges between single coefficients or entries of at least 12 pixels: one pixel wide, faint at 12 and at full
// strength from 24 pixels on.
vec3 with_grid(vec3 below, vec2 corner) {
  vec2 cell_pixels = 1.0 / grid.zw;
  float strength = clamp((min(cell_pixels.x, cell_pixels.y) - 12.0) / 12.0, 0.0, 1.0) * grid_color.a;
  vec2 units = grid.xy + (corner + 0.5) * grid.zw;
  vec2 since_edge = (units - floor(units)) * cell_pixels;
  return any(lessThan(since_edge, vec2(1.0))) ? mix(below, grid_color.rgb, strength) : below;
}

void main() {
  vec2 corner = gl_FragCoord.xy - 0.5;
  vec3 picture = picture_color(corner, modes.x, scale_values.w, wipe);
  color = vec4(with_grid(picture, corner), 1.0);
}
