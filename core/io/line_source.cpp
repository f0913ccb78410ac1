// SPDX-License-Identifier: Apache-2.0
// A block is cut at its last line end; the text after it is kept for the next call.
#include "core/io/line_source.hpp"

#include <algorithm>
#include <span>

#include "core/io/quote.hpp"

namespace spyctrum {

void LineSource::check_length(std::size_t bytes) const {
  if (bytes <= longest_line_) return;
  throw Failure(ErrorCode::bad_input,
                name_ + ": a line is longer than " + grouped(longest_line_) + " bytes; it begins with " +
                    in_quotes(there().substr(position_), 60) + ".",
                "This is hardly a text file; check what it holds.");
}

void LineSource::forget_returned() {
  std::copy(buffer_.data() + position_, buffer_.data() + size_, buffer_.data());
  size_ -= position_;
  position_ = 0;
}

// Appends at most block_bytes_ bytes of the source to the buffer. Returns false at its end or after its
// failure.
bool LineSource::fill() {
  if (ended_) return false;
  const std::size_t needed = size_ + block_bytes_;
  if (buffer_.capacity() < needed) {
    buffer_.resize(size_);  // only these are copied to larger memory
    buffer_.reserve(needed + needed / 8);
  }
  buffer_.resize(needed);
  std::size_t count = 0;
  try {
    count = source_.read(std::span(buffer_).subspan(size_, block_bytes_));
  } catch (...) {
    failure_ = std::current_exception();
  }
  size_ += count;
  ended_ = count == 0;
  return !ended_;
}

bool LineSource::next_line(std::string_view& line) {
  std::size_t searched = position_;
  for (;;) {
    const std::size_t end = there().find('\n', searched);
    if (end != std::string::npos) {
      line = there().substr(position_, end - position_);
      position_ = end + 1;
      break;
    }
    // Lines that were returned are removed once for each block, not one by one: the time stays linear.
    forget_returned();
    searched = size_;
    check_length(searched);
    if (fill()) continue;
    if (failure_) std::rethrow_exception(failure_);
    if (size_ == 0) return false;
    position_ = size_;
    line = there();
    break;
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  ++lines_;
  return true;
}

bool LineSource::next_block(TextBlock& text) {
  forget_returned();
  // The block is read to the memory of `text`, which the caller has used before: the memory of another
  // processor's cache takes several times as long to be overwritten.
  if (text.size() < size_) text.resize(size_);
  std::copy_n(buffer_.data(), size_, text.data());
  text.swap(buffer_);
  std::size_t end = std::string::npos;
  std::size_t searched = 0;
  for (;;) {
    if (size_ >= block_bytes_ || ended_) {
      end = there().substr(searched).rfind('\n');
      if (end != std::string::npos) break;
      searched = size_;
      check_length(searched);
    }
    if (!fill()) break;
  }
  if (failure_) {
    // The last line may be incomplete: only lines with a line end are returned.
    end = there().rfind('\n');
    if (end == std::string::npos) std::rethrow_exception(failure_);
    buffer_.resize(end + 1);
    text.swap(buffer_);
    size_ = 0;
    return true;
  }
  if (ended_) {
    buffer_.resize(size_);
    text.swap(buffer_);
    size_ = 0;
    if (text.empty()) return false;
    if (text.back() != '\n') text.push_back('\n');
    return true;
  }
  end += searched + 1;
  // The buffer becomes the block, and the memory of `text`, the buffer before, becomes the buffer again: only
  // the bytes after the last line end are copied.
  const std::size_t left = size_ - end;
  if (text.size() < left) text.resize(left);
  std::copy_n(buffer_.data() + end, left, text.data());
  buffer_.resize(end);
  text.swap(buffer_);
  size_ = left;
  return true;
}

}  // namespace spyctrum
