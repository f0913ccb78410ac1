// SPDX-License-Identifier: Apache-2.0
// The comment at each record names the section of PKWARE's APPNOTE (the definition of the ZIP format) that
// describes it.
#include "core/io/stored_zip.hpp"

#include <zlib.h>

#include <algorithm>
#include <initializer_list>

#include "core/base/error.hpp"

namespace spyctrum {

namespace {

struct Field {
  std::uint64_t value;
  unsigned bytes;
};

std::string record(std::initializer_list<Field> fields) {
  std::string text;
  for (const Field& field : fields)
    for (unsigned k = 0; k < field.bytes; ++k) text += static_cast<char>(field.value >> 8U * k & 0xFFU);
  return text;
}

constexpr std::uint64_t kVersion = 45;           // the first with Zip64
constexpr std::uint64_t kIn64Bits = 0xFFFFFFFF;  // the number is in a field of 64 bits elsewhere

// The fields that the local header and the directory have in common, from the version on.
std::string description(std::uint32_t crc, const std::string& name, std::uint64_t extra_bytes) {
  constexpr std::uint64_t kDescriptorFollows = 8;
  constexpr std::uint64_t kFirstDate = 0x21;  // 1980-01-01
  return record({{kVersion, 2},
                 {kDescriptorFollows, 2},
                 {0, 2},  // stored
                 {0, 2},  // midnight
                 {kFirstDate, 2},
                 {crc, 4},
                 {kIn64Bits, 4},
                 {kIn64Bits, 4},
                 {name.size(), 2},
                 {extra_bytes, 2}});
}

}  // namespace

void StoredZip::write(const std::string& record) {
  out_.write(record.data(), static_cast<std::streamsize>(record.size()));
  written_ += record.size();
}

void StoredZip::begin_member(const std::string& name, std::uint64_t bytes) {
  name_ = name;
  place_ = written_;
  bytes_ = missing_ = bytes;
  crc_ = 0;
  // 4.3.7, and 4.5.3 for the sizes.
  write(record({{0x04034b50, 4}}) + description(0, name, 20) + name +
        record({{1, 2}, {16, 2}, {bytes, 8}, {bytes, 8}}));
}

bool StoredZip::put(std::span<const std::byte> bytes) {
  constexpr std::size_t kSlice = std::size_t{1} << 20U;  // the stream may fail between two of them
  for (std::size_t at = 0; out_ && at < bytes.size(); at += kSlice) {
    const std::span<const std::byte> slice = bytes.subspan(at, std::min(kSlice, bytes.size() - at));
    crc_ =
        static_cast<std::uint32_t>(crc32_z(crc_, reinterpret_cast<const Bytef*>(slice.data()), slice.size()));
    out_.write(reinterpret_cast<const char*>(slice.data()), static_cast<std::streamsize>(slice.size()));
  }
  missing_ -= bytes.size();
  written_ += bytes.size();
  return bool{out_};
}

void StoredZip::end_member() {
  if (out_ && missing_ != 0)
    throw Failure(ErrorCode::internal,
                  "zip: " + name_ + " does not hold " + std::to_string(bytes_) + " bytes.");
  write(record({{0x08074b50, 4}, {crc_, 4}, {bytes_, 8}, {bytes_, 8}}));  // 4.3.9
  // 4.3.12: made on Unix, a file of mode 0644.
  directory_ += record({{0x02014b50, 4}, {kVersion, 1}, {3, 1}}) + description(crc_, name_, 28) +
                record({{0, 2}, {0, 2}, {0, 2}, {0100644U << 16U, 4}, {kIn64Bits, 4}}) + name_ +
                record({{1, 2}, {24, 2}, {bytes_, 8}, {bytes_, 8}, {place_, 8}});
  ++members_;
}

void StoredZip::finish() {
  const std::uint64_t place = written_;
  const std::uint64_t size = directory_.size();
  write(directory_);
  const std::uint64_t end = written_;
  // 4.3.14, 4.3.15 and 4.3.16: two records of Zip64, then the one that programs without Zip64 read.
  write(record({{0x06064b50, 4},
                {44, 8},
                {kVersion, 2},
                {kVersion, 2},
                {0, 4},
                {0, 4},
                {members_, 8},
                {members_, 8},
                {size, 8},
                {place, 8}}));
  write(record({{0x07064b50, 4}, {0, 4}, {end, 8}, {1, 4}}));
  const std::uint64_t few = std::min<std::uint64_t>(members_, 0xFFFF);
  write(record({{0x06054b50, 4},
                {0, 2},
                {0, 2},
                {few, 2},
                {few, 2},
                {std::min(size, kIn64Bits), 4},
                {std::min(place, kIn64Bits), 4},
                {0, 2}}));
}

}  // namespace spyctrum
