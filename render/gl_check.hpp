// SPDX-License-Identifier: Apache-2.0
// Checks around OpenGL: which thread may call it, what glGetError says after a
// call, and what a debug context reports. All OpenGL of the program happens on
// the one thread that made the context current.
#pragma once

#include <glad/gl.h>

#include <string>
#include <utility>
#include <vector>

namespace spyctrum::render {

/// Remembers the calling thread as the one that owns the current context.
void claim_gl_thread();
/// Forgets it (the context is going away).
void release_gl_thread();
[[nodiscard]] bool on_gl_thread();
/// Throws Failure(internal) unless the calling thread owns the context; `what`
/// names the operation.
void require_gl_thread(const char* what);

/// Throws Failure when OpenGL has an error pending: out_of_memory for
/// GL_OUT_OF_MEMORY, internal otherwise; `native` is the GL code. `what` names
/// the operation that was just made, as in "uploading 512 x 512 cells".
void check_gl(const std::string& what);

/// Lets the driver report errors and undefined behaviour as they happen (debug
/// contexts only; no effect on others). The texts are kept until taken.
void install_debug_messages();
[[nodiscard]] std::vector<std::string> take_debug_messages();

/// One OpenGL object: owned, move-only, deleted on the thread of the context.
class GlObject {
 public:
  using Destroy = void (*)(GLuint id);
  GlObject() = default;
  GlObject(GLuint id, Destroy destroy) : id_(id), destroy_(destroy) {}
  GlObject(GlObject&& other) noexcept : id_(std::exchange(other.id_, 0)), destroy_(other.destroy_) {}
  GlObject& operator=(GlObject&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(destroy_, other.destroy_);
    return *this;
  }
  GlObject(const GlObject&) = delete;
  GlObject& operator=(const GlObject&) = delete;
  ~GlObject();

  [[nodiscard]] GLuint id() const { return id_; }
  explicit operator bool() const { return id_ != 0; }

 private:
  GLuint id_ = 0;
  Destroy destroy_ = nullptr;
};

[[nodiscard]] GlObject make_texture_2d();
[[nodiscard]] GlObject make_buffer();
[[nodiscard]] GlObject make_framebuffer();
[[nodiscard]] GlObject make_vertex_array();

}  // namespace spyctrum::render
