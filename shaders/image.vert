// SPDX-License-Identifier: Apache-2.0
// One triangle that covers the whole picture; no vertex data.
#version 450 core

void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(corner, 0.0, 1.0);
}
