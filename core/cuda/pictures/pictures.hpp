// SPDX-License-Identifier: Apache-2.0
// Pictures on the device: their cells, which outlive the job that computed them, and copies of the cells to
// OpenGL textures.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/cuda/runtime/streams.hpp"
#include "core/device/interface/pictures.hpp"

namespace spyctrum::cuda {

/// Memory for the cells of one picture, and the events of its last write and last read.
struct CellBlock {
  int device = 0;
  std::uint64_t bytes = 0;
  float2* cells = nullptr;
  cudaEvent_t ready = nullptr;  ///< recorded after the last write
  cudaEvent_t read = nullptr;   ///< recorded after the last copy from it
};

/// The blocks of destroyed pictures, which later pictures reuse: cudaFree() waits for the whole device, so
/// the interface thread, which destroys pictures, must not call it.
class CellPool {
 public:
  /// A block of at least `bytes` on the current device. Later work on `stream` waits until the last copy from
  /// the block has ended.
  [[nodiscard]] CellBlock take(Host& host, int device, std::uint64_t bytes, cudaStream_t stream);
  void give_back(const CellBlock& block) noexcept;
  /// Frees the oldest unused blocks of a device until `left` remain. May wait for the device, so only workers
  /// may call it.
  void trim(int device, std::size_t left) noexcept;

 private:
  [[nodiscard]] bool find(CellBlock& found, int device, std::uint64_t bytes);
  std::mutex mutex_;
  std::vector<CellBlock> spare_;
};

class Picture : public DevicePicture {
 public:
  Picture(CellPool& pool, const CellBlock& block, std::uint32_t height, std::uint32_t width)
      : pool_(pool), block_(block), height_(height), width_(width) {}
  ~Picture() override { pool_.give_back(block_); }
  Picture(const Picture&) = delete;
  Picture& operator=(const Picture&) = delete;
  [[nodiscard]] int device() const override { return block_.device; }
  [[nodiscard]] std::uint32_t height() const override { return height_; }
  [[nodiscard]] std::uint32_t width() const override { return width_; }
  [[nodiscard]] const CellBlock& block() const { return block_; }

 private:
  CellPool& pool_;
  CellBlock block_;
  std::uint32_t height_;
  std::uint32_t width_;
};

/// Pictures::link(), in gl_images.cpp.
[[nodiscard]] TextureLink* link_texture(int device, unsigned texture, std::uint32_t height,
                                        std::uint32_t width, char* why, std::size_t size);

/// The only instance, which is never destroyed: pictures may live until the program ends.
[[nodiscard]] Pictures& the_pictures();

}  // namespace spyctrum::cuda
