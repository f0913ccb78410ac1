// SPDX-License-Identifier: Apache-2.0
// Compiling and linking GLSL, with errors that name file and line.
#include "render/shader_program.hpp"

#include <algorithm>
#include <sstream>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "render/shader_sources.hpp"

namespace spyctrum::render {
namespace {

GLenum stage_of(const std::string& name) {
  if (name.ends_with(".vert")) return GL_VERTEX_SHADER;
  if (name.ends_with(".frag")) return GL_FRAGMENT_SHADER;
  if (name.ends_with(".comp")) return GL_COMPUTE_SHADER;
  throw Failure(ErrorCode::internal, "shader " + name + ": the name must end in .vert, .frag or .comp");
}

/// The log of the compiler or of the linker, by OpenGL's functions for shaders or for programs.
std::string log_of(GLuint id, PFNGLGETSHADERIVPROC get_size, PFNGLGETSHADERINFOLOGPROC get_log) {
  GLint size = 0;
  get_size(id, GL_INFO_LOG_LENGTH, &size);
  std::string log(static_cast<std::size_t>(std::max(size, 0)), '\0');
  GLsizei written = 0;
  get_log(id, size, &written, log.data());
  log.resize(static_cast<std::size_t>(written));
  return log;
}

GlObject compile(const ShaderFile& file) {
  GlObject shader(glCreateShader(stage_of(file.name)), [](GLuint id) { glDeleteShader(id); });
  const GLchar* text = file.source.data();
  const auto length = static_cast<GLint>(file.source.size());
  glShaderSource(shader.id(), 1, &text, &length);
  glCompileShader(shader.id());
  GLint done = GL_FALSE;
  glGetShaderiv(shader.id(), GL_COMPILE_STATUS, &done);
  if (done == GL_TRUE) return shader;
  throw Failure(ErrorCode::internal,
                "A shader does not compile. " +
                    name_lines(log_of(shader.id(), glGetShaderiv, glGetShaderInfoLog), file.name));
}

}  // namespace

ShaderFile embedded_shader(const std::string& name) {
  const std::string_view source = shader_source(name);
  if (source.empty()) throw Failure(ErrorCode::internal, "shader " + name + ": no such file");
  return {name, source};
}

std::string name_lines(const std::string& log, const std::string& name) {
  std::istringstream lines(log);
  std::string named;
  for (std::string line; std::getline(lines, line);) {
    unsigned number = 0;
    int length = 0;  // characters of the place in the form of Mesa or of NVIDIA
    if (std::sscanf(line.c_str(), "%*u:%u(%*u):%n", &number, &length) != 1 || length == 0)
      std::sscanf(line.c_str(), "%*u(%u) :%n", &number, &length);
    if (length > 0)
      line.replace(0, static_cast<std::size_t>(length), name + ":" + std::to_string(number) + ":");
    named += line + (lines.eof() ? "" : "\n");
  }
  return named;
}

GlObject link_program(const std::vector<ShaderFile>& files) {
  require_gl_thread("link_program");
  GlObject program(glCreateProgram(), [](GLuint id) { glDeleteProgram(id); });
  std::vector<GlObject> shaders;
  const std::string names = joined(files, &ShaderFile::name);
  for (const ShaderFile& file : files) {
    shaders.push_back(compile(file));
    glAttachShader(program.id(), shaders.back().id());
  }
  glLinkProgram(program.id());
  for (const GlObject& shader : shaders) glDetachShader(program.id(), shader.id());
  GLint done = GL_FALSE;
  glGetProgramiv(program.id(), GL_LINK_STATUS, &done);
  if (done != GL_TRUE) {
    throw Failure(ErrorCode::internal, "Shaders do not link (" + names + "). " +
                                           log_of(program.id(), glGetProgramiv, glGetProgramInfoLog));
  }
  check_gl("linking " + names);
  return program;
}

}  // namespace spyctrum::render
