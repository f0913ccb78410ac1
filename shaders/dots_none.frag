// SPDX-License-Identifier: Apache-2.0
// Leaves entries unchanged: they are wide enough, or the image is no pattern. See dots_lone.frag.
#version 450 core

float with_dots(sampler2D cells, vec4 placement, vec2 corner, int channel, float value, float dot) { return value; }
