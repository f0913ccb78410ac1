// SPDX-License-Identifier: Apache-2.0
// One heap per worker; most pieces of rows hold nothing larger than the heap's smallest member and are
// skipped.
#include "core/features/strongest_consumer.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

#include "core/frequency/frequency_grid.hpp"

namespace spyctrum {

namespace {

using Complex = std::complex<float>;

bool is_stronger(const StrongCoefficient& a, const StrongCoefficient& b) {
  const auto key = [](const StrongCoefficient& one) {
    return std::tuple(-std::norm(one.value), std::abs(one.u), std::abs(one.v), one.v);
  };
  return key(a) < key(b);
}

/// The transpose (v, u), F[v, u] = F[u, v], as the listed member of its conjugate pair (first index ≥ 0).
StrongCoefficient transposed(const StrongCoefficient& one, std::uint64_t n) {
  if (one.v < 0) return {-one.v, signed_index(-one.u, n), std::conj(one.value)};
  return {signed_index(one.v, n), signed_index(one.u, n), one.value};
}

}  // namespace

/// The least power that a heap takes.
float StrongestConsumer::least(const Heap& heap) const {
  return heap.size() < count_ ? floor_ : std::norm(heap.front().value);
}

void StrongestConsumer::offer(const StrongCoefficient& one, Heap& heap) const {
  if (std::norm(one.value) < floor_) return;
  if (heap.size() == count_) {
    if (!is_stronger(one, heap.front())) return;
    std::pop_heap(heap.begin(), heap.end(), is_stronger);
    heap.pop_back();
  }
  heap.push_back(one);
  std::push_heap(heap.begin(), heap.end(), is_stronger);
}

/// Columns begin … end−1.
void StrongestConsumer::take(const SpectrumRow& row, std::size_t begin, std::size_t end, Heap& heap) const {
  constexpr std::size_t kPiece = 256;
  for (; begin < end; begin += kPiece) {
    const auto piece = row.values.subspan(begin, std::min(kPiece, end - begin));
    float most = 0;
    for (const Complex value : piece) most = std::max(most, std::norm(value));
    if (most < least(heap)) continue;
    for (std::size_t k = 0; k < piece.size(); ++k) {
      if (std::norm(piece[k]) < least(heap)) continue;
      const StrongCoefficient one{signed_index(row.u, m_), signed_index(begin + k, n_), piece[k]};
      offer(one, heap);
      if (row.symmetric_half && std::abs(one.u) != std::abs(one.v)) offer(transposed(one, n_), heap);
    }
  }
}

void StrongestConsumer::begin(std::uint64_t m, std::uint64_t n, unsigned workers) {
  m_ = m;
  n_ = n;
  workers_.clear();
  resume(workers);
}

void StrongestConsumer::resume(unsigned workers) {
  while (workers_.size() < workers) workers_.push_back(std::make_unique<WorkerHeap>());
}

void StrongestConsumer::consume(const SpectrumRow& row, unsigned worker) {
  if (count_ == 0) return;
  WorkerHeap& own = *workers_[worker];
  const std::lock_guard lock(own.mutex);
  // A row that is its own mirror holds both members of each pair.
  const std::size_t end = row.mirrored ? row.values.size() : row.values.size() / 2 + 1;
  const std::size_t begin = row.u == 0 ? 1 : 0;
  if (!row.symmetric_half) return take(row, begin, end, own.heap);
  const auto reach = static_cast<std::size_t>(row.u) + 1;
  take(row, begin, std::min(reach, end), own.heap);
  take(row, std::max(reach, row.values.size() + 1 - reach), end, own.heap);
}

void StrongestConsumer::offer(std::span<const StrongCoefficient> found, bool symmetric_half) {
  if (count_ == 0) return;
  WorkerHeap& first = *workers_.front();
  // The first tiles of a device contain many more coefficients than are kept: those below the count-th
  // largest are skipped before the heap is used.
  float least = 0;
  if (found.size() > count_) {
    std::vector<float> powers;
    powers.reserve(found.size());
    for (const StrongCoefficient& one : found) powers.push_back(std::norm(one.value));
    const auto last = powers.begin() + static_cast<std::ptrdiff_t>(count_) - 1;
    std::nth_element(powers.begin(), last, powers.end(), std::greater<>());
    least = *last;
  }
  const std::lock_guard lock(first.mutex);
  for (const StrongCoefficient& one : found) {
    if (std::norm(one.value) < least) continue;
    offer(one, first.heap);
    if (symmetric_half && std::abs(one.u) != std::abs(one.v)) offer(transposed(one, n_), first.heap);
  }
}

float StrongestConsumer::weakest_offered() const {
  WorkerHeap& first = *workers_.front();
  const std::lock_guard lock(first.mutex);
  return count_ == 0 ? 0 : least(first.heap);
}

std::vector<StrongCoefficient> StrongestConsumer::strongest() const {
  std::vector<StrongCoefficient> all;
  for (const auto& worker : workers_) {
    const std::lock_guard lock(worker->mutex);
    all.insert(all.end(), worker->heap.begin(), worker->heap.end());
  }
  std::sort(all.begin(), all.end(), is_stronger);
  if (all.size() > count_) all.resize(count_);
  return all;
}

}  // namespace spyctrum
