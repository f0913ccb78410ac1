// SPDX-License-Identifier: Apache-2.0
// Files of the program compress (.Z): LZW codes of 9 to 16 bits, the least significant bit first (T. A.
// Welch, "A Technique for High-Performance Data Compression", IEEE Computer 17(6), 1984). The third byte
// holds the largest width of a code, and whether code 256 empties the table. Codes of one width come in
// groups of eight; where the width changes, the rest of a group is padding. There is no checksum and no
// length. libarchive 3.6 reads outside of its arrays on some damaged files.
#include <algorithm>
#include <exception>
#include <utility>

#include "core/io/quote.hpp"
#include "core/io/unpack.hpp"

namespace spyctrum {

namespace {

constexpr unsigned kLeastWidth = 9;
constexpr unsigned kMostWidth = 16;
constexpr unsigned kClear = 256;  // the code that empties the table
constexpr unsigned kNone = ~0U;

class LzwSource : public LayeredSource {
 public:
  LzwSource(std::unique_ptr<ByteSource> upstream, std::string_view name)
      : LayeredSource(std::move(upstream)), name_(name), input_(kInputBytes) {
    for (unsigned k = 0; k < 2; ++k) next_byte();  // the signature
    const unsigned settings = next_byte();
    most_width_ = settings & 0x1FU;
    clears_ = (settings & 0x80U) != 0;
    if (most_width_ < kLeastWidth || most_width_ > kMostWidth)
      fail("its codes have at most " + std::to_string(most_width_) + " bits; expected 9 to 16");
    prefix_.resize(std::size_t{1} << most_width_);
    last_.resize(prefix_.size());
    empty_table();
  }

  std::size_t read(std::span<char> buffer) override {
    std::size_t given = 0;
    while (given < buffer.size()) {
      if (text_.empty() && !decode(given)) break;
      // The bytes of a code are found from the last to the first.
      const std::size_t count = std::min(buffer.size() - given, text_.size());
      std::copy_n(text_.rbegin(), count, buffer.data() + given);
      text_.resize(text_.size() - count);
      given += count;
    }
    return given;
  }
  void finish(JobContext& context) override {
    read_to_end(*this, context);
    upstream_->finish(context);
  }
  [[nodiscard]] std::string compression() const override { return followed_by_upstream("compress (.Z)"); }

 private:
  void empty_table() {
    width_ = kLeastWidth;
    next_ = clears_ ? kClear + 1 : kClear;
    before_ = kNone;
    group_bits_ = 0;
  }

  /// The next byte of the compressed data, kNone at their end.
  unsigned next_byte() {
    if (taken_ == filled_) {
      filled_ = upstream_->read(input_);
      taken_ = 0;
      if (filled_ == 0) return kNone;
    }
    ++position_;
    return static_cast<unsigned char>(input_[taken_++]);
  }

  /// The next code, kNone at the end of the data.
  unsigned next_code() {
    while (bit_count_ < width_) {
      const unsigned byte = next_byte();
      if (byte == kNone) {
        if (bit_count_ >= 8) fail("the data stop in the middle");
        return kNone;
      }
      bits_ |= byte << bit_count_;
      bit_count_ += 8;
    }
    const unsigned code = bits_ & ((1U << width_) - 1);
    bits_ >>= width_;
    bit_count_ -= width_;
    group_bits_ += width_;
    if (group_bits_ == 8 * width_) group_bits_ = 0;
    return code;
  }

  /// Skips the rest of a group. A group has whole bytes, so that bits_ has no bits of the next one.
  void end_group() {
    for (unsigned left = group_bits_ == 0 ? 0 : 8 * width_ - group_bits_ - bit_count_; left >= 8; left -= 8)
      if (next_byte() == kNone) break;
    bits_ = bit_count_ = group_bits_ = 0;
  }

  /// Unpacks the next code into text_; returns false at the end of the data. If the data are damaged, throws,
  /// but only once read() has returned the `given` bytes before the damage: until then returns false.
  bool decode(std::size_t given) {
    if (failure_) std::rethrow_exception(failure_);
    try {
      return unpack_code();
    } catch (const Failure&) {
      failure_ = std::current_exception();
      if (given == 0) throw;
      return false;
    }
  }

  bool unpack_code() {
    // When its table of 9-bit codes is full, compress -b 9 writes codes of 10 bits, which it cannot read
    // itself; they are refused below.
    if (next_ >= 1U << width_ && width_ < std::max(most_width_, kLeastWidth + 1)) {
      end_group();
      ++width_;
    }
    unsigned code = next_code();
    while (clears_ && code == kClear) {
      end_group();
      empty_table();
      code = next_code();
    }
    if (code == kNone) return false;
    const unsigned whole = code;
    if (code > next_ || code >= prefix_.size() || (code >= kClear && before_ == kNone))
      fail("code " + grouped(code) + " has no meaning");
    // The code that this step defines stands for the text before it followed by that text's first byte.
    if (code == next_) {
      text_.push_back(first_);
      code = before_;
    }
    for (; code >= kClear; code = prefix_[code]) text_.push_back(last_[code]);
    first_ = static_cast<char>(code);
    text_.push_back(first_);
    if (before_ != kNone && next_ < prefix_.size()) {
      prefix_[next_] = static_cast<std::uint16_t>(before_);
      last_[next_] = first_;
      ++next_;
    }
    before_ = whole;
    return true;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Failure(
        ErrorCode::bad_input,
        name_ + ", byte " + grouped(position_) + " of the compressed file: " + what + " (compress, .Z).",
        "The file is damaged or cut off: download or copy it again.");
  }

  std::string name_;
  std::vector<char> input_;
  std::size_t filled_ = 0;
  std::size_t taken_ = 0;
  std::uint64_t position_ = 0;
  unsigned bits_ = 0;  ///< read and not used yet, bit_count_ of them
  unsigned bit_count_ = 0;
  unsigned group_bits_ = 0;  ///< of the current group that are used
  unsigned width_ = 0;       ///< of a code, in bits
  unsigned most_width_ = 0;
  bool clears_ = false;
  std::vector<std::uint16_t> prefix_;  ///< code → the code of its text without the last byte; from 256 on
  std::vector<char> last_;             ///< code → the last byte of its text
  unsigned next_ = 0;                  ///< the code that will be defined next
  unsigned before_ = kNone;            ///< the code before, kNone after an empty table
  char first_ = 0;                     ///< the first byte of the text of before_
  std::vector<char> text_;             ///< unpacked and not returned yet, in reverse
  std::exception_ptr failure_;
};

}  // namespace

std::unique_ptr<ByteSource> lzw_source(std::unique_ptr<ByteSource> upstream, std::string_view name) {
  return std::make_unique<LzwSource>(std::move(upstream), name);
}

}  // namespace spyctrum
