// SPDX-License-Identifier: Apache-2.0
// One image.
#version 450 core

vec3 first_color(vec2 corner);

vec3 picture_color(vec2 corner, int combination, float error_limit, vec4 wipe) { return first_color(corner); }
