// SPDX-License-Identifier: Apache-2.0
// A block is cut at its last line end; the text after it is kept for the next call.
#include "core/io/line_source.hpp"

#include "core/io/quote.hpp"

namespace spyctrum {

void LineSource::check_length(std::size_t bytes) const {
  if (bytes <= longest_line_) return;
  throw Failure(ErrorCode::bad_input,
                name_ + ": a line is longer than " + grouped(longest_line_) + " bytes; it begins with " +
                    in_quotes(std::string_view(buffer_).substr(position_), 60) + ".",
                "This is hardly a text file; check what it holds.");
}

// Appends at most block_bytes_ from the source to the buffer; false at its end or after its failure.
bool LineSource::fill() {
  if (ended_) return false;
  const std::size_t had = buffer_.size();
  buffer_.resize(had + block_bytes_);
  std::size_t count = 0;
  try {
    count = source_.read(std::span(buffer_).subspan(had));
  } catch (...) {
    failure_ = std::current_exception();
  }
  buffer_.resize(had + count);
  ended_ = count == 0;
  return !ended_;
}

bool LineSource::next_line(std::string_view& line) {
  std::size_t searched = position_;
  for (;;) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      line = std::string_view(buffer_).substr(position_, end - position_);
      position_ = end + 1;
      break;
    }
    // Lines that were returned are removed once for each block, not one by one: the time stays linear.
    buffer_.erase(0, position_);
    position_ = 0;
    searched = buffer_.size();
    check_length(searched);
    if (fill()) continue;
    if (failure_) std::rethrow_exception(failure_);
    if (buffer_.empty()) return false;
    position_ = buffer_.size();
    line = buffer_;
    break;
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  ++lines_;
  return true;
}

bool LineSource::next_block(std::string& text) {
  buffer_.erase(0, position_);
  position_ = 0;
  std::size_t end = std::string::npos;
  std::size_t searched = 0;
  for (;;) {
    if (buffer_.size() >= block_bytes_ || ended_) {
      end = std::string_view(buffer_).substr(searched).rfind('\n');
      if (end != std::string::npos) break;
      searched = buffer_.size();
      check_length(searched);
    }
    if (!fill()) break;
  }
  if (failure_) {
    // The last line may be incomplete: only lines with a line end are returned.
    end = buffer_.rfind('\n');
    if (end == std::string::npos) std::rethrow_exception(failure_);
    text.assign(buffer_, 0, end + 1);
    buffer_.clear();
    return true;
  }
  if (ended_) {
    text = std::move(buffer_);
    buffer_.clear();
    if (text.empty()) return false;
    if (text.back() != '\n') text += '\n';
    return true;
  }
  end += searched + 1;
  // The buffer becomes the block, and the memory of `text` the buffer: only what follows the last line end is
  // copied.
  text.assign(buffer_, end);
  buffer_.resize(end);
  text.swap(buffer_);
  return true;
}

}  // namespace spyctrum
