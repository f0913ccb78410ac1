// SPDX-License-Identifier: Apache-2.0
#include "core/io/hdf5/child_matrices.hpp"

#include <algorithm>
#include <cstring>

#include "core/io/quote.hpp"

namespace spyctrum::hdf5 {

namespace {

constexpr std::size_t kMostMatrices = 100000;
/// The most bytes of all messages of a list, mostly names.
constexpr std::uint64_t kMostListBytes = std::uint64_t{16} << 20U;

/// Reads the child's messages. Functions throw Failure{bad_input} for messages that no child of this program
/// sends.
class Messages {
 public:
  Messages(const ReadChild& read, const std::string& name) : read_(read), name_(name) {}

  /// Receives the next message and returns its kind; the last one is `end`. Throws the child's `error`.
  Message next() {
    MessageHead head{};
    take({reinterpret_cast<char*>(&head), sizeof head});
    if (head.bytes > kMostBytes) fail_invalid();
    total_ += sizeof head + head.bytes;
    bytes_.resize(head.bytes);
    take(bytes_);
    if (head.kind == Message::error)
      fail(escaped(std::string_view(bytes_.data(), std::min<std::size_t>(bytes_.size(), 400))),
           "Check that the file is complete; programs such as h5dump show what it holds.");
    return head.kind;
  }
  /// Copies the next `count` values of type T of the message.
  template <class T>
  void values(T* to, std::size_t count) {
    if (count > (bytes_.size() - at_) / sizeof(T)) fail_invalid();
    if (count == 0) return;  // the destination may be an empty list without memory
    std::memcpy(to, bytes_.data() + at_, count * sizeof(T));
    at_ += count * sizeof(T);
  }
  std::string text() {
    const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(at_);
    const auto end = std::find(begin, bytes_.end(), '\0');
    if (end == bytes_.end()) fail_invalid();
    at_ += static_cast<std::size_t>(end - begin) + 1;
    return {begin, end};
  }
  /// Bytes of the message that were not read.
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }
  /// Goes to the beginning of the message; to be called after each next().
  void begin() { at_ = 0; }
  /// Bytes of all messages so far.
  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[noreturn]] void fail(const std::string& what, const std::string& advice) const {
    throw Failure(ErrorCode::bad_input, name_ + ": " + what, advice);
  }
  [[noreturn]] void fail_invalid() const {
    fail("the process that reads HDF5 sent what it should not; the file may be made to do harm.",
         "Get the file from another source.");
  }

 private:
  void take(std::span<char> to) {
    while (!to.empty()) {
      const std::size_t got = read_(to);
      if (got == 0)
        fail("the process that reads HDF5 ended before its work; the file is damaged, or made to do harm.",
             "Get the file again.");
      to = to.subspan(got);
    }
  }
  const ReadChild& read_;
  const std::string& name_;
  std::vector<char> bytes_;
  std::size_t at_ = 0;
  std::uint64_t total_ = 0;
};

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> known) {
  return std::ranges::find(known, text) != known.end();
}

/// Adds the message, whose kind is `stored`, `pieces` or `value`, to `stored`.
void take_stored(Message kind, Messages& messages, StoredMatrix& stored) {
  std::vector<StoredArray>& arrays = stored.arrays;
  if (kind == Message::value) {
    stored.value.resize(messages.left() / sizeof(double));
    if (arrays.size() != 2 || stored.value.empty() || stored.value.size() > 2) messages.fail_invalid();
    messages.values(stored.value.data(), stored.value.size());
    return;
  }
  if (kind == Message::stored) {
    StoredArray array;
    StoredHead& head = array.head;
    messages.values(&head, 1);
    if (!stored.value.empty()) messages.fail_invalid();
    const bool is_kind = head.kind == 'i' || head.kind == 'u' || (head.kind == 'f' && head.width >= 4);
    const bool is_width = head.width == 1 || head.width == 2 || head.width == 4 || head.width == 8;
    if (!is_kind || !is_width || head.role != static_cast<Role>(arrays.size()) || head.role > Role::data ||
        head.piece == 0 || head.elements == 0 || head.elements > (std::uint64_t{1} << 48U))
      messages.fail_invalid();
    arrays.push_back(std::move(array));
    return;
  }
  if (arrays.empty()) messages.fail_invalid();
  std::vector<PieceHead>& pieces = arrays.back().pieces;
  const std::size_t count = messages.left() / sizeof(PieceHead);
  const StoredHead& head = arrays.back().head;
  if (count == 0 || pieces.size() + count > (head.elements - 1) / head.piece + 1) messages.fail_invalid();
  pieces.resize(pieces.size() + count);
  messages.values(pieces.data() + pieces.size() - count, count);
}

}  // namespace

std::vector<ListedMatrix> listed_matrices(const ReadChild& read, const std::string& name,
                                          SeveralMatrices& all) {
  Messages messages(read, name);
  std::vector<ListedMatrix> listed;
  for (Message kind = messages.next(); kind != Message::end; kind = messages.next()) {
    messages.begin();
    if (messages.total() > kMostListBytes) messages.fail_invalid();
    if (kind == Message::left_out) {
      const std::string array = messages.text();
      const std::string why = messages.text();
      all.leave_out(array, why,
                    why.find(kNotUnpacked) == std::string::npos
                        ? ""
                        : "Write the file with gzip: h5repack -f GZIP=4 IN OUT, where the plug-in of that "
                          "filter is installed, or with compression=\"gzip\" in Python.");
      continue;
    }
    if (kind != Message::matrix || listed.size() == kMostMatrices) messages.fail_invalid();
    MatrixHead head{};
    messages.values(&head, 1);
    ListedMatrix matrix;
    matrix.facts.name = messages.text();
    matrix.facts.layout = messages.text();
    matrix.field = messages.text();
    matrix.symmetry = messages.text();
    matrix.facts.rows = head.rows;
    matrix.facts.cols = head.cols;
    matrix.facts.stored = head.stored;
    matrix.is_default = (head.flags & kIsDefault) != 0;
    matrix.has_balance = (head.flags & kHasBalance) != 0;
    matrix.has_shape = (head.flags & kHasNoShape) == 0;
    if (!is_one_of(matrix.facts.layout, {"csr", "csc", "coo", "dcsr", "dcsc", "dense"}) ||
        !is_one_of(matrix.field, {"pattern", "integer", "real", "complex", "logical"}) ||
        !is_one_of(matrix.symmetry, {"general", "symmetric", "hermitian", "skew-symmetric"}))
      messages.fail_invalid();
    if ((head.flags & kIfNamed) != 0)
      (void)all.add_if_named(matrix.facts);
    else
      all.add(matrix.facts);
    listed.push_back(std::move(matrix));
  }
  return listed;
}

Answer take_entries(const ReadChild& read, const std::string& name, const ListedMatrix& matrix,
                    EntryList& entries, const LoadOptions& options, JobContext& context) {
  Messages messages(read, name);
  const bool is_dense = matrix.facts.layout == "dense";
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> cols;
  std::vector<double> values;
  Answer answer;
  std::vector<NamedPart>& parts = answer.parts;
  std::uint64_t count = 0;
  for (Message kind = messages.next(); kind != Message::end; kind = messages.next()) {
    messages.begin();
    if (kind == Message::part) {
      NamedPart part;
      messages.values(&part.begin, 1);
      part.name = messages.text();
      const bool ascends = parts.empty() || part.begin >= parts.back().begin;
      if (part.begin >= matrix.facts.rows || !ascends || parts.size() == kMostParts) messages.fail_invalid();
      parts.push_back(std::move(part));
      continue;
    }
    if (kind == Message::stored || kind == Message::pieces || kind == Message::value) {
      take_stored(kind, messages, answer.stored);
      continue;
    }
    if (kind == Message::zeros) {
      EntryBlock block;
      messages.values(&block.zeros, 1);
      if (block.zeros > count) messages.fail_invalid();
      entries.add(std::move(block));
      continue;
    }
    EntriesHead head{};
    if (kind != Message::entries) messages.fail_invalid();
    messages.values(&head, 1);
    if (head.count == 0 || head.count > kEntriesAtOnce || head.numbers_per_value > 2) messages.fail_invalid();
    rows.resize(head.count);
    cols.resize(head.count);
    values.resize(std::size_t{head.count} * head.numbers_per_value);
    messages.values(rows.data(), rows.size());
    messages.values(cols.data(), cols.size());
    messages.values(values.data(), values.size());
    count += head.count;
    if (count > matrix.facts.stored) messages.fail_invalid();
    if (*std::ranges::max_element(rows) >= matrix.facts.rows ||
        *std::ranges::max_element(cols) >= matrix.facts.cols)
      messages.fail_invalid();
    EntryBlock block;
    block.entries.reserve(rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (head.numbers_per_value == 0) {
        block.add(rows[k], cols[k]);
        continue;
      }
      const double* value = values.data() + k * head.numbers_per_value;
      const Value number(value[0], head.numbers_per_value == 2 ? value[1] : 0);
      block.add(rows[k], cols[k], number == Value(), options, [&] { return number; });
    }
    entries.add(std::move(block));
    context.checkpoint(count, matrix.facts.stored);
  }
  if (answer.stored.arrays.empty() ? count != matrix.facts.stored && !is_dense : count != 0)
    messages.fail_invalid();
  return answer;
}

}  // namespace spyctrum::hdf5
