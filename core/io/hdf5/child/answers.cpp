// SPDX-License-Identifier: Apache-2.0
#include "core/io/hdf5/child/answers.hpp"

#include <algorithm>
#include <charconv>
#include <new>
#include <vector>

#include "core/io/hdf5/child/layouts.hpp"

namespace spyctrum::hdf5 {

namespace {

template <class T>
void append(std::string& bytes, const T* values, std::size_t count) {
  bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

void send(const Write& write, Message kind, const std::string& bytes) {
  const MessageHead head{kind, static_cast<std::uint32_t>(std::min<std::size_t>(bytes.size(), kMostBytes))};
  write(&head, sizeof head);
  write(bytes.data(), head.bytes);
}

class EntrySender : public Sender {
 public:
  /// `places`: values are not sent, but zeros are counted.
  EntrySender(const Write& write, bool places) : write_(write), places_(places) {}
  void set_numbers_per_value(std::uint32_t numbers) override { numbers_per_value_ = numbers; }
  void entry(std::uint64_t row, std::uint64_t col, const double* values) override {
    rows_.push_back(static_cast<std::uint32_t>(row));
    cols_.push_back(static_cast<std::uint32_t>(col));
    if (!places_) values_.insert(values_.end(), values, values + numbers_per_value_);
    if (places_ && numbers_per_value_ > 0)
      zeros_ += values[0] == 0 && (numbers_per_value_ == 1 || values[1] == 0) ? 1 : 0;
    if (rows_.size() == kEntriesAtOnce) flush();
  }
  void flush() {
    if (rows_.empty()) return;
    std::string bytes;
    const EntriesHead head{static_cast<std::uint32_t>(rows_.size()), places_ ? 0 : numbers_per_value_};
    append(bytes, &head, 1);
    append(bytes, rows_.data(), rows_.size());
    append(bytes, cols_.data(), cols_.size());
    append(bytes, values_.data(), values_.size());
    send(write_, Message::entries, bytes);
    rows_.clear();
    cols_.clear();
    values_.clear();
  }
  void finish() {
    flush();
    std::string bytes;
    append(bytes, &zeros_, 1);
    if (zeros_ != 0) send(write_, Message::zeros, bytes);
  }

 private:
  const Write& write_;
  bool places_;
  std::uint32_t numbers_per_value_ = 0;
  std::uint64_t zeros_ = 0;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> cols_;
  std::vector<double> values_;
};

void send_stored(const Write& write, const StoredMatrix& stored) {
  std::string bytes;
  for (const StoredArray& array : stored.arrays) {
    bytes.clear();
    append(bytes, &array.head, 1);
    send(write, Message::stored, bytes);
    constexpr std::size_t kAtOnce = kMostBytes / sizeof(PieceHead);
    for (std::size_t first = 0; first < array.pieces.size(); first += kAtOnce) {
      bytes.clear();
      append(bytes, array.pieces.data() + first, std::min(kAtOnce, array.pieces.size() - first));
      send(write, Message::pieces, bytes);
    }
  }
  bytes.clear();
  append(bytes, stored.value.data(), stored.value.size());
  if (!bytes.empty()) send(write, Message::value, bytes);
}

void list(const Write& write, const Contents& contents) {
  for (const FoundMatrix& found : contents.matrices) {
    std::string bytes;
    append(bytes, &found.head, 1);
    for (const std::string* text : {&found.name, &found.layout, &found.field, &found.symmetry})
      bytes.append(text->c_str(), text->size() + 1);
    send(write, Message::matrix, bytes);
  }
  for (const LeftOut& one : contents.left_out)
    send(write, Message::left_out, one.name + '\0' + one.why + '\0');
}

void answer(const Write& write, const Contents& contents, const std::string& request) {
  const auto says = [&](const char* word) { return request.find(word) != std::string::npos; };
  std::size_t index = 0;
  std::from_chars(request.data(), request.data() + request.size(), index);
  const FoundMatrix& found = contents.matrices.at(index);
  EntrySender sender(write, says(kPlaces));
  for (const Part& part : found.parts) {
    std::string bytes;
    append(bytes, &part.begin, 1);
    bytes.append(part.name.c_str(), part.name.size() + 1);
    send(write, Message::part, bytes);
  }
  const StoredMatrix stored = says(kStored) ? found.stored() : StoredMatrix();
  send_stored(write, stored);
  if (stored.arrays.empty()) found.send(sender);
  sender.finish();
}

}  // namespace

void answer_requests(int descriptor, bool balanced, const std::function<std::string()>& next,
                     const Write& write) {
  try {
    const auto opened = open_file(descriptor);
    const Contents contents = contents_of(opened.second, balanced);
    list(write, contents);
    send(write, Message::end, {});
    for (std::string request = next(); !request.empty(); request = next()) {
      answer(write, contents, request);
      send(write, Message::end, {});
    }
  } catch (const std::bad_alloc&) {
    send(write, Message::error, "reading it takes more memory than is allowed.");
  } catch (const std::exception& refused) {
    send(write, Message::error, refused.what());
  }
}

}  // namespace spyctrum::hdf5
