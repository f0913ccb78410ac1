// SPDX-License-Identifier: Apache-2.0
// Parses the HDF5 file at descriptor 3 for the program that started this one, and writes what it holds into
// the pipe at descriptor 4 (messages.hpp):
//   spyctrum-hdf5 BYTES list [balanced]       the matrices of the file
//   spyctrum-hdf5 BYTES read K [balanced] [places] [stored]    the entries of the K-th of them
// It has BYTES of memory and a limit of processor time, and confines itself (sandbox.hpp) before it looks at
// the file.
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <new>
#include <string_view>

#include "core/io/hdf5/child/layouts.hpp"
#include "core/io/hdf5/child/sandbox.hpp"

namespace {

using namespace spyctrum::hdf5;

void write_all(const void* data, std::size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(kPipeDescriptor, at, bytes);
    if (written <= 0) _exit(1);  // the program is gone
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void send(Message kind, const std::string& bytes) {
  const MessageHead head{kind, static_cast<std::uint32_t>(std::min<std::size_t>(bytes.size(), kMostBytes))};
  write_all(&head, sizeof head);
  write_all(bytes.data(), head.bytes);
}

template <class T>
void append(std::string& bytes, const T* values, std::size_t count) {
  bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

class PipeSender : public Sender {
 public:
  /// `places`: values are not sent; zeros are counted.
  explicit PipeSender(bool places) : places_(places) {}
  void set_parts(std::uint32_t parts) override { parts_ = parts; }
  void entry(std::uint64_t row, std::uint64_t col, const double* values) override {
    rows_.push_back(static_cast<std::uint32_t>(row));
    cols_.push_back(static_cast<std::uint32_t>(col));
    if (!places_) values_.insert(values_.end(), values, values + parts_);
    if (places_ && parts_ > 0) zeros_ += values[0] == 0 && (parts_ == 1 || values[1] == 0) ? 1 : 0;
    if (rows_.size() == kEntriesAtOnce) flush();
  }
  void flush() {
    if (rows_.empty()) return;
    std::string bytes;
    const EntriesHead head{static_cast<std::uint32_t>(rows_.size()), places_ ? 0 : parts_};
    append(bytes, &head, 1);
    append(bytes, rows_.data(), rows_.size());
    append(bytes, cols_.data(), cols_.size());
    append(bytes, values_.data(), values_.size());
    send(Message::entries, bytes);
    rows_.clear();
    cols_.clear();
    values_.clear();
  }
  void finish() {
    flush();
    std::string bytes;
    append(bytes, &zeros_, 1);
    if (zeros_ != 0) send(Message::zeros, bytes);
  }

 private:
  bool places_;
  std::uint32_t parts_ = 0;
  std::uint64_t zeros_ = 0;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> cols_;
  std::vector<double> values_;
};

void send_stored(const std::vector<StoredArray>& arrays) {
  for (const StoredArray& array : arrays) {
    std::string bytes;
    append(bytes, &array.head, 1);
    send(Message::stored, bytes);
    constexpr std::size_t kAtOnce = kMostBytes / sizeof(PieceHead);
    for (std::size_t first = 0; first < array.pieces.size(); first += kAtOnce) {
      bytes.clear();
      append(bytes, array.pieces.data() + first, std::min(kAtOnce, array.pieces.size() - first));
      send(Message::pieces, bytes);
    }
  }
}

void list(const Contents& contents) {
  for (const FoundMatrix& found : contents.matrices) {
    std::string bytes;
    append(bytes, &found.head, 1);
    for (const std::string* text : {&found.name, &found.layout, &found.field, &found.symmetry})
      bytes.append(text->c_str(), text->size() + 1);
    send(Message::matrix, bytes);
  }
  for (const LeftOut& one : contents.left_out) send(Message::left_out, one.name + '\0' + one.why + '\0');
}

std::uint64_t number(const char* text) {
  std::uint64_t value = 0;
  std::from_chars(text, text + std::strlen(text), value);
  return value;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const bool lists = std::string_view(arguments[2]) == "list";
  const auto says = [&](const char* word) {
    for (int k = 3; k < count; ++k)
      if (std::string_view(arguments[k]) == word) return true;
    return false;
  };
  confine(number(arguments[1]), lists ? kListSeconds : kReadSeconds);
  try {
    const auto opened = open_file(kFileDescriptor);
    const Contents contents = contents_of(opened.second, says(kBalanced));
    if (lists) {
      list(contents);
    } else {
      PipeSender sender(says(kPlaces));
      const FoundMatrix& found = contents.matrices.at(number(count > 3 ? arguments[3] : "0"));
      for (const Part& part : found.parts) {
        std::string bytes;
        append(bytes, &part.begin, 1);
        bytes.append(part.name.c_str(), part.name.size() + 1);
        send(Message::part, bytes);
      }
      const std::vector<StoredArray> arrays = says(kStored) ? found.stored() : std::vector<StoredArray>();
      send_stored(arrays);
      if (arrays.empty()) found.send(sender);
      sender.finish();
    }
    send(Message::end, {});
  } catch (const std::bad_alloc&) {
    send(Message::error, "reading it takes more memory than is allowed.");
  } catch (const std::exception& refused) {
    send(Message::error, refused.what());
  }
  _exit(0);  // the library's own end would free what a damaged file may have made of its lists
}
