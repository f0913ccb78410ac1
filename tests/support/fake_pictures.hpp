// SPDX-License-Identifier: Apache-2.0
// A fake of the CUDA module's pictures that runs on the CPU: tasks are carried out step by step from their
// own tables, without any code of core/pictures, so that a task with a wrong table makes a wrong picture.
// Copies into textures end, fail, or are refused as the test chooses.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/device/interface/lattice.hpp"
#include "core/device/interface/module.hpp"

namespace spyctrum::test {

class FakePictures;

/// Cells that count as memory of the device.
class FakePicture : public cuda::DevicePicture {
 public:
  FakePicture(std::uint32_t height, std::uint32_t width, std::vector<float> given, FakePictures& owner);
  ~FakePicture() override;
  [[nodiscard]] int device() const override { return 0; }
  [[nodiscard]] std::uint32_t height() const override { return height_; }
  [[nodiscard]] std::uint32_t width() const override { return width_; }
  std::vector<float> cells;

 private:
  std::uint32_t height_, width_;
  FakePictures& owner_;
};

class FakePictures : public cuda::Pictures {
 public:
  /// Writes cells into an OpenGL texture; empty: nothing is written.
  using Write = std::function<void(unsigned texture, std::uint32_t height, std::uint32_t width,
                                   const std::vector<float>& cells)>;

  // Set by the test.
  std::string refusal;  ///< link() refuses with this
  std::string
      draw_failure;  ///< draw() fails with this, as out of memory unless the test chooses another error
  cuda::DeviceError draw_error = cuda::DeviceError::out_of_memory;
  int frames_to_copy = 1;          ///< how often state() says `copying` before `done`
  int copies_before_failure = -1;  ///< this many copies succeed, then one fails; negative: none fails
  Write write;

  // Read by the test.
  std::atomic<int> drawn{0}, kept{0}, sorted{0}, spare_released{0};
  int links = 0, links_alive = 0, copies = 0;
  bool copied_from_the_dead = false;        ///< a picture was freed while it was being copied
  [[nodiscard]] std::size_t alive() const;  ///< number of pictures

  [[nodiscard]] std::uint64_t free_bytes(int device) override;
  [[nodiscard]] cuda::DeviceData* upload_pattern(int device, const cuda::PatternView& pattern,
                                                 const std::uint32_t* row_ids, std::uint64_t row_slots,
                                                 cuda::Host& host) override;
  [[nodiscard]] cuda::DeviceData* sort_order(int device, const cuda::DeviceData& pattern,
                                             const cuda::LatticeAxisSpec& rows,
                                             const cuda::LatticeAxisSpec& cols, cuda::LatticeOrder order,
                                             cuda::Host& host) override;
  [[nodiscard]] cuda::DeviceData* upload_values(int device, const float* values, std::uint64_t count,
                                                cuda::Host& host) override;
  [[nodiscard]] cuda::DeviceData* upload_pyramid(int device, const float* means, const float* maxima,
                                                 std::uint64_t count, cuda::Host& host) override;
  [[nodiscard]] cuda::DevicePicture* draw(int device, const cuda::PictureTask& task, float* cells,
                                          cuda::Host& host) override;
  void patch(cuda::DevicePicture& picture, const std::uint32_t* cells, const float* values,
             std::uint64_t count, cuda::Host& host) override;
  [[nodiscard]] cuda::TextureLink* link(int device, unsigned texture, std::uint32_t height,
                                        std::uint32_t width, char* why, std::size_t size) override;
  void release_unused(int /*device*/) noexcept override { ++spare_released; }

 private:
  friend class FakePicture;
  friend class FakeLink;
  mutable std::mutex mutex_;
  std::set<const FakePicture*> living_;
};

}  // namespace spyctrum::test
