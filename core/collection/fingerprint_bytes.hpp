// SPDX-License-Identifier: Apache-2.0
// Values as bytes in memory order, for exchange between the ranks of a job, which run the same program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/error.hpp"
#include "core/collection/fingerprint.hpp"

namespace spyctrum {

template <class T>
void put_value(std::vector<std::byte>& bytes, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto begin = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof value);
}
/// Appends the length and the elements.
template <class List>
void put_list(std::vector<std::byte>& bytes, const List& list) {
  static_assert(sizeof(typename List::value_type) == 1);
  put_value(bytes, std::uint64_t{list.size()});
  const auto begin = reinterpret_cast<const std::byte*>(list.data());
  bytes.insert(bytes.end(), begin, begin + list.size());
}
inline void put_text(std::vector<std::byte>& bytes, std::string_view text) { put_list(bytes, text); }

/// Reads values in the order in which they were appended. Throws Failure{internal} at the end of the bytes.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}
  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }
  template <class T>
  [[nodiscard]] T value() {
    static_assert(std::is_trivially_copyable_v<T>);
    T read{};
    std::memcpy(&read, taken(sizeof read).data(), sizeof read);
    return read;
  }
  template <class List>
  [[nodiscard]] List list() {
    const auto bytes = taken(value<std::uint64_t>());
    const auto* begin = reinterpret_cast<const typename List::value_type*>(bytes.data());
    return List(begin, begin + bytes.size());
  }
  [[nodiscard]] std::string text() { return list<std::string>(); }

 private:
  std::span<const std::byte> taken(std::uint64_t count) {
    if (count > rest_.size()) throw Failure(ErrorCode::internal, "A message of another rank is too short.");
    const auto bytes = rest_.first(count);
    rest_ = rest_.subspan(count);
    return bytes;
  }
  std::span<const std::byte> rest_;
};

void put_fingerprint(std::vector<std::byte>& bytes, const Fingerprint& fingerprint);
[[nodiscard]] Fingerprint fingerprint_from(ByteReader& reader);

}  // namespace spyctrum
