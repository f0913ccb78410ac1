// SPDX-License-Identifier: Apache-2.0
// Thread ownership and error queue of OpenGL.
#include "render/gl_check.hpp"

#include <array>
#include <atomic>
#include <thread>
#include <utility>

#include "core/base/error.hpp"

namespace spyctrum::render {
namespace {

std::atomic<std::thread::id> gl_thread{};

std::atomic<std::uint64_t> losses{0};

const char* name_of_gl_error(GLenum code) {
  static constexpr std::array kNames{
      std::pair{GL_INVALID_ENUM, "GL_INVALID_ENUM"},
      std::pair{GL_INVALID_VALUE, "GL_INVALID_VALUE"},
      std::pair{GL_INVALID_OPERATION, "GL_INVALID_OPERATION"},
      std::pair{GL_INVALID_FRAMEBUFFER_OPERATION, "GL_INVALID_FRAMEBUFFER_OPERATION"},
      std::pair{GL_OUT_OF_MEMORY, "GL_OUT_OF_MEMORY"},
      std::pair{GL_CONTEXT_LOST, "GL_CONTEXT_LOST"}};
  for (const auto& [known, name] : kNames)
    if (code == static_cast<GLenum>(known)) return name;
  return "unknown OpenGL error";
}

}  // namespace

void claim_gl_thread() { gl_thread = std::this_thread::get_id(); }
void release_gl_thread() { gl_thread = std::thread::id{}; }
bool on_gl_thread() { return gl_thread.load() == std::this_thread::get_id(); }

void require_gl_thread(const char* what) {
  if (!on_gl_thread())
    throw Failure(ErrorCode::internal,
                  std::string(what) + ": called from a thread that does not own the OpenGL context");
}

void check_gl(const std::string& what) {
  const GLenum first = glGetError();
  if (first == GL_NO_ERROR) return;
  // Empties the queue for the next check, with a bound, since a lost context reports errors for ever.
  for (int i = 0; i < 16 && glGetError() != GL_NO_ERROR; ++i) {
  }
  const bool memory = first == GL_OUT_OF_MEMORY;
  throw Failure(Error{memory ? ErrorCode::out_of_memory : ErrorCode::internal,
                      what + ": " + name_of_gl_error(first),
                      memory ? "Close other programs that use the GPU, or make the window smaller."
                             : (first == GL_CONTEXT_LOST ? "The graphics driver was reset." : ""),
                      static_cast<std::int64_t>(first)});
}

void forget_gl_objects() { ++losses; }
std::uint64_t gl_losses() { return losses; }

bool GlObject::is_in_context() const {
  // A lost context has taken its objects with it; on another thread, the object of another context would be
  // deleted.
  return id_ != 0 && losses_ == losses && on_gl_thread();
}

GlObject::~GlObject() {
  if (is_in_context()) destroy_(id_);
}

GlObject make_texture_2d() {
  GLuint id = 0;
  glCreateTextures(GL_TEXTURE_2D, 1, &id);
  return {id, [](GLuint name) { glDeleteTextures(1, &name); }};
}

GlObject make_buffer() {
  GLuint id = 0;
  glCreateBuffers(1, &id);
  return {id, [](GLuint name) { glDeleteBuffers(1, &name); }};
}

GlObject make_framebuffer() {
  GLuint id = 0;
  glCreateFramebuffers(1, &id);
  return {id, [](GLuint name) { glDeleteFramebuffers(1, &name); }};
}

GlObject make_vertex_array() {
  GLuint id = 0;
  glCreateVertexArrays(1, &id);
  return {id, [](GLuint name) { glDeleteVertexArrays(1, &name); }};
}

}  // namespace spyctrum::render
