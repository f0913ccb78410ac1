// SPDX-License-Identifier: Apache-2.0
// Pixel-buffer uploads in slices, and the pyramid for zooming out.
#include "render/image_texture.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "render/shader_program.hpp"

namespace spyctrum::render {
namespace {

/// Counts over all textures, so that a new texture at the address of a destroyed one is not mistaken for it.
std::uint64_t next_generation() {
  static std::uint64_t last = 0;  // all OpenGL is on one thread
  return ++last;
}

}  // namespace

PixelBufferRing::PixelBufferRing(std::size_t slot_bytes) : slot_bytes_(slot_bytes) {
  require_gl_thread("PixelBufferRing");
  const auto bytes = static_cast<GLsizeiptr>(slot_bytes);
  const GLbitfield access = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
  for (Slot& slot : slots_) {
    slot.buffer = make_buffer();
    glNamedBufferStorage(slot.buffer.id(), bytes, nullptr, access);
    slot.memory = static_cast<std::byte*>(glMapNamedBufferRange(slot.buffer.id(), 0, bytes, access));
    check_gl("making a pixel buffer of " + std::to_string(slot_bytes) + " bytes");
    if (slot.memory == nullptr) throw Failure(ErrorCode::out_of_memory, "a pixel buffer cannot be mapped");
  }
}

PixelBufferRing::~PixelBufferRing() {
  for (Slot& slot : slots_)
    if (slot.fence != nullptr && slot.buffer.is_in_context()) glDeleteSync(slot.fence);
}

std::byte* PixelBufferRing::acquire() {
  Slot& slot = slots_[next_];
  if (slot.fence != nullptr) {
    // A timeout of zero returns the state without waiting; the flush makes sure that the fence is reached at
    // some time.
    const GLenum state = glClientWaitSync(slot.fence, GL_SYNC_FLUSH_COMMANDS_BIT, 0);
    if (state != GL_ALREADY_SIGNALED && state != GL_CONDITION_SATISFIED) return nullptr;
    glDeleteSync(std::exchange(slot.fence, nullptr));
  }
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, slot.buffer.id());
  check_gl("binding a pixel buffer");  // without it, the offset 0 in it would be a null pointer
  return slot.memory;
}

void PixelBufferRing::release() {
  slots_[next_].fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
  next_ = (next_ + 1) % slots_.size();
}

void PixelBufferRing::wait() {
  constexpr GLuint64 kSecond = 1'000'000'000;
  for (Slot& slot : slots_)
    if (slot.fence != nullptr &&
        glClientWaitSync(slot.fence, GL_SYNC_FLUSH_COMMANDS_BIT, 10 * kSecond) == GL_TIMEOUT_EXPIRED)
      throw Failure(ErrorCode::internal, "the GPU did not finish a copy within 10 s");
}

std::unique_ptr<cuda::TextureLink> DeviceCopies::link(int device, const Texture2D& texture) {
  std::array<char, 256> why{};
  std::unique_ptr<cuda::TextureLink> made(
      pictures_->link(device, texture.id(), texture.height(), texture.width(), why.data(), why.size()));
  if (!made) refuse(device, why.data());
  return made;
}

Uploader::Uploader(std::size_t slice_bytes, cuda::Pictures* pictures)
    : ring_(slice_bytes),
      reduce_program_(link_program({embedded_shader("reduce.comp")})),
      device_copies_(pictures) {}

Result<std::unique_ptr<Uploader>> Uploader::create(std::size_t slice_bytes, cuda::Pictures* pictures) {
  return run_guarded([&] { return std::unique_ptr<Uploader>(new Uploader(slice_bytes, pictures)); });
}

void Uploader::try_device(int device) {
  if (!device_copies_.allowed(device)) return;
  Texture2D texel(TexelFormat::rg32f);
  texel.resize(1, 1);
  (void)device_copies_.link(device, texel);
}

void Uploader::enqueue(ImageTexture* texture) {
  if (std::ranges::find(pending_, texture) == pending_.end()) pending_.push_back(texture);
}

void Uploader::forget(ImageTexture* texture) { std::erase(pending_, texture); }

Result<bool> Uploader::pump(std::size_t byte_budget) {
  using Turn = ImageTexture::Turn;
  std::size_t bytes = 0;
  for (std::size_t at = 0; at < pending_.size();) {
    ImageTexture* texture = pending_[at];
    bool waits = false;
    const Result<bool> copied = run_guarded([&] {
      const Turn turn = texture->copy_on_device(device_copies_);
      waits = turn == Turn::waiting || (turn == Turn::host && bytes >= byte_budget);
      return waits || turn == Turn::done || texture->copy_slice(ring_, bytes);
    });
    if (!copied || !texture->pending()) {
      texture->pending_.reset();
      forget(texture);
    }
    if (!copied) return tl::unexpected<Error>(copied.error());
    // Copies on a device and through pixel buffers alternate, so that neither kind waits long.
    if (waits || !*copied) ++at;
  }
  return !pending_.empty();
}

Result<void> Uploader::finish() {
  while (!pending_.empty()) {
    if (const Result<bool> more = pump(); !more) return tl::unexpected<Error>(more.error());
    if (Result<void> waited = run_guarded([&] { ring_.wait(); }); !waited) return waited;
  }
  return {};
}

void Uploader::build_pyramid(const Texture2D& texture) {
  require_gl_thread("Uploader::build_pyramid");
  glUseProgram(reduce_program_.id());
  for (int level = 1; level < texture.levels(); ++level) {
    glBindImageTexture(0, texture.id(), level - 1, GL_FALSE, 0, GL_READ_ONLY, GL_RG32F);
    glBindImageTexture(1, texture.id(), level, GL_FALSE, 0, GL_WRITE_ONLY, GL_RG32F);
    const GLuint height = std::max(texture.height() >> level, 1U);
    const GLuint width = std::max(texture.width() >> level, 1U);
    glDispatchCompute((width + 7) / 8, (height + 7) / 8, 1);
    glMemoryBarrier(GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
  }
  glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_TEXTURE_UPDATE_BARRIER_BIT);
  glUseProgram(0);
  check_gl("reducing an image");
}

ImageTexture::~ImageTexture() { uploader_->forget(this); }

Result<void> ImageTexture::upload(std::shared_ptr<const CellImage> image) {
  return run_guarded([&] {
    require_gl_thread("ImageTexture::upload");
    if (image == nullptr) throw Failure(ErrorCode::wrong_use, "there is no image to show");
    require_texture_size(image->height, image->width);
    if (!(image->rect.height() > 0 && image->rect.width() > 0))
      throw Failure(ErrorCode::wrong_use, "an image covers no part of the plane");
    const std::size_t cells = std::size_t{image->height} * image->width;
    if (image->cells.size() != 2 * cells)
      throw Failure(ErrorCode::wrong_use, "an image of " + std::to_string(image->height) + " x " +
                                              std::to_string(image->width) + " cells holds " +
                                              std::to_string(image->cells.size()) + " numbers instead of " +
                                              std::to_string(2 * cells));
    pending_ = std::move(image);
    next_row_ = 0;
    uploader_->enqueue(this);
  });
}

ImageTexture::Turn ImageTexture::copy_on_device(DeviceCopies& copies) {
  require_gl_thread("Uploader::pump");
  const auto waits_for_device = [&] {
    return pending_ && pending_->device && next_row_ == 0 && copies.allowed(pending_->device->device());
  };
  if (!copying_ && !pending_) return Turn::done;
  if (!copying_ && !waits_for_device()) return Turn::host;
  const DeviceCopies::Turn driver = copies.turn();
  if (!driver.has()) return Turn::waiting;
  // Nothing else may write the hidden texture while the device does, even for a newer image.
  if (copying_)
    if (const Turn turn = end_copy(copies); turn != Turn::host) return turn;
  if (!pending_) return Turn::done;
  if (!waits_for_device()) return Turn::host;
  const cuda::DevicePicture* picture = pending_->device.get();
  Texture2D& hidden = begin(pending_->height, pending_->width);
  Link& link = links_[1 - front_];
  if (!link.device || link.number != picture->device()) {
    link = {};
    link = {copies.link(picture->device(), hidden), picture->device(), hidden.id()};
    if (!link.device) return Turn::host;
  }
  if (!link.device->start(*picture)) {
    copies.refuse(picture->device(), link.device->why());
    link = {};
    return Turn::host;
  }
  copying_ = pending_;
  return Turn::waiting;
}

ImageTexture::Turn ImageTexture::end_copy(DeviceCopies& copies) {
  Link& link = links_[1 - front_];
  const cuda::TextureLink::State state = link.device->state();
  if (state == cuda::TextureLink::State::copying) return Turn::waiting;
  const std::shared_ptr<const CellImage> copied = std::move(copying_);
  copying_.reset();
  if (state != cuda::TextureLink::State::done) {
    copies.refuse(link.number, link.device->why());
    link = {};
    return Turn::host;
  }
  if (copied != pending_) return Turn::host;  // a newer image was requested meanwhile
  commit(std::exchange(pending_, nullptr), UploadPath::interop);
  return Turn::done;
}

void ImageTexture::clear() {
  pending_.reset();
  uploader_->forget(this);
  shown_.reset();
  generation_ = next_generation();
}

Texture2D& ImageTexture::begin(std::uint32_t height, std::uint32_t width) {
  Texture2D& hidden = textures_[1 - front_];
  // The link to the device must be destroyed before the texture.
  if (hidden.height() != height || hidden.width() != width) links_[1 - front_] = {};
  hidden.resize(height, width);
  return hidden;
}

void ImageTexture::commit(std::shared_ptr<const CellImage> image, UploadPath path) {
  front_ = 1 - front_;
  pyramid_built_ = false;
  shown_ = std::move(image);
  path_ = path;
  generation_ = next_generation();
}

const Texture2D& ImageTexture::texture_with_pyramid() {
  if (!pyramid_built_) {
    uploader_->build_pyramid(textures_[front_]);
    pyramid_built_ = true;
  }
  return textures_[front_];
}

bool ImageTexture::copy_slice(PixelBufferRing& ring, std::size_t& bytes) {
  require_gl_thread("Uploader::pump");
  const std::uint32_t height = pending_->height;
  Texture2D& hidden = begin(height, pending_->width);
  const std::size_t row_bytes = std::size_t{pending_->width} * bytes_per_texel(TexelFormat::rg32f);
  if (row_bytes > ring.slot_bytes()) throw Failure(ErrorCode::internal, "a row of an image exceeds a slice");
  std::byte* memory = ring.acquire();
  if (memory == nullptr) return false;
  const auto rows =
      static_cast<std::uint32_t>(std::min<std::size_t>(ring.slot_bytes() / row_bytes, height - next_row_));
  std::memcpy(memory, reinterpret_cast<const std::byte*>(pending_->cells.data()) + next_row_ * row_bytes,
              rows * row_bytes);
  hidden.write_rows(next_row_, rows, nullptr);
  ring.release();
  check_gl("uploading " + std::to_string(height) + " x " + std::to_string(pending_->width) + " cells");
  bytes += rows * row_bytes;
  next_row_ += rows;
  if (next_row_ == height) commit(std::exchange(pending_, nullptr), UploadPath::pixel_buffer);
  return true;
}

}  // namespace spyctrum::render
