// SPDX-License-Identifier: Apache-2.0
// Checks around OpenGL: which thread may call it, and what glGetError says after a call. All OpenGL of the
// program happens on the one thread that made the context current.
#pragma once

#include <glad/gl.h>

#include <cstdint>
#include <string>
#include <utility>

namespace spyctrum::render {

/// Remembers the calling thread as the one that owns the current context.
void claim_gl_thread();
/// No thread owns a context any more; to be called before the context is closed.
void release_gl_thread();
[[nodiscard]] bool on_gl_thread();
/// Throws Failure(internal) unless the calling thread owns the context; `what` names the operation.
void require_gl_thread(const char* what);

/// Throws Failure when OpenGL has an error pending: out_of_memory for GL_OUT_OF_MEMORY, internal otherwise;
/// `native` is the GL code. `what` names the operation that was just made, as in "uploading 512 x 512 cells".
void check_gl(const std::string& what);

/// Records that the context was lost with all its objects: their owners then forget the OpenGL names instead
/// of deleting them, since in a new context the same names belong to other objects.
void forget_gl_objects();
/// Number of contexts that were lost so far.
[[nodiscard]] std::uint64_t gl_losses();

/// Owns one OpenGL object: move-only; deletes the object on the context's thread unless that context was
/// lost.
class GlObject {
 public:
  using Destroy = void (*)(GLuint id);
  GlObject() = default;
  GlObject(GLuint id, Destroy destroy) : id_(id), destroy_(destroy), losses_(gl_losses()) {}
  GlObject(GlObject&& other) noexcept { swap(other); }
  GlObject& operator=(GlObject&& other) noexcept {
    swap(other);
    return *this;
  }
  GlObject(const GlObject&) = delete;
  GlObject& operator=(const GlObject&) = delete;
  ~GlObject();

  [[nodiscard]] GLuint id() const { return id_; }
  explicit operator bool() const { return id_ != 0; }
  /// Whether this thread may delete the object now.
  [[nodiscard]] bool is_in_context() const;

 private:
  void swap(GlObject& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(destroy_, other.destroy_);
    std::swap(losses_, other.losses_);
  }
  GLuint id_ = 0;
  Destroy destroy_ = nullptr;
  std::uint64_t losses_ = 0;  ///< context losses when the object was made
};

[[nodiscard]] GlObject make_texture_2d();
[[nodiscard]] GlObject make_buffer();
[[nodiscard]] GlObject make_framebuffer();
[[nodiscard]] GlObject make_vertex_array();

}  // namespace spyctrum::render
