// SPDX-License-Identifier: Apache-2.0
// Each filter receives the bytes of a chunk in a buffer of malloc() and replaces them by the unpacked ones.
// Its number is the one of The HDF Group's register of filters.
#include "core/io/hdf5/child/filters.hpp"

#include <blosc.h>
#include <bzlib.h>
#include <liblzf/lzf.h>
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <span>

namespace spyctrum::hdf5 {

namespace {

using Bytes = std::span<const unsigned char>;

struct Free {
  void operator()(void* bytes) const { std::free(bytes); }
};

/// Memory for unpacked bytes; `bytes` is null where there is none, or where they exceed kChunkCache.
struct Unpacked {
  explicit Unpacked(std::uint64_t capacity)
      : bytes(capacity > kChunkCache
                  ? nullptr
                  : static_cast<unsigned char*>(std::malloc(std::max<std::uint64_t>(capacity, 1)))),
        size(capacity) {}
  std::unique_ptr<unsigned char, Free> bytes;
  std::size_t size;  ///< 0: the packed bytes are damaged
};

Unpacked damaged() { return Unpacked(0); }

/// `values` are the numbers that the file holds for the filter. h5py's LZF: values[2] is the size of an
/// unpacked chunk (h5py, lzf_filter.c).
Unpacked unpack_lzf(Bytes packed, std::span<const unsigned> values) {
  if (values.size() < 3) return damaged();
  Unpacked to(values[2]);
  if (to.bytes)
    to.size = lzf_decompress(packed.data(), static_cast<unsigned>(packed.size()), to.bytes.get(), values[2]);
  return to;
}

Unpacked unpack_blosc(Bytes packed, std::span<const unsigned>) {
  std::size_t size = 0;
  if (blosc_cbuffer_validate(packed.data(), packed.size(), &size) < 0) return damaged();
  Unpacked to(size);
  constexpr int kThreads = 1;
  if (to.bytes)
    to.size = static_cast<std::size_t>(
        std::max(0, blosc_decompress_ctx(packed.data(), to.bytes.get(), size, kThreads)));
  return to;
}

Unpacked unpack_zstandard(Bytes packed, std::span<const unsigned>) {
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) return damaged();
  Unpacked to(size);
  if (!to.bytes) return to;
  const std::size_t got = ZSTD_decompress(to.bytes.get(), to.size, packed.data(), packed.size());
  to.size = ZSTD_isError(got) != 0 ? 0 : got;
  return to;
}

std::uint64_t big_endian(Bytes bytes) {
  std::uint64_t number = 0;
  for (const unsigned char byte : bytes) number = number << 8U | byte;
  return number;
}

/// The unpacked size in 8 bytes, the size of a block in 4, then for each block its packed size in 4 bytes and
/// its bytes, which are not packed where both sizes are equal.
Unpacked unpack_lz4(Bytes packed, std::span<const unsigned>) {
  constexpr std::size_t kHead = 12, kSize = 4;
  if (packed.size() < kHead) return damaged();
  const std::uint64_t size = big_endian(packed.first(8)), block = big_endian(packed.subspan(8, 4));
  Unpacked to(size);
  if (!to.bytes || block == 0) return damaged();
  packed = packed.subspan(kHead);
  for (std::size_t done = 0; done < size;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(block, size - done));
    if (packed.size() < kSize) return damaged();
    const std::uint64_t held = big_endian(packed.first(kSize));
    packed = packed.subspan(kSize);
    if (held > packed.size()) return damaged();
    unsigned char* const at = to.bytes.get() + done;
    if (held == wanted)
      std::copy_n(packed.begin(), wanted, at);
    else if (LZ4_decompress_safe(reinterpret_cast<const char*>(packed.data()), reinterpret_cast<char*>(at),
                                 static_cast<int>(held),
                                 static_cast<int>(wanted)) != static_cast<int>(wanted))
      return damaged();
    packed = packed.subspan(static_cast<std::size_t>(held));
    done += wanted;
  }
  return to;
}

/// bzip2 does not store the unpacked size.
Unpacked unpack_bzip2(Bytes packed, std::span<const unsigned>) {
  constexpr std::size_t kUsualRatio = 8;
  for (std::size_t capacity = kUsualRatio * packed.size();; capacity *= 2) {
    Unpacked to(std::min(capacity, kChunkCache));
    if (!to.bytes) return to;
    auto size = static_cast<unsigned>(to.size);
    const int code = BZ2_bzBuffToBuffDecompress(
        reinterpret_cast<char*>(to.bytes.get()), &size,
        reinterpret_cast<char*>(const_cast<unsigned char*>(packed.data())),  // it is only read
        static_cast<unsigned>(packed.size()), 0, 0);
    to.size = code == BZ_OK ? size : 0;
    if (code != BZ_OUTBUFF_FULL || capacity >= kChunkCache) return to;
  }
}

/// The library's way to call a filter: the result is the number of unpacked bytes, 0 where it fails.
template <Unpacked (*kUnpack)(Bytes, std::span<const unsigned>)>
std::size_t filter(unsigned flags, std::size_t count, const unsigned* values, std::size_t packed,
                   std::size_t* capacity, void** buffer) {
  if ((flags & H5Z_FLAG_REVERSE) == 0 || packed > std::numeric_limits<int>::max()) return 0;
  Unpacked to = kUnpack({static_cast<const unsigned char*>(*buffer), packed}, {values, count});
  if (!to.bytes || to.size == 0) return 0;
  std::free(*buffer);
  *buffer = to.bytes.release();
  *capacity = to.size;
  return to.size;
}

struct Filter {
  H5Z_filter_t number;
  const char* name;
  H5Z_func_t unpack;  ///< null: known by name alone
};
constexpr Filter kFilters[] = {{305, "LZO", nullptr},
                               {307, "bzip2", filter<unpack_bzip2>},
                               {32000, "LZF", filter<unpack_lzf>},
                               {32001, "Blosc", filter<unpack_blosc>},
                               {32004, "LZ4", filter<unpack_lz4>},
                               {32008, "bitshuffle", nullptr},
                               {32013, "ZFP", nullptr},
                               {32015, "Zstandard", filter<unpack_zstandard>},
                               {32026, "Blosc2", nullptr}};

const Filter* find(H5Z_filter_t number) {
  const auto* const found = std::ranges::find(kFilters, number, &Filter::number);
  return found != std::end(kFilters) ? found : nullptr;
}

}  // namespace

void register_filters() {
  for (const Filter& one : kFilters) {
    if (one.unpack == nullptr) continue;
    H5Z_class2_t described{};
    described.version = H5Z_CLASS_T_VERS;
    described.id = one.number;
    described.decoder_present = 1;
    described.name = one.name;
    described.filter = one.unpack;
    H5Zregister(&described);
  }
}

bool can_unpack(H5Z_filter_t filter) {
  const Filter* const one = find(filter);
  return (filter <= H5Z_FILTER_SCALEOFFSET || (one != nullptr && one->unpack != nullptr)) &&
         H5Zfilter_avail(filter) > 0;
}

std::string name_of_filter(H5Z_filter_t filter) {
  const Filter* const one = find(filter);
  return one != nullptr ? one->name : "filter " + std::to_string(filter);
}

}  // namespace spyctrum::hdf5
