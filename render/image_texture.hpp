// SPDX-License-Identifier: Apache-2.0
// Uploads images of cells into textures. Each image has two textures: one that is shown and one that is being
// filled. They are exchanged when the new one is complete, so that the old picture stays until then. Uploads
// are cut into slices, so that no upload delays a frame.
//
// Both ways to fill the second texture use begin() and commit(): cells that lie on a compute device are
// copied by the device itself (core/device/interface/pictures.hpp); all others, and those that the device may
// not copy, come from host memory through pixel buffers. Nothing here waits for either.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/device/interface/pictures.hpp"
#include "core/pictures/view.hpp"
#include "render/texture.hpp"

namespace spyctrum::render {

/// How an image reached its texture; shown in the status bar.
enum class UploadPath {
  pixel_buffer,  ///< copied from host memory
  interop,       ///< copied on the device that computed it
};

class ImageTexture;

/// Two persistently mapped pixel-unpack buffers used in turn. A buffer that the GPU still reads is skipped,
/// so that nothing waits.
class PixelBufferRing {
 public:
  explicit PixelBufferRing(std::size_t slot_bytes);
  ~PixelBufferRing();
  PixelBufferRing(const PixelBufferRing&) = delete;
  PixelBufferRing& operator=(const PixelBufferRing&) = delete;

  [[nodiscard]] std::size_t slot_bytes() const { return slot_bytes_; }
  /// Memory of the next buffer, which is then bound as the source of texture copies until release(); null
  /// while the GPU still reads it.
  [[nodiscard]] std::byte* acquire();
  void release();
  /// Waits until the GPU has read everything.
  void wait();

 private:
  struct Slot {
    GlObject buffer;
    std::byte* memory = nullptr;
    GLsync fence = nullptr;
  };
  std::size_t slot_bytes_;
  std::array<Slot, 2> slots_;
  std::size_t next_ = 0;
};

/// Copies of pictures from devices to textures, and the devices that have refused them.
class DeviceCopies {
 public:
  explicit DeviceCopies(cuda::Pictures* pictures) : pictures_(pictures) {}
  /// Whether pictures of this device may be copied straight into textures.
  [[nodiscard]] bool allowed(int device) const { return pictures_ != nullptr && !refused_.contains(device); }
  /// A link to the texture; null if the device refuses, which then gets no more copies.
  [[nodiscard]] std::unique_ptr<cuda::TextureLink> link(int device, const Texture2D& texture);
  void refuse(int device, std::string why) { refused_.insert_or_assign(device, std::move(why)); }
  /// Holds cuda::Pictures::try_enter() during its lifetime.
  class Turn {
   public:
    explicit Turn(cuda::Pictures& pictures) : pictures_(pictures), has_(pictures.try_enter()) {}
    ~Turn() {
      if (has_) pictures_.leave();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    [[nodiscard]] bool has() const { return has_; }

   private:
    cuda::Pictures& pictures_;
    bool has_;
  };
  /// A turn of the drawing thread at the driver; Turn::has() is false while another thread has it. Requires
  /// pictures.
  [[nodiscard]] Turn turn() { return Turn(*pictures_); }
  /// The reason of the first refusal; empty if there was none.
  [[nodiscard]] std::string refusal() const { return refused_.empty() ? "" : refused_.begin()->second; }

 private:
  cuda::Pictures* pictures_;
  std::map<int, std::string> refused_;
};

/// Copies pending images, oldest request first, a bounded number of bytes a frame. Must outlive the textures
/// that use it.
class Uploader {
 public:
  static constexpr std::size_t kSliceBytes = std::size_t{4} << 20;
  static constexpr std::size_t kFrameBytes = std::size_t{16} << 20;

  /// `pictures`: draws on a device; null: all images come from host memory.
  [[nodiscard]] static Result<std::unique_ptr<Uploader>> create(std::size_t slice_bytes = kSliceBytes,
                                                                cuda::Pictures* pictures = nullptr);

  /// Copies up to about `byte_budget` bytes (at least one slice when a buffer is free) and exchanges what is
  /// whole. Call once a frame. Returns whether anything is still pending: then draw another frame. Errors:
  /// out_of_memory, internal; the image that failed is dropped and its old picture stays.
  [[nodiscard]] Result<bool> pump(std::size_t byte_budget = kFrameBytes);
  /// Copies everything that is pending, waiting for buffers.
  [[nodiscard]] Result<void> finish();
  [[nodiscard]] bool idle() const { return pending_.empty(); }
  /// Pictures come from another device from now on; earlier refusals are forgotten.
  void use(cuda::Pictures* pictures) { device_copies_ = DeviceCopies(pictures); }
  /// Links a texture of one texel and releases it: the first link of a process takes as long as many frames,
  /// and a device that refuses is known before its first picture.
  void try_device(int device);
  [[nodiscard]] const DeviceCopies& device_copies() const { return device_copies_; }

 private:
  friend class ImageTexture;
  Uploader(std::size_t slice_bytes, cuda::Pictures* pictures);
  void enqueue(ImageTexture* texture);
  void forget(ImageTexture* texture);
  /// Fills the levels below 0: mean (R) and maximum (G) of what a texel covers.
  void build_pyramid(const Texture2D& texture);

  PixelBufferRing ring_;
  GlObject reduce_program_;
  DeviceCopies device_copies_;
  std::vector<ImageTexture*> pending_;
};

class ImageTexture {
 public:
  explicit ImageTexture(Uploader& uploader) : uploader_(&uploader) {}
  ~ImageTexture();
  ImageTexture(const ImageTexture&) = delete;
  ImageTexture& operator=(const ImageTexture&) = delete;

  /// Requests that `image` be shown and returns at once; Uploader::pump() copies it. A request that is still
  /// pending is replaced: the latest wins. Errors: wrong_use when cells and size disagree or the size is
  /// impossible.
  [[nodiscard]] Result<void> upload(std::shared_ptr<const CellImage> image);
  /// Drops what is pending and what is shown: an empty texture.
  void clear();

  /// The hidden texture with the size height×width, for a writer that fills all of level 0. Throws Failure.
  [[nodiscard]] Texture2D& begin(std::uint32_t height, std::uint32_t width);
  /// Exchanges the textures: the hidden one is complete and shows the rectangle of `image`, whose cells may
  /// be empty.
  void commit(std::shared_ptr<const CellImage> image, UploadPath path);

  /// Whether no image has been committed yet.
  [[nodiscard]] bool empty() const { return shown_ == nullptr; }
  [[nodiscard]] bool pending() const { return pending_ != nullptr; }
  /// The image on screen (not the pending one); null when empty.
  [[nodiscard]] const std::shared_ptr<const CellImage>& shown() const { return shown_; }
  [[nodiscard]] UploadPath path() const { return path_; }
  /// A number that changes with every commit and clear and is unique over all textures; 0 before the first.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }

  [[nodiscard]] const Texture2D& texture() const { return textures_[front_]; }
  /// The shown texture with every level of its pyramid filled; built on first use.
  [[nodiscard]] const Texture2D& texture_with_pyramid();

 private:
  friend class Uploader;
  /// The link by which a device writes one texture.
  struct Link {
    std::unique_ptr<cuda::TextureLink> device;
    int number = -1;     ///< number of the device
    GLuint texture = 0;  ///< the texture that the link was made for
  };
  enum class Turn {
    done,     ///< shown, or nothing is pending
    waiting,  ///< the device is not ready: ask again in the next frame
    host,     ///< to be uploaded through pixel buffers
  };
  /// Begins a copy on the device, or checks on the one that is under way.
  [[nodiscard]] Turn copy_on_device(DeviceCopies& copies);
  [[nodiscard]] Turn end_copy(DeviceCopies& copies);
  /// Copies the next slice; false when no buffer is free.
  bool copy_slice(PixelBufferRing& ring, std::size_t& bytes);

  Uploader* uploader_;
  std::array<Texture2D, 2> textures_{Texture2D(TexelFormat::rg32f, true),
                                     Texture2D(TexelFormat::rg32f, true)};
  std::size_t front_ = 0;
  bool pyramid_built_ = false;
  std::array<Link, 2> links_;  ///< destroyed before the textures
  std::shared_ptr<const CellImage> shown_, pending_;
  std::shared_ptr<const CellImage> copying_;  ///< the image that the device is reading
  std::uint32_t next_row_ = 0;
  UploadPath path_ = UploadPath::pixel_buffer;
  std::uint64_t generation_ = 0;
};

}  // namespace spyctrum::render
