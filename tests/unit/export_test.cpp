// SPDX-License-Identifier: Apache-2.0
// Written files: whole or absent, and what other programs find in them (.npy by the format's description,
// .npz through libarchive, PNG through libpng).
#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>
#include <png.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <numeric>
#include <stdexcept>
#include <stop_token>
#include <thread>

#include "core/base/counts_text.hpp"
#include "core/io/export.hpp"
#include "tests/support/file_bytes.hpp"
#include "tests/support/scratch_folder.hpp"

namespace spyctrum {
namespace {

using test::bytes_of;

struct Npy {
  std::string header;
  std::string data;
};

// By the format's description: magic, version 1.0, 16-bit length, header, data.
Npy parse_npy(const std::string& bytes) {
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const auto length = static_cast<std::size_t>(static_cast<unsigned char>(bytes.at(8))) +
                      256U * static_cast<std::size_t>(static_cast<unsigned char>(bytes.at(9)));
  EXPECT_EQ((10 + length) % 64, 0U) << "NumPy aligns the data to 64 bytes";
  EXPECT_EQ(bytes.at(9 + length), '\n');
  std::string header = bytes.substr(10, length);
  header.erase(header.find_last_not_of(" \n") + 1);
  return {header, bytes.substr(10 + length)};
}

template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

TEST(WriteNpy, WritesHeaderAndValuesForEveryElementType) {
  const test::ScratchFolder folder;
  const std::string file = folder.file("a.npy");
  const auto check = [&](const auto& values, std::vector<std::uint64_t> shape, const std::string& header) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    const Result<void> written = write_npy(file, npy_of(std::span<const T>(values), std::move(shape)));
    ASSERT_TRUE(written.has_value()) << written.error().message();
    const Npy npy = parse_npy(bytes_of(file));
    EXPECT_EQ(npy.header, header);
    EXPECT_EQ(npy.data, raw(values));
  };
  check(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3},
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
  check(std::vector<double>{1, 2, 3}, {3}, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }");
  check(std::vector<std::int64_t>{-7}, {}, "{'descr': '<i8', 'fortran_order': False, 'shape': (), }");
  check(std::vector<std::complex<float>>{{1, 2}, {3, 4}}, {1, 2, 1},
        "{'descr': '<c8', 'fortran_order': False, 'shape': (1, 2, 1), }");
  check(std::vector<float>{}, {0, 5}, "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 5), }");
  EXPECT_EQ(folder.files(), 1U) << "no temporary file may stay";
}

TEST(WriteNpy, RefusesAShapeThatDoesNotHoldTheValues) {
  const test::ScratchFolder folder;
  const std::vector<float> values(5);
  const Result<void> written =
      write_npy(folder.file("a.npy"), npy_of(std::span<const float>(values), {2, 3}));
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, ErrorCode::internal);
  EXPECT_EQ(folder.files(), 0U);
}

std::map<std::string, std::string> members_of(const std::string& file) {
  std::map<std::string, std::string> members;
  archive* zip = archive_read_new();
  archive_read_support_format_zip(zip);
  EXPECT_EQ(archive_read_open_filename(zip, file.c_str(), 10240), ARCHIVE_OK);
  archive_entry* entry = nullptr;
  while (archive_read_next_header(zip, &entry) == ARCHIVE_OK) {
    std::string data(static_cast<std::size_t>(archive_entry_size(entry)), '\0');
    EXPECT_EQ(archive_read_data(zip, data.data(), data.size()), static_cast<la_ssize_t>(data.size()));
    members[archive_entry_pathname(entry)] = data;
  }
  archive_read_free(zip);
  return members;
}

TEST(WriteNpz, HoldsEveryMemberAsAnNpyFile) {
  const test::ScratchFolder folder;
  const std::string file = folder.file("a.npz");
  std::vector<float> large(300000);
  std::iota(large.begin(), large.end(), 0.0F);
  const std::vector<std::int64_t> small{1, -2};
  const std::string text = R"({"method": "dense"})";
  const Result<void> written = write_npz(file, {{"large", npy_of(std::span<const float>(large), {300, 1000})},
                                                {"small", npy_of(std::span<const std::int64_t>(small), {2})},
                                                {"metadata", npy_text(text)},
                                                {"nothing", npy_text("")}});
  ASSERT_TRUE(written.has_value()) << written.error().message();
  const auto members = members_of(file);
  ASSERT_EQ(members.size(), 4U);
  EXPECT_EQ(parse_npy(members.at("large.npy")).data, raw(large));
  EXPECT_EQ(parse_npy(members.at("small.npy")).data, raw(small));
  EXPECT_EQ(parse_npy(members.at("metadata.npy")).data, text);
  EXPECT_EQ(parse_npy(members.at("metadata.npy")).header,
            "{'descr': '|S19', 'fortran_order': False, 'shape': (), }");
  EXPECT_EQ(parse_npy(members.at("nothing.npy")).data, std::string(1, '\0'));
  EXPECT_EQ(folder.files(), 1U);
}

struct DecodedPng {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint8_t> rgb;
};

DecodedPng decode_png(const std::string& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, file.c_str()) == 0) throw std::runtime_error(image.message);
  image.format = PNG_FORMAT_RGB;
  DecodedPng decoded{image.width, image.height, std::vector<std::uint8_t>(PNG_IMAGE_SIZE(image))};
  if (png_image_finish_read(&image, nullptr, decoded.rgb.data(), 0, nullptr) == 0)
    throw std::runtime_error(image.message);
  return decoded;
}

TEST(WritePng, HoldsThePixelsAndTheTexts) {
  const test::ScratchFolder folder;
  const std::string file = folder.file("a.png");
  std::vector<std::uint8_t> rgb(std::size_t{3} * 7 * 5);
  std::iota(rgb.begin(), rgb.end(), std::uint8_t{11});
  const Result<void> written =
      write_png(file, 5, 7, rgb, {{"Software", "Spyctrum"}, {"Matrix", "größer ≤ 1"}, {"Empty", ""}});
  ASSERT_TRUE(written.has_value()) << written.error().message();
  const DecodedPng decoded = decode_png(file);
  EXPECT_EQ(decoded.width, 7U);
  EXPECT_EQ(decoded.height, 5U);
  EXPECT_EQ(decoded.rgb, rgb);
  const std::string bytes = bytes_of(file);
  EXPECT_NE(bytes.find(std::string("tEXtSoftware\0Spyctrum", 21)), std::string::npos);
  EXPECT_NE(bytes.find("iTXtMatrix"), std::string::npos) << "what is not ASCII goes as UTF-8";
  EXPECT_NE(bytes.find("größer ≤ 1"), std::string::npos);
  EXPECT_EQ(folder.files(), 1U);
}

TEST(WritePng, RefusesPicturesOfImpossibleSize) {
  const test::ScratchFolder folder;
  const std::vector<std::uint8_t> rgb(12);
  for (const auto& [height, width] : {std::pair{0U, 4U}, {4U, 0U}, {1U, 2000000U}}) {
    const Result<void> written = write_png(folder.file("a.png"), height, width, rgb);
    ASSERT_FALSE(written.has_value());
    EXPECT_EQ(written.error().code, ErrorCode::output);
    EXPECT_NE(written.error().what.find(sides_text(width, height)), std::string::npos);
  }
  EXPECT_EQ(write_png(folder.file("a.png"), 3, 2, rgb).error().code, ErrorCode::internal);
  EXPECT_EQ(folder.files(), 0U);
}

TEST(WriteAtomically, ReplacesAFileOnlyWhenTheNewOneIsWhole) {
  const test::ScratchFolder folder;
  const std::string file = folder.file("a.txt");
  ASSERT_TRUE(write_atomically(file, [](std::ostream& out) { out << "old"; }).has_value());
  const Result<void> failed = write_atomically(file, [&](std::ostream& out) {
    out << "half of the new one";
    out.flush();
    EXPECT_EQ(bytes_of(file), "old") << "the old file stays while the new one is written";
    throw Failure(ErrorCode::cancelled, "stopped");
  });
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code, ErrorCode::cancelled);
  EXPECT_EQ(bytes_of(file), "old");
  EXPECT_EQ(folder.files(), 1U);
  ASSERT_TRUE(write_atomically(file, [](std::ostream& out) { out << "new"; }).has_value());
  EXPECT_EQ(bytes_of(file), "new");
  const mode_t mask = umask(0);
  umask(mask);
  struct stat facts {};
  ASSERT_EQ(stat(file.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0666U & ~mask) << "as open() would have made it";
}

TEST(WriteAtomically, NamesWhatCannotBeWritten) {
  const test::ScratchFolder folder;
  const auto refuse = [](const std::string& path, const std::string& word) {
    const Result<void> written = write_atomically(path, [](std::ostream& out) { out << "x"; });
    ASSERT_FALSE(written.has_value()) << path;
    EXPECT_EQ(written.error().code, ErrorCode::output);
    EXPECT_EQ(exit_code(written.error().code), 1);
    EXPECT_NE(written.error().message().find(word), std::string::npos) << written.error().message();
    EXPECT_NE(written.error().message().find(path), std::string::npos) << written.error().message();
    EXPECT_NE(written.error().native, 0);
  };
  refuse(folder.file("missing/a.txt"), "No such file or directory");
  refuse(folder.path().string(), "Is a directory");
  EXPECT_EQ(folder.files(), 0U);
}

TEST(WriteAtomically, WritesIntoAPipeWhoseReaderComesLater) {
  const test::ScratchFolder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string read;
  std::jthread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    read = bytes_of(pipe);
  });
  EXPECT_TRUE(check_writable(pipe));
  const Result<void> written = write_atomically(pipe, [](std::ostream& out) { out << "whole"; });
  EXPECT_TRUE(written) << written.error().message();
  reader.join();
  EXPECT_EQ(read, "whole");
}

TEST(WriteAtomically, RefusesAPipeWithoutAReaderInTime) {
  const test::ScratchFolder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const auto begin = std::chrono::steady_clock::now();
  const Result<void> refused = check_writable(pipe);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::output);
  EXPECT_NE(refused.error().advice.find("reader"), std::string::npos) << refused.error().message();

  std::stop_source stopped;
  stopped.request_stop();
  const Result<void> cancelled = check_writable(pipe, stopped.get_token());
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, ErrorCode::cancelled);
}

TEST(WriteNpy, RefusesAFileThatTheDiskHasNoRoomForBeforeAnyValueIsComputed) {
  const test::ScratchFolder scratch;
  NpyArray array{"<c8", {std::uint64_t{1} << 30U, std::uint64_t{1} << 29U}, {}};
  bool computed = false;
  array.pieces = [&](const auto&) { computed = true; };
  for (const bool in_archive : {false, true}) {
    const std::string path = scratch.file(in_archive ? "large.npz" : "large.npy");
    const Result<void> written = in_archive ? write_npz(path, {{"values", array}}) : write_npy(path, array);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::output);
    EXPECT_NE(written.error().what.find("large.np"), std::string::npos) << written.error().what;
    EXPECT_NE(written.error().what.find(" free."), std::string::npos) << written.error().what;
    EXPECT_EQ(written.error().advice, "Free some space, or choose another disk.");
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(computed);
  EXPECT_TRUE(check_room(scratch.file("small.npy"), 1));
  EXPECT_TRUE(check_room("/dev/null", std::uint64_t{1} << 62U)) << "a device takes any number";
}

TEST(WriteAtomically, ReportsAFullDisk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  const Result<void> written =
      write_atomically("/dev/full", [](std::ostream& out) { out << std::string(100000, 'x'); });
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, ErrorCode::output);
  EXPECT_NE(written.error().message().find("No space left"), std::string::npos) << written.error().message();
}

}  // namespace
}  // namespace spyctrum
