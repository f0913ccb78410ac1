// SPDX-License-Identifier: Apache-2.0
// Files of the program compress (.Z), written by libarchive.
#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <random>

#include "core/io/unpack.hpp"
#include "tests/support/memory_source.hpp"

namespace spyctrum {
namespace {

std::string packed(const std::string& text) {
  std::string bytes(text.size() * 2 + 1000, '\0');
  std::size_t used = 0;
  archive* const writer = archive_write_new();
  archive_write_set_format_raw(writer);
  archive_write_add_filter_compress(writer);
  archive_write_set_bytes_in_last_block(writer, 1);
  EXPECT_EQ(archive_write_open_memory(writer, bytes.data(), bytes.size(), &used), ARCHIVE_OK);
  archive_entry* const entry = archive_entry_new();
  archive_entry_set_filetype(entry, AE_IFREG);
  EXPECT_EQ(archive_write_header(writer, entry), ARCHIVE_OK);
  EXPECT_EQ(archive_write_data(writer, text.data(), text.size()), static_cast<la_ssize_t>(text.size()));
  archive_entry_free(entry);
  EXPECT_EQ(archive_write_free(writer), ARCHIVE_OK);
  bytes.resize(used);
  return bytes;
}

/// Throws Failure{bad_input}.
std::string unpacked(std::string_view bytes, std::size_t at_once) {
  const auto source = lzw_source(test::memory_source(bytes, at_once), "text.Z");
  std::string text;
  std::vector<char> buffer(at_once);
  while (const std::size_t count = source->read(buffer)) text.append(buffer.data(), count);
  return text;
}

/// Repeated words, then numbers, then noise: codes of all widths up to 16 bits, and a table that is emptied.
std::string long_text() {
  std::string text;
  for (int k = 0; k < 3000; ++k) text += "matrix\n";
  for (long k = 0; k < 60000; ++k) text += std::to_string(k * k % 99991) + "\n";
  std::mt19937 random(7);
  for (int k = 0; k < 200000; ++k) text += static_cast<char>(random() & 0xFFU);
  return text;
}

TEST(LzwSource, UnpacksWhatWasPacked) {
  const std::string text = long_text();
  for (const std::size_t length : {std::size_t{1}, std::size_t{2}, std::size_t{500}, text.size()}) {
    const std::string part = text.substr(0, length);
    EXPECT_TRUE(unpacked(packed(part), 65536) == part) << length;
  }
  EXPECT_TRUE(unpacked(packed(text.substr(0, 30000)), 1) == text.substr(0, 30000)) << "byte by byte";
  const std::string same(100000, 'a');
  EXPECT_TRUE(unpacked(packed(same), 777) == same);
}

TEST(LzwSource, DamagedFilesAreRefusedOrEnd) {
  const std::string good = packed(long_text().substr(0, 40000));
  std::mt19937 random(3);
  int refused = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::string bytes = good;
    for (unsigned k = 0; k < 1 + random() % 8; ++k)
      bytes[2 + random() % (bytes.size() - 2)] = static_cast<char>(random());
    bytes.resize(3 + random() % (bytes.size() - 2));
    try {
      EXPECT_LT(unpacked(bytes, 512).size(), std::size_t{1} << 30U);
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.error().code, ErrorCode::bad_input);
      ++refused;
    }
  }
  EXPECT_GT(refused, 50);
  using namespace std::string_view_literals;
  for (const std::string_view head : {""sv, "\x1F\x9D"sv, "\x1F\x9D\x03\x04"sv, "\x1F\x9D\x98"sv})
    EXPECT_THROW((void)unpacked(head, 512), Failure) << head.size();
}

}  // namespace
}  // namespace spyctrum
