// SPDX-License-Identifier: Apache-2.0
// Carries out picture tasks by plain loops.
#include "tests/support/fake_pictures.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <limits>
#include <memory>
#include <numbers>

namespace spyctrum::test {

namespace {

using cuda::CellRange;
using cuda::PictureTask;
using Complex = std::complex<double>;

class ResidentPattern : public cuda::DeviceData {
 public:
  [[nodiscard]] std::uint64_t bytes() const override { return 8 * row_slots.size() + 4; }
  std::vector<std::uint32_t> row_slots, col_slots, row_ids, col_ids;
};

class ResidentValues : public cuda::DeviceData {
 public:
  [[nodiscard]] std::uint64_t bytes() const override { return 8 * values.size() + 4; }
  std::vector<std::complex<float>> values;
};

float power_of(std::complex<float> value) {
  return value.real() * value.real() + value.imag() * value.imag();
}

/// Mean and maximum of power(p, q) over the ranges of every cell.
template <class Power>
void reduce(const PictureTask& task, std::vector<float>& cells, Power power) {
  for (std::size_t r = 0; r < task.height; ++r) {
    for (std::size_t c = 0; c < task.width; ++c) {
      double sum = 0;
      double most = 0;
      double count = 0;
      for (std::int64_t p = task.rows[r].first; p < task.rows[r].last; ++p) {
        for (std::int64_t q = task.cols[c].first; q < task.cols[c].last; ++q) {
          const double value = power(p, q);
          sum += value;
          most = std::max(most, value);
          ++count;
        }
      }
      if (count == 0) continue;
      cells[2 * (r * task.width + c)] = static_cast<float>(sum / count);
      cells[2 * (r * task.width + c) + 1] = static_cast<float>(most);
    }
  }
}

/// The result of sort_order(): nothing is sorted here, but the order must belong to the axes that use it.
class ResidentOrder : public cuda::DeviceData {
 public:
  [[nodiscard]] std::uint64_t bytes() const override { return 64; }
  [[nodiscard]] static std::vector<std::uint64_t> key_of(const cuda::LatticeAxisSpec& rows,
                                                         const cuda::LatticeAxisSpec& cols) {
    return {rows.size, rows.step, rows.fine, rows.cell, rows.taps,
            cols.size, cols.step, cols.fine, cols.cell, cols.taps};
  }
  const cuda::DeviceData* pattern = nullptr;
  std::vector<std::uint64_t> key;
};

Complex root(std::uint64_t k, std::uint64_t size) {
  return std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size));
}

/// The cell into which a row or column falls.
struct Source {
  std::uint64_t start = 0;
  std::vector<double> taps{1.0};
  Complex phase;
};

Source source_of(const cuda::LatticeAxisSpec& axis, std::uint64_t i) {
  Source source;
  source.phase = root(axis.centre * i % axis.size, axis.size);
  const std::uint64_t place = axis.step * i % axis.size;
  if (axis.cell != 0) {
    source.start = place / axis.cell;
    return source;
  }
  const double left =
      static_cast<double>(axis.fine) * static_cast<double>(place) / static_cast<double>(axis.size) -
      static_cast<double>(axis.taps) / 2;
  const double first = std::ceil(left);
  source.start = static_cast<std::uint64_t>(first < 0 ? first + static_cast<double>(axis.fine) : first);
  source.taps.assign(axis.taps, 0.0);
  for (std::uint32_t tap = 0; tap < axis.taps; ++tap)
    for (std::uint32_t power = 0; power < axis.powers; ++power)
      source.taps[tap] += axis.polynomials[power * axis.taps + tap] *
                          std::pow(2 * (first - left) - 1, static_cast<double>(power));
  return source;
}

/// The outputs of a forward DFT of the fine values `stride` apart, corrected.
void dft(const std::vector<Complex>& in, std::size_t from, std::size_t stride,
         const cuda::LatticeAxisSpec& axis, Complex* out, std::size_t out_stride) {
  for (std::uint64_t p = 0; p < axis.distinct; ++p) {
    const std::uint64_t k = (axis.fine - axis.middle + p) % axis.fine;
    Complex sum;
    for (std::uint64_t x = 0; x < axis.fine; ++x)
      sum += in[from + x * stride] * root(k * x % axis.fine, axis.fine);
    double transform = axis.cell != 0 ? 1 : 0;
    for (std::uint32_t node = 0; node < axis.nodes; ++node)
      transform += axis.values[node] * std::cos(2 * std::numbers::pi *
                                                (static_cast<double>(p) - static_cast<double>(axis.middle)) *
                                                axis.places[node] / static_cast<double>(axis.fine));
    out[p * out_stride] = sum / transform;
  }
}

std::vector<Complex> lattice(const PictureTask& task) {
  const auto& pattern = static_cast<const ResidentPattern&>(*task.data);
  const auto& order = static_cast<const ResidentOrder&>(*task.order);
  const cuda::LatticeAxisSpec& rows = *task.row_lattice;
  const cuda::LatticeAxisSpec& cols = *task.col_lattice;
  if (order.pattern != task.data || order.key != ResidentOrder::key_of(rows, cols)) return {};
  std::vector<Source> row_sources, col_sources;
  for (const std::uint32_t i : pattern.row_ids) row_sources.push_back(source_of(rows, i));
  for (const std::uint32_t j : pattern.col_ids) col_sources.push_back(source_of(cols, j));
  std::vector<Complex> fine(rows.fine * cols.fine);
  for (std::size_t t = 0; t < pattern.row_slots.size(); ++t) {
    const Source& row = row_sources[pattern.row_slots[t]];
    const Source& col = col_sources[pattern.col_slots[t]];
    for (std::uint32_t a = 0; a < rows.taps; ++a)
      for (std::uint32_t b = 0; b < cols.taps; ++b)
        fine[(row.start + a) % rows.fine * cols.fine + (col.start + b) % cols.fine] +=
            row.phase * col.phase * row.taps[a] * col.taps[b];
  }
  std::vector<Complex> half(rows.fine * cols.distinct);
  for (std::uint64_t x = 0; x < rows.fine; ++x)
    dft(fine, x * cols.fine, 1, cols, &half[x * cols.distinct], 1);
  std::vector<Complex> values(rows.distinct * cols.distinct);
  for (std::uint64_t q = 0; q < cols.distinct; ++q)
    dft(half, q, cols.distinct, rows, &values[q], cols.distinct);
  return values;
}

std::complex<float> stored_value(const PictureTask& task, std::uint64_t p, std::uint64_t q) {
  const auto& values = static_cast<const ResidentValues&>(*task.data).values;
  const std::uint64_t row = task.row_nodes.storage[p];
  return row < task.row_nodes.stored
             ? values.at(row * task.stride + task.col_nodes.storage[q])
             : values.at((row - task.row_nodes.stored) * task.stride + task.col_nodes.mirrored[q]);
}

void draw_coefficients(const PictureTask& task, std::vector<float>& cells) {
  const std::vector<Complex> values = lattice(task);
  const std::uint64_t rows = task.row_lattice->distinct;
  const std::uint64_t cols = task.col_lattice->distinct;
  reduce(task, cells, [&](std::int64_t p, std::int64_t q) {
    return std::norm(
        values.at(static_cast<std::uint64_t>(p) % rows * cols + static_cast<std::uint64_t>(q) % cols));
  });
}

void draw_values(const PictureTask& task, std::vector<float>& cells) {
  reduce(task, cells, [&](std::int64_t p, std::int64_t q) {
    return static_cast<double>(
        power_of(stored_value(task, static_cast<std::uint64_t>(p), static_cast<std::uint64_t>(q))));
  });
}

void draw_bilinear(const PictureTask& task, std::vector<float>& cells) {
  const auto magnitude = [&](std::uint64_t p, std::uint64_t q) {
    return std::sqrt(static_cast<double>(power_of(stored_value(task, p, q))));
  };
  for (std::size_t r = 0; r < task.height; ++r) {
    for (std::size_t c = 0; c < task.width; ++c) {
      if (task.rows[r].last <= task.rows[r].first || task.cols[c].last <= task.cols[c].first) continue;
      double sum = 0;
      double most = 0;
      double count = 0;
      for (std::uint32_t i = task.row_starts[r]; i < task.row_starts[r + 1]; ++i) {
        for (std::uint32_t j = task.col_starts[c]; j < task.col_starts[c + 1]; ++j) {
          const cuda::PickView u = task.row_picks[i];
          const cuda::PickView v = task.col_picks[j];
          if (u.is_zero != 0 && v.is_zero != 0) continue;
          const auto along = [&](std::uint32_t q) {
            return (1 - static_cast<double>(u.weight)) * magnitude(u.below, q) +
                   static_cast<double>(u.weight) * magnitude(u.above, q);
          };
          const double value = (1 - static_cast<double>(v.weight)) * along(v.below) +
                               static_cast<double>(v.weight) * along(v.above);
          // E|F|² as Reconstruction::powers(), in double precision.
          constexpr double kRayleigh = std::numbers::pi / 4;
          const auto spread = [](const cuda::PickView& pick) {
            const auto weight = static_cast<double>(pick.weight);
            return weight * weight + (1 - weight) * (1 - weight);
          };
          const double power = value * value / (kRayleigh + (1 - kRayleigh) * spread(u) * spread(v));
          sum += power;
          most = std::max(most, power);
          ++count;
        }
      }
      cells[2 * (r * task.width + c)] = static_cast<float>(count > 0 ? sum / count : 0);
      cells[2 * (r * task.width + c) + 1] = static_cast<float>(most);
    }
  }
}

/// The cell of a pyramid that holds index i of the shifted plane.
std::uint64_t pyramid_cell(std::uint64_t i, std::uint64_t size, std::uint64_t cells) {
  std::uint64_t cell = 0;
  while ((cell + 1) * size / cells <= i) ++cell;
  return cell;
}

void draw_pyramid(const PictureTask& task, std::vector<float>& cells) {
  const auto& values = static_cast<const ResidentValues&>(*task.data).values;
  const auto at = [&](std::int64_t u, std::int64_t v) {
    return values.at(pyramid_cell(static_cast<std::uint64_t>(u + static_cast<std::int64_t>(task.m / 2)),
                                  task.m, task.pyramid_rows) *
                         task.pyramid_cols +
                     pyramid_cell(static_cast<std::uint64_t>(v + static_cast<std::int64_t>(task.n / 2)),
                                  task.n, task.pyramid_cols));
  };
  // Means over coefficients; maxima are separate.
  std::vector<float> maxima = cells;
  reduce(task, cells, [&](std::int64_t u, std::int64_t v) { return static_cast<double>(at(u, v).real()); });
  reduce(task, maxima, [&](std::int64_t u, std::int64_t v) { return static_cast<double>(at(u, v).imag()); });
  for (std::size_t k = 1; k < cells.size(); k += 2) cells[k] = maxima[k];
}

void draw_counts(const PictureTask& task, std::vector<float>& cells) {
  const auto& pattern = static_cast<const ResidentPattern&>(*task.data);
  const auto contains = [&](const CellRange& range, std::uint32_t index) {
    const auto block = static_cast<std::int64_t>(index / task.block);
    return range.first <= block && block < range.last;
  };
  const auto is_counted = [&](std::size_t t) {
    return !task.first_of_blocks || (pattern.row_ids[pattern.row_slots[t]] % task.block == 0 &&
                                     pattern.col_ids[pattern.col_slots[t]] % task.block == 0);
  };
  const auto extent = [&](const CellRange& range, std::uint64_t size) {
    const std::uint64_t end = std::min(size, static_cast<std::uint64_t>(range.last) * task.block);
    return static_cast<double>(end - static_cast<std::uint64_t>(range.first) * task.block);
  };
  for (std::size_t r = 0; r < task.height; ++r) {
    for (std::size_t c = 0; c < task.width; ++c) {
      const CellRange rows = task.rows[r];
      const CellRange cols = task.cols[c];
      if (rows.last <= rows.first || cols.last <= cols.first) continue;
      double count = 0;
      for (std::size_t t = 0; t < pattern.row_slots.size(); ++t)
        if (is_counted(t) && contains(rows, pattern.row_ids[pattern.row_slots[t]]) &&
            contains(cols, pattern.col_ids[pattern.col_slots[t]]))
          ++count;
      const double blocks =
          task.mean_of_blocks || task.first_of_blocks
              ? static_cast<double>(rows.last - rows.first) * static_cast<double>(cols.last - cols.first)
              : 1;
      cells[2 * (r * task.width + c)] = static_cast<float>(count / blocks);
      cells[2 * (r * task.width + c) + 1] = static_cast<float>(
          count / (task.first_of_blocks ? blocks : extent(rows, task.m) * extent(cols, task.n)));
    }
  }
}

}  // namespace

class FakeLink : public cuda::TextureLink {
 public:
  FakeLink(FakePictures& owner, unsigned texture, std::uint32_t height, std::uint32_t width)
      : owner_(owner), texture_(texture), height_(height), width_(width) {
    ++owner_.links;
    ++owner_.links_alive;
  }
  ~FakeLink() override { --owner_.links_alive; }
  FakeLink(const FakeLink&) = delete;
  FakeLink& operator=(const FakeLink&) = delete;

  [[nodiscard]] bool start(const cuda::DevicePicture& picture) override {
    if (picture.height() != height_ || picture.width() != width_) return false;
    source_ = &static_cast<const FakePicture&>(picture);
    left_ = owner_.frames_to_copy;
    return true;
  }
  [[nodiscard]] State state() override {
    if (source_ == nullptr) return State::idle;
    if (left_-- > 0) return State::copying;
    if (owner_.copies_before_failure == 0) {
      source_ = nullptr;
      return State::failed;
    }
    if (owner_.copies_before_failure > 0) --owner_.copies_before_failure;
    {
      const std::lock_guard lock(owner_.mutex_);
      if (!owner_.living_.contains(source_)) owner_.copied_from_the_dead = true;
    }
    if (owner_.copied_from_the_dead) {
      source_ = nullptr;
      return State::failed;
    }
    ++owner_.copies;
    if (owner_.write) owner_.write(texture_, height_, width_, source_->cells);
    source_ = nullptr;
    return State::done;
  }
  [[nodiscard]] const char* why() const override { return "the copy failed"; }

 private:
  FakePictures& owner_;
  unsigned texture_;
  std::uint32_t height_, width_;
  const FakePicture* source_ = nullptr;
  int left_ = 0;
};

FakePicture::FakePicture(std::uint32_t height, std::uint32_t width, std::vector<float> given,
                         FakePictures& owner)
    : cells(std::move(given)), height_(height), width_(width), owner_(owner) {
  const std::lock_guard lock(owner_.mutex_);
  owner_.living_.insert(this);
}
FakePicture::~FakePicture() {
  const std::lock_guard lock(owner_.mutex_);
  owner_.living_.erase(this);
}

std::size_t FakePictures::alive() const {
  const std::lock_guard lock(mutex_);
  return living_.size();
}

std::uint64_t FakePictures::free_bytes(int /*device*/) { return std::uint64_t{1} << 30U; }

cuda::DeviceData* FakePictures::upload_pattern(int /*device*/, const cuda::PatternView& pattern,
                                               const std::uint32_t* row_ids, std::uint64_t row_slots,
                                               cuda::Host& /*host*/) {
  auto data = std::make_unique<ResidentPattern>();
  data->row_slots.assign(pattern.row_indices, pattern.row_indices + pattern.nonzeros);
  data->row_ids.assign(row_ids, row_ids + row_slots);
  data->col_ids.assign(pattern.column_ids, pattern.column_ids + pattern.active);
  for (std::uint32_t slot = 0; slot < pattern.active; ++slot)
    for (std::int64_t t = pattern.column_starts[slot]; t < pattern.column_starts[slot + 1]; ++t)
      data->col_slots.push_back(slot);
  ++kept;
  return data.release();
}

cuda::DeviceData* FakePictures::sort_order(int /*device*/, const cuda::DeviceData& pattern,
                                           const cuda::LatticeAxisSpec& rows,
                                           const cuda::LatticeAxisSpec& cols, cuda::LatticeOrder /*order*/,
                                           cuda::Host& /*host*/) {
  auto order = std::make_unique<ResidentOrder>();
  order->pattern = &pattern;
  order->key = ResidentOrder::key_of(rows, cols);
  ++sorted;
  return order.release();
}

cuda::DeviceData* FakePictures::upload_values(int /*device*/, const float* values, std::uint64_t count,
                                              cuda::Host& /*host*/) {
  auto data = std::make_unique<ResidentValues>();
  for (std::uint64_t k = 0; k < count; ++k) data->values.emplace_back(values[2 * k], values[2 * k + 1]);
  ++kept;
  return data.release();
}

cuda::DeviceData* FakePictures::upload_pyramid(int /*device*/, const float* means, const float* maxima,
                                               std::uint64_t count, cuda::Host& /*host*/) {
  auto data = std::make_unique<ResidentValues>();
  for (std::uint64_t k = 0; k < count; ++k) data->values.emplace_back(means[k], maxima[k]);
  ++kept;
  return data.release();
}

cuda::DevicePicture* FakePictures::draw(int /*device*/, const PictureTask& task, float* cells,
                                        cuda::Host& host) {
  host.checkpoint(0, 1);
  if (!draw_failure.empty()) host.fail(draw_error, draw_failure.c_str(), 2);
  std::vector<float> drawing(2 * std::size_t{task.height} * task.width,
                             std::numeric_limits<float>::quiet_NaN());
  switch (task.source) {
    case PictureTask::Source::coefficients:
      draw_coefficients(task, drawing);
      break;
    case PictureTask::Source::values:
      draw_values(task, drawing);
      break;
    case PictureTask::Source::bilinear:
      draw_bilinear(task, drawing);
      break;
    case PictureTask::Source::pyramid:
      draw_pyramid(task, drawing);
      break;
    case PictureTask::Source::counts:
      draw_counts(task, drawing);
      break;
  }
  std::copy(drawing.begin(), drawing.end(), cells);
  ++drawn;
  return std::make_unique<FakePicture>(task.height, task.width, std::move(drawing), *this).release();
}

void FakePictures::patch(cuda::DevicePicture& picture, const std::uint32_t* cells, const float* values,
                         std::uint64_t count, cuda::Host& /*host*/) {
  auto& fake = static_cast<FakePicture&>(picture);
  for (std::uint64_t k = 0; k < count; ++k) {
    fake.cells.at(2 * std::size_t{cells[k]}) = values[2 * k];
    fake.cells.at(2 * std::size_t{cells[k]} + 1) = values[2 * k + 1];
  }
}

cuda::TextureLink* FakePictures::link(int /*device*/, unsigned texture, std::uint32_t height,
                                      std::uint32_t width, char* why, std::size_t size) {
  if (!refusal.empty()) {
    (void)std::snprintf(why, size, "%s", refusal.c_str());
    return nullptr;
  }
  return std::make_unique<FakeLink>(*this, texture, height, width).release();
}

}  // namespace spyctrum::test
