// SPDX-License-Identifier: Apache-2.0
// Numbers the names of a graph's vertices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "core/io/booked_list.hpp"
#include "core/matrix/index.hpp"

namespace spyctrum {

/// Texts, numbered in the order in which they are first seen, in a hash table with open addressing. Takes 16
/// to 24 bytes for each besides its characters.
class NumberedTexts {
 public:
  /// `what` names the texts in messages: "ids of the nodes".
  NumberedTexts(JobContext& context, const char* what)
      : context_(&context), what_(what), characters_(context, what), ends_(context, what) {
    resize(64);
  }
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t number) const {
    const std::uint64_t begin = number == 0 ? 0 : ends_[number - 1];
    return {characters_.data().data() + begin, static_cast<std::size_t>(ends_[number] - begin)};
  }
  /// The number of `text`, which is added if it is new; there must be fewer than kLargestSide texts.
  Index number_of(std::string_view text) {
    if (2 * size() >= slots_.data.size()) resize(2 * slots_.data.size());
    Index& slot = slot_of(text);
    if (slot != 0) return slot - 1;
    characters_.append(text);
    ends_.add(characters_.size());
    slot = static_cast<Index>(size());
    return slot - 1;
  }

 private:
  /// The slot of `text`, or the free slot for it.
  Index& slot_of(std::string_view text) {
    const std::size_t mask = slots_.data.size() - 1;
    std::size_t at = std::hash<std::string_view>()(text) & mask;
    while (slots_.data[at] != 0 && (*this)[slots_.data[at] - 1] != text) at = (at + 1) & mask;
    return slots_.data[at];
  }
  void resize(std::size_t slots) {
    slots_ = {};
    slots_ = BookedVector<Index>(*context_, slots, what_);
    for (std::size_t number = 0; number < size(); ++number) {
      if (number % 65536 == 0) context_->check_stop();
      slot_of((*this)[number]) = static_cast<Index>(number + 1);
    }
  }

  JobContext* context_;
  const char* what_;
  BookedList<char> characters_;
  BookedList<std::uint64_t> ends_;
  BookedVector<Index> slots_;  // the number of a text + 1; 0: free
};

}  // namespace spyctrum
