// SPDX-License-Identifier: Apache-2.0
// Simulates the loss of an OpenGL context: replaces OpenGL's query of the reset status. A new context loads
// its functions from the driver anew.
#pragma once

#include <glad/gl.h>

namespace spyctrum::test {

/// Names passed to glDelete…() since lose_context().
inline int deleted_names = 0;

inline GLenum GLAD_API_PTR no_reset() { return GL_NO_ERROR; }
/// Reports the loss once, as a driver does after a completed reset.
inline GLenum GLAD_API_PTR one_reset() {
  glad_glGetGraphicsResetStatus = &no_reset;
  return GL_INNOCENT_CONTEXT_RESET;
}

/// From the next query on, the context of this thread counts as lost.
inline void lose_context() {
  deleted_names = 0;
  const auto count = [](GLsizei names, const GLuint*) { deleted_names += names; };
  const auto count_one = [](GLuint) { ++deleted_names; };
  glad_glDeleteTextures = count;
  glad_glDeleteBuffers = count;
  glad_glDeleteFramebuffers = count;
  glad_glDeleteVertexArrays = count;
  glad_glDeleteProgram = count_one;
  glad_glDeleteShader = count_one;
  glad_glDeleteSync = [](GLsync) { ++deleted_names; };
  glad_glGetGraphicsResetStatus = &one_reset;
}

}  // namespace spyctrum::test
