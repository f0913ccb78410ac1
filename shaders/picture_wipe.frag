// SPDX-License-Identifier: Apache-2.0
// The first image on one side of a line, where wipe.xy · pixel < wipe.z, the second on the other one.
#version 450 core

const float kLineStrength = 0.8;

vec3 first_color(vec2 corner);
vec3 second_color(vec2 corner);

vec3 picture_color(vec2 corner, int combination, float error_limit, vec4 wipe) {
  float distance = dot(corner + 0.5, wipe.xy) - wipe.z;
  vec3 below = distance < 0.0 ? first_color(corner) : second_color(corner);
  return abs(distance) <= 0.5 * wipe.w ? mix(below, vec3(1.0), kLineStrength) : below;
}
