// SPDX-License-Identifier: Apache-2.0
// The first image left of a line, the second right of it.
#version 450 core

vec3 first_color(vec2 corner);
vec3 second_color(vec2 corner);

vec3 picture_color(vec2 corner, int combination, float error_limit, vec4 wipe) {
  float distance = corner.x + 0.5 - wipe.x;
  vec3 below = distance < 0.0 ? first_color(corner) : second_color(corner);
  return abs(distance) <= 0.5 * wipe.y ? mix(below, vec3(1.0), wipe.z) : below;
}
