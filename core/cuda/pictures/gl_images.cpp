// SPDX-License-Identifier: Apache-2.0
// CUDA–OpenGL interoperability (CUDA Programming Guide, "OpenGL Interoperability"): a registered texture is
// mapped, written by an array copy on a stream of its own, and unmapped after the event of the copy, so that
// neither mapping nor unmapping has to wait. If the texture belongs to another device or cannot be
// registered, the caller uploads from host memory.
#include <cstdio>

#include "core/cuda/pictures/pictures.hpp"

#if __has_include(<GL/gl.h>)
#include <cuda_gl_interop.h>
#define SPYCTRUM_HAVE_GL_INTEROP 1
#endif

namespace spyctrum::cuda {

#ifdef SPYCTRUM_HAVE_GL_INTEROP

namespace {

class GlTexture : public TextureLink {
 public:
  GlTexture(int device, std::uint32_t height, std::uint32_t width)
      : device_(device), height_(height), width_(width) {}
  ~GlTexture() override {
    const DeviceScope choice(device_);
    // Unmapping follows, in stream order, a copy that may not have ended yet.
    if (mapped_) (void)cudaGraphicsUnmapResources(1, &resource_, stream_);
    if (resource_ != nullptr) (void)cudaGraphicsUnregisterResource(resource_);
    if (copied_ != nullptr) (void)cudaEventDestroy(copied_);
    if (stream_ != nullptr) (void)cudaStreamDestroy(stream_);
    (void)cudaGetLastError();
  }
  GlTexture(const GlTexture&) = delete;
  GlTexture& operator=(const GlTexture&) = delete;

  [[nodiscard]] bool attach(unsigned texture) {
    const DeviceScope choice(device_);
    return succeeds(create_urgent_stream(stream_), "creating a stream") &&
           succeeds(cudaEventCreateWithFlags(&copied_, cudaEventDisableTiming), "creating an event") &&
           succeeds(cudaGraphicsGLRegisterImage(&resource_, texture, GL_TEXTURE_2D,
                                                cudaGraphicsRegisterFlagsWriteDiscard),
                    "registering a texture");
  }

  [[nodiscard]] bool start(const DevicePicture& picture) override {
    const CellBlock& block = static_cast<const Picture&>(picture).block();
    if (state_ == State::failed) return false;
    if (block.device != device_ || picture.height() != height_ || picture.width() != width_)
      return refuse("the picture and the texture differ in device or size");
    const DeviceScope choice(device_);
    const std::size_t pitch = std::size_t{width_} * sizeof(float2);
    cudaArray_t array = nullptr;
    if (!succeeds(cudaGraphicsMapResources(1, &resource_, stream_), "mapping a texture")) return false;
    mapped_ = true;
    const bool copying = succeeds(cudaGraphicsSubResourceGetMappedArray(&array, resource_, 0, 0),
                                  "finding a texture's array") &&
                         succeeds(cudaStreamWaitEvent(stream_, block.ready, 0), "ordering a copy") &&
                         succeeds(cudaMemcpy2DToArrayAsync(array, 0, 0, block.cells, pitch, pitch, height_,
                                                           cudaMemcpyDeviceToDevice, stream_),
                                  "copying into a texture") &&
                         succeeds(cudaEventRecord(block.read, stream_), "recording an event") &&
                         succeeds(cudaEventRecord(copied_, stream_), "recording an event");
    if (!copying) {
      unmap();
      return false;
    }
    state_ = State::copying;
    return true;
  }

  [[nodiscard]] State state() override {
    if (state_ != State::copying) return state_;
    const DeviceScope choice(device_);
    const cudaError_t code = cudaEventQuery(copied_);
    if (code == cudaErrorNotReady) return State::copying;
    const bool copied = succeeds(code, "copying into a texture");
    if (!unmap() || !copied) return State::failed;
    state_ = State::idle;
    return State::done;
  }
  [[nodiscard]] const char* why() const override { return why_; }

 private:
  bool unmap() {
    mapped_ = false;
    return succeeds(cudaGraphicsUnmapResources(1, &resource_, stream_), "unmapping a texture");
  }
  bool succeeds(cudaError_t code, const char* what) {
    if (code == cudaSuccess) return true;
    (void)cudaGetLastError();
    (void)std::snprintf(why_, sizeof why_, "%s: %s", what, cudaGetErrorString(code));
    state_ = State::failed;
    return false;
  }
  bool refuse(const char* reason) {
    (void)std::snprintf(why_, sizeof why_, "%s", reason);
    return false;
  }

  int device_;
  std::uint32_t height_;
  std::uint32_t width_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t copied_ = nullptr;
  cudaGraphicsResource_t resource_ = nullptr;
  bool mapped_ = false;
  State state_ = State::idle;
  char why_[192] = {};
};

/// True if this device draws this thread's OpenGL context.
bool draws_opengl(int device) {
  unsigned count = 0;
  int devices[16] = {};
  const cudaError_t code = cudaGLGetDevices(&count, devices, 16, cudaGLDeviceListAll);
  if (code != cudaSuccess) {
    (void)cudaGetLastError();
    return false;
  }
  for (unsigned k = 0; k < count; ++k)
    if (devices[k] == device) return true;
  return false;
}

}  // namespace

TextureLink* link_texture(int device, unsigned texture, std::uint32_t height, std::uint32_t width, char* why,
                          std::size_t size) {
  const DeviceScope choice(device);
  if (!draws_opengl(device)) {
    (void)std::snprintf(why, size, "OpenGL is not drawn by the device that computes");
    return nullptr;
  }
  auto link = std::make_unique<GlTexture>(device, height, width);
  if (link->attach(texture)) return link.release();
  (void)std::snprintf(why, size, "%s", link->why());
  return nullptr;
}

#else

TextureLink* link_texture(int, unsigned, std::uint32_t, std::uint32_t, char* why, std::size_t size) {
  (void)std::snprintf(why, size, "the CUDA module was built without OpenGL's headers");
  return nullptr;
}

#endif

}  // namespace spyctrum::cuda
