// SPDX-License-Identifier: Apache-2.0
// A booked array that grows with the bytes in a file, not with the size that the file announces.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/matrix/index.hpp"

namespace spyctrum {

/// Elements that are not cleared, which would take as long as reading them, and the Booking of their bytes.
template <class T>
struct BookedUnset {
  BookedUnset() = default;
  /// `count` elements, which must be set.
  BookedUnset(JobContext& context, std::size_t count, std::string_view purpose)
      : booking(context.memory(), count * sizeof(T), purpose) {
    data.reserve(count);
    advise_large_pages(data.data(), count * sizeof(T));
    data.resize(count);
  }
  Booking booking;
  std::vector<T, UnsetAllocator<T>> data;
};
using BookedIndices = BookedUnset<Index>;
using BookedBytes = BookedUnset<char>;

/// Functions that add elements throw Failure{cancelled} and Failure{out_of_memory}. The capacity doubles;
/// while elements move to larger memory, a stop is noticed every few milliseconds.
template <class T>
class BookedList {
 public:
  static constexpr bool kIsUnset = std::is_same_v<T, Index> || std::is_same_v<T, char>;
  using Array = std::conditional_t<kIsUnset, BookedUnset<T>, BookedVector<T>>;
  using List = decltype(Array::data);

  /// Reserves memory for `expected` elements, so that a list of at most that many never moves.
  BookedList(JobContext& context, std::string_view purpose, std::uint64_t expected = 0)
      : context_(&context), purpose_(purpose) {
    if (expected != 0) reserve(expected);
  }
  void add(T value) {
    if (array_.data.size() % kPiece == 0) make_room(1);
    if (array_.data.size() == array_.data.capacity()) make_room(1);
    array_.data.push_back(value);
  }
  void append(std::span<const T> values) {
    if constexpr (kIsUnset) {
      std::ranges::copy(values, extend(values.size()).begin());
    } else {
      make_room(values.size());
      array_.data.insert(array_.data.end(), values.begin(), values.end());
    }
  }
  /// Appends `count` zeros, or indices or bytes that must be set, and returns them.
  std::span<T> extend(std::size_t count) {
    make_room(count);
    array_.data.resize(array_.data.size() + count);
    return std::span(array_.data).last(count);
  }
  /// Removes the elements from `count` on.
  void truncate(std::size_t count) { array_.data.resize(count); }

  /// Makes room for `capacity` elements, which must not be fewer than there are.
  void reserve(std::size_t capacity) {
    Booking larger(context_->memory(), capacity * sizeof(T), purpose_);
    List moved;
    moved.reserve(capacity);
    advise_large_pages(moved.data(), capacity * sizeof(T));
    for (std::size_t at = 0; at < array_.data.size(); at += kPiece) {
      context_->check_stop();
      const auto piece = std::span(array_.data).subspan(at, std::min(kPiece, array_.data.size() - at));
      moved.insert(moved.end(), piece.begin(), piece.end());
    }
    array_.data = std::move(moved);
    array_.booking = std::move(larger);
  }

  [[nodiscard]] T operator[](std::uint64_t k) const { return array_.data[k]; }
  [[nodiscard]] std::size_t size() const { return array_.data.size(); }
  [[nodiscard]] const List& data() const { return array_.data; }
  [[nodiscard]] List& data() { return array_.data; }
  [[nodiscard]] Array take() && { return std::move(array_); }

 private:
  static constexpr std::size_t kPiece = (std::size_t{1} << 20U) / sizeof(T);
  static constexpr std::size_t kFewest = (std::size_t{1} << 12U) / sizeof(T);

  void make_room(std::size_t more) {
    context_->check_stop();
    const std::size_t size = array_.data.size() + more;
    if (size > array_.data.capacity()) reserve(std::max({size, 2 * array_.data.size(), kFewest}));
  }

  JobContext* context_;
  std::string purpose_;
  Array array_;
};

}  // namespace spyctrum
