// SPDX-License-Identifier: Apache-2.0
#include "core/io/hdf5/child/objects.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <string_view>

#include "core/io/hdf5/child/filters.hpp"

namespace spyctrum::hdf5 {

namespace {

constexpr std::uint64_t kFewestAtOnce = std::uint64_t{1} << 16U;
constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 24U;
/// The most bytes of a text.
constexpr std::size_t kMostText = std::size_t{1} << 20U;

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw Refused(path.empty() ? "/" : path, what);
}

/// A driver of the library that reads an open descriptor. It opens no other file, whatever the file contains.
struct OpenFile {
  H5FD_t base{};
  haddr_t allocated = 0;
};
int open_descriptor = -1;

hid_t registered_driver(int descriptor) {
  open_descriptor = descriptor;
  static H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(600);  // those below 512 are the library's
#endif
  driver.name = "descriptor";
  driver.maxaddr = static_cast<haddr_t>(std::numeric_limits<std::int64_t>::max());
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.open = [](const char*, unsigned, hid_t, haddr_t) { return &(new OpenFile)->base; };
  driver.close = [](H5FD_t* file) -> herr_t {
    delete reinterpret_cast<OpenFile*>(file);
    return 0;
  };
  driver.query = [](const H5FD_t*, unsigned long* features) -> herr_t {
    *features = H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE;
    return 0;
  };
  driver.get_eoa = [](const H5FD_t* file, H5FD_mem_t) {
    return reinterpret_cast<const OpenFile*>(file)->allocated;
  };
  driver.set_eoa = [](H5FD_t* file, H5FD_mem_t, haddr_t end) -> herr_t {
    reinterpret_cast<OpenFile*>(file)->allocated = end;
    return 0;
  };
  driver.get_eof = [](const H5FD_t*, H5FD_mem_t) {
    struct stat facts {};
    return fstat(open_descriptor, &facts) == 0 ? static_cast<haddr_t>(facts.st_size) : haddr_t{0};
  };
  driver.read = [](H5FD_t*, H5FD_mem_t, hid_t, haddr_t at, std::size_t bytes, void* to) -> herr_t {
    auto* next = static_cast<char*>(to);
    while (bytes > 0) {
      const ssize_t got = pread(open_descriptor, next, bytes, static_cast<off_t>(at));
      if (got <= 0) return -1;
      next += got;
      at += static_cast<haddr_t>(got);
      bytes -= static_cast<std::size_t>(got);
    }
    return 0;
  };
  driver.write = [](H5FD_t*, H5FD_mem_t, hid_t, haddr_t, std::size_t, const void*) -> herr_t { return -1; };
  constexpr H5FD_mem_t kLists[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(kLists), std::end(kLists), driver.fl_map);
  return H5FDregister(&driver);
}

/// Throws Refused unless the array is stored in this file, packed by filters that can_unpack(). Returns the
/// number of elements that should be read at a time.
std::uint64_t checked_storage(hid_t data, const std::string& path, std::uint64_t elements_of_row) {
  const Id list(H5Dget_create_plist(data), H5Pclose);
  if (!list) refuse(path, "its description cannot be read.");
  if (H5Pget_external_count(list.get()) > 0)
    refuse(path, "its data lie in another file, which is not opened.");
  const H5D_layout_t layout = H5Pget_layout(list.get());
  if (layout == H5D_VIRTUAL) refuse(path, "it is made of data of other files, which are not opened.");
  const int filters = H5Pget_nfilters(list.get());
  for (int k = 0; k < filters; ++k) {
    unsigned flags = 0;
    unsigned configured = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter = H5Pget_filter2(list.get(), static_cast<unsigned>(k), &flags, &values, nullptr,
                                               0, nullptr, &configured);
    if (filter < 0) refuse(path, "its compression cannot be read.");
    if (!can_unpack(filter))
      refuse(path, "it is compressed by " + name_of_filter(filter) + kNotUnpacked + ".");
  }
  if (layout != H5D_CHUNKED) return kFewestAtOnce;
  hsize_t chunk[H5S_MAX_RANK]{};
  const int rank = H5Pget_chunk(list.get(), H5S_MAX_RANK, chunk);
  if (rank < 1) refuse(path, "its chunks cannot be read.");
  std::uint64_t elements = 1;
  for (int k = 0; k < rank; ++k) {
    if (chunk[k] == 0 || chunk[k] > kChunkCache / elements)
      refuse(path, "its chunks are larger than 256 MiB, which is the most that is unpacked at once.");
    elements *= chunk[k];
  }
  return std::clamp<std::uint64_t>(rank == 1 ? elements : chunk[0] * elements_of_row, kFewestAtOnce,
                                   kMostAtOnce);
}

std::string field_of(hid_t type, const std::string& path) {
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return "integer";
    case H5T_FLOAT:
      return "real";
    case H5T_ENUM:  // h5py's bool
      if (H5Tget_size(type) == 1) return "logical";
      break;
    case H5T_COMPOUND: {  // h5py's complex: r, i; MATLAB's: real, imag
      if (H5Tget_nmembers(type) != 2) break;
      const auto is_number = [&](unsigned k) {
        return H5Tget_member_class(type, k) == H5T_FLOAT || H5Tget_member_class(type, k) == H5T_INTEGER;
      };
      if (is_number(0) && is_number(1)) return "complex";
      break;
    }
    default:
      break;
  }
  refuse(path, "its elements are not numbers.");
}

/// The memory type of two doubles under the names that the file's compound has.
Id complex_type(hid_t file_type) {
  Id type(H5Tcreate(H5T_COMPOUND, 2 * sizeof(double)), H5Tclose);
  for (unsigned k = 0; k < 2; ++k) {
    char* const name = H5Tget_member_name(file_type, k);
    if (name == nullptr) continue;
    H5Tinsert(type.get(), name, k * sizeof(double), H5T_NATIVE_DOUBLE);
    H5free_memory(name);
  }
  return type;
}

}  // namespace

Array::Array(Id data, std::string path) : data_(std::move(data)), path_(std::move(path)) {
  const Id space(H5Dget_space(data_.get()), H5Sclose);
  const int rank = space ? H5Sget_simple_extent_ndims(space.get()) : -1;
  if (rank != 1 && rank != 2)
    refuse(path_, "it has " + std::to_string(std::max(0, rank)) + " dimensions; expected 1 or 2.");
  hsize_t sides[2]{};
  H5Sget_simple_extent_dims(space.get(), sides, nullptr);
  shape_.assign(sides, sides + rank);
  const Id type(H5Dget_type(data_.get()), H5Tclose);
  field_ = field_of(type.get(), path_);
  const std::uint64_t row = rank == 2 ? std::max<std::uint64_t>(1, shape_[1]) : 1;
  block_ = checked_storage(data_.get(), path_, row);
  if (rank == 2) block_ = std::max<std::uint64_t>(1, block_ / row);
}

std::uint64_t Array::size() const {
  std::uint64_t size = 1;
  for (const std::uint64_t side : shape_) {
    if (side != 0 && size > std::numeric_limits<std::uint64_t>::max() / side)
      refuse(path_, "its announced size is larger than any file.");
    size *= side;
  }
  return size;
}

void Array::check_presence(std::uint64_t few) const {
  constexpr std::uint64_t kLargestRatio = 1032;  // of deflate: 258 bytes by two bits
  if (size() > few && size() / kLargestRatio > H5Dget_storage_size(data_.get()))
    refuse(path_, "nearly all of its elements are not in the file, which only announces them.");
}

namespace {

/// In a file with a user block (MATLAB's), some versions of the library count the addresses of chunks from
/// the end of that block. Makes them count from the beginning of the file; returns false if the first chunk
/// is at neither address.
bool count_from_beginning(hid_t data, std::vector<PieceHead>& pieces) {
  const Id file(H5Iget_file_id(data), H5Fclose);
  const Id creation(H5Fget_create_plist(file.get()), H5Pclose);
  hsize_t block = 0;
  if (H5Pget_userblock(creation.get(), &block) < 0) return false;
  if (block == 0) return true;
  std::vector<char> expected(pieces.front().bytes);
  std::vector<char> found(expected.size());
  const hsize_t first = 0;
  std::uint32_t filters = 0;
  if (H5Dread_chunk(data, H5P_DEFAULT, &first, &filters, expected.data()) < 0) return false;
  const auto is_there = [&] {
    const auto at = static_cast<off_t>(pieces.front().at);
    const ssize_t got = pread(open_descriptor, found.data(), found.size(), at);
    return got == static_cast<ssize_t>(found.size()) && found == expected;
  };
  if (is_there()) return true;
  for (PieceHead& piece : pieces) piece.at += block;
  return is_there();
}

}  // namespace

std::optional<StoredArray> Array::stored() const {
  const Id type(H5Dget_type(data_.get()), H5Tclose);
  const Id list(H5Dget_create_plist(data_.get()), H5Pclose);
  const Id space(H5Dget_space(data_.get()), H5Sclose);
  StoredArray stored;
  const bool is_unsigned = H5Tget_sign(type.get()) == H5T_SGN_NONE;
  const unsigned char kind = H5Tget_class(type.get()) == H5T_FLOAT ? 'f' : is_unsigned ? 'u' : 'i';
  stored.head.kind = kind;
  stored.head.width = static_cast<std::uint32_t>(H5Tget_size(type.get()));
  stored.head.elements = stored.head.piece = size();
  const auto is_native = [&](std::initializer_list<hid_t> natives) {
    return std::ranges::any_of(natives, [&](hid_t native) { return H5Tequal(type.get(), native) > 0; });
  };
  if (shape_.size() != 1 || size() == 0 ||
      !is_native({H5T_NATIVE_INT8, H5T_NATIVE_INT16, H5T_NATIVE_INT32, H5T_NATIVE_INT64, H5T_NATIVE_UINT8,
                  H5T_NATIVE_UINT16, H5T_NATIVE_UINT32, H5T_NATIVE_UINT64, H5T_NATIVE_FLOAT,
                  H5T_NATIVE_DOUBLE}))
    return std::nullopt;
  if (H5Pget_layout(list.get()) == H5D_CONTIGUOUS) {
    const haddr_t at = H5Dget_offset(data_.get());
    if (at == HADDR_UNDEF) return std::nullopt;
    stored.pieces.push_back({at, size() * stored.head.width});
    return stored;
  }
  hsize_t chunk = 0;
  if (H5Pget_layout(list.get()) != H5D_CHUNKED || H5Pget_chunk(list.get(), 1, &chunk) != 1)
    return std::nullopt;
  stored.head.piece = chunk;
  if (chunk * stored.head.width > kMostPieceBytes) return std::nullopt;
  for (int k = 0; k < H5Pget_nfilters(list.get()); ++k) {
    unsigned flags = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(list.get(), static_cast<unsigned>(k), &flags, &values, nullptr, 0, nullptr, nullptr);
    if (filter == H5Z_FILTER_SHUFFLE && k == 0)
      stored.head.is_shuffled = 1;
    else if (filter == H5Z_FILTER_DEFLATE && stored.head.is_deflated == 0)
      stored.head.is_deflated = 1;
    else
      return std::nullopt;
  }
  for (hsize_t first = 0; first < size(); first += chunk) {
    unsigned filters_left_out = 0;
    haddr_t at = HADDR_UNDEF;
    hsize_t bytes = 0;
    if (H5Dget_chunk_info_by_coord(data_.get(), &first, &filters_left_out, &at, &bytes) < 0 ||
        filters_left_out != 0 || at == HADDR_UNDEF || bytes > kMostPieceBytes)
      return std::nullopt;
    stored.pieces.push_back({at, bytes});
  }
  if (!count_from_beginning(data_.get(), stored.pieces)) return std::nullopt;
  return stored;
}

template <class T>
std::vector<T> Array::read(std::uint64_t first, std::uint64_t count, hid_t type,
                           std::size_t numbers_per_value) const {
  const Id space(H5Dget_space(data_.get()), H5Sclose);
  const hsize_t row = shape_.size() == 2 ? shape_[1] : 1;
  const hsize_t start[2] = {first, 0};
  const hsize_t extent[2] = {count, row};
  std::vector<T> values(count * row * numbers_per_value);
  if (values.empty()) return values;
  const Id memory(H5Screate_simple(static_cast<int>(shape_.size()), extent, nullptr), H5Sclose);
  // The library converts elements in a buffer of 1 MiB that it clears first, which takes as long as opening a
  // file: for a few elements a smaller buffer is set.
  constexpr std::size_t kFewBytes = 4096;
  const Id transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  const Id stored(H5Dget_type(data_.get()), H5Tclose);
  const std::size_t most = kFewBytes / values.size();
  if (H5Tget_size(stored.get()) <= most && sizeof(T) * numbers_per_value <= most)
    H5Pset_buffer(transfer.get(), kFewBytes, nullptr, nullptr);
  if (H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start, nullptr, extent, nullptr) < 0 ||
      H5Dread(data_.get(), type, memory.get(), space.get(), transfer.get(), values.data()) < 0)
    refuse(path_,
           "elements from " + std::to_string(first) + " on cannot be read; the file is damaged or cut off.");
  return values;
}

std::vector<std::uint64_t> Array::whole(std::uint64_t first, std::uint64_t count) const {
  const auto refuse_at = [&](std::uint64_t k, const std::string& found) {
    refuse(path_ + "[" + std::to_string(first + k) + "]",
           "found " + found + "; expected a whole number from 0.");
  };
  std::vector<std::uint64_t> numbers;
  if (field_ == "integer") {
    const std::vector<std::int64_t> read_in = read<std::int64_t>(first, count, H5T_NATIVE_INT64, 1);
    numbers.reserve(read_in.size());
    for (std::uint64_t k = 0; k < read_in.size(); ++k) {
      if (read_in[k] < 0) refuse_at(k, std::to_string(read_in[k]));
      numbers.push_back(static_cast<std::uint64_t>(read_in[k]));
    }
    return numbers;
  }
  if (field_ != "real") refuse(path_, "its elements are not whole numbers.");
  const std::vector<double> read_in = read<double>(first, count, H5T_NATIVE_DOUBLE, 1);
  for (std::uint64_t k = 0; k < read_in.size(); ++k) {
    constexpr double kMost = 9007199254740992.0;  // 2^53
    if (!(read_in[k] >= 0) || read_in[k] > kMost || read_in[k] != std::floor(read_in[k]))
      refuse_at(k, std::to_string(read_in[k]));
    numbers.push_back(static_cast<std::uint64_t>(read_in[k]));
  }
  return numbers;
}

std::vector<double> Array::values(std::uint64_t first, std::uint64_t count) const {
  const Id type(H5Dget_type(data_.get()), H5Tclose);
  if (field_ == "complex") return read<double>(first, count, complex_type(type.get()).get(), 2);
  if (field_ != "logical") return read<double>(first, count, H5T_NATIVE_DOUBLE, 1);
  const std::vector<std::int8_t> bytes = read<std::int8_t>(first, count, type.get(), 1);
  return {bytes.begin(), bytes.end()};
}

std::uint64_t Group::address() const {
  H5O_info_t info{};
  return H5Oget_info(group_.get(), &info) < 0 ? 0 : info.addr;
}

std::string why_unreadable() {
  return "it is damaged, or stored by a version of HDF5 newer than " + std::to_string(H5_VERS_MAJOR) + "." +
         std::to_string(H5_VERS_MINOR);
}

std::vector<Group::Member> Group::members() const {
  std::vector<Member> members;
  const auto add = [](hid_t group, const char* name, const H5L_info_t* link, void* found) -> herr_t {
    Member member{name};
    member.is_elsewhere = link->type != H5L_TYPE_HARD;
    H5O_info_t info{};
    member.is_unreadable = !member.is_elsewhere && H5Oget_info_by_name(group, name, &info, H5P_DEFAULT) < 0;
    if (!member.is_elsewhere && !member.is_unreadable) {
      member.is_group = info.type == H5O_TYPE_GROUP;
      member.is_data = info.type == H5O_TYPE_DATASET;
    }
    static_cast<std::vector<Member>*>(found)->push_back(std::move(member));
    return 0;
  };
  if (H5Literate(group_.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &members) < 0)
    refuse(path_, "the group cannot be read; the file is damaged or cut off.");
  return members;
}

bool Group::has(const std::string& name) const {
  H5L_info_t link{};
  return H5Lexists(group_.get(), name.c_str(), H5P_DEFAULT) > 0 &&
         H5Lget_info(group_.get(), name.c_str(), &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_HARD;
}

Id Group::open(const std::string& name) const {
  if (H5Lexists(group_.get(), name.c_str(), H5P_DEFAULT) > 0 && !has(name))
    refuse(path_of(name), "it is a link to another place or file, which is not followed.");
  Id object(H5Oopen(group_.get(), name.c_str(), H5P_DEFAULT), H5Oclose);
  if (!object) refuse(path_of(name), "it is missing, damaged or cut off.");
  return object;
}

Group Group::group(const std::string& name) const { return {open(name), path_of(name)}; }

bool Group::has_array(const std::string& name) const {
  H5O_info_t info{};
  if (!has(name)) return false;
  if (H5Oget_info_by_name(group_.get(), name.c_str(), &info, H5P_DEFAULT) < 0)
    refuse(path_of(name), why_unreadable() + ".");
  return info.type == H5O_TYPE_DATASET;
}

Array Group::array(const std::string& name) const {
  (void)open(name);
  const Id access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  H5Pset_chunk_cache(access.get(), 521, kChunkCache, 1.0);
  Id data(H5Dopen2(group_.get(), name.c_str(), access.get()), H5Dclose);
  if (!data) refuse(path_of(name), "it is damaged, or not an array.");
  return {std::move(data), path_of(name)};
}

namespace {

/// The text of an attribute or array of this type and extent; empty if it is not exactly one text.
/// read(memory type, destination) reads it.
template <class Read>
std::string one_text(hid_t type, hid_t space, const Read& read) {
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1) return {};
  std::string text;
  if (H5Tis_variable_str(type) > 0) {
    char* found = nullptr;
    const Id memory(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(memory.get(), H5T_VARIABLE);
    H5Tset_cset(memory.get(), H5Tget_cset(type));
    if (read(memory.get(), &found) >= 0 && found != nullptr) text = found;
    H5free_memory(found);
    return text;
  }
  text.resize(std::min(H5Tget_size(type), kMostText));
  if (text.size() < H5Tget_size(type) || read(type, text.data()) < 0) return {};
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

std::string text_of_attribute(hid_t object, const char* attribute) {
  if (H5Aexists(object, attribute) <= 0) return {};
  const Id opened(H5Aopen(object, attribute, H5P_DEFAULT), H5Aclose);
  if (!opened) return {};
  const Id type(H5Aget_type(opened.get()), H5Tclose);
  const Id space(H5Aget_space(opened.get()), H5Sclose);
  return one_text(type.get(), space.get(),
                  [&](hid_t memory, void* to) { return H5Aread(opened.get(), memory, to); });
}

constexpr std::uint64_t kMostReferences = 100000;
constexpr int kMostNested = 32;

/// Adds the groups that Group::referred() returns to `found`. `path` is that of the member, name_of(k) the
/// path of the group to which element k, from 0, refers; `references` counts all references so far.
void add_referred(const Id& data, const std::string& path,
                  const std::function<std::string(std::size_t)>& name_of, int depth,
                  std::uint64_t& references, std::vector<Group>& found) {
  const Id type(H5Dget_type(data.get()), H5Tclose);
  if (H5Tequal(type.get(), H5T_STD_REF_OBJ) <= 0) return;
  (void)checked_storage(data.get(), path, 1);
  const Id space(H5Dget_space(data.get()), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  references += count < 0 ? 0 : static_cast<std::uint64_t>(count);
  if (references > kMostReferences || depth > kMostNested)
    refuse(path, "its cells and structures hold more than " + std::to_string(kMostReferences) +
                     " others, or nest deeper than " + std::to_string(kMostNested) + ".");
  std::vector<hobj_ref_t> all(count < 0 ? 0 : static_cast<std::size_t>(count));
  if (all.empty() || H5Dread(data.get(), H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) < 0)
    return;
  for (std::size_t k = 0; k < all.size(); ++k) {
    Id object(H5Rdereference2(data.get(), H5P_DEFAULT, H5R_OBJECT, &all[k]), H5Oclose);
    const H5I_type_t kind = object ? H5Iget_type(object.get()) : H5I_BADID;
    const std::string name = name_of(k);
    if (kind == H5I_GROUP)
      found.emplace_back(std::move(object), name);
    else if (kind == H5I_DATASET)
      add_referred(
          object, path, [&](std::size_t cell) { return name + "{" + std::to_string(cell + 1) + "}"; },
          depth + 1, references, found);
  }
}

}  // namespace

std::vector<Group> Group::referred(const std::string& name) const {
  std::vector<Group> found;
  const Id data(H5Dopen2(group_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!data) return found;
  const bool is_cell = text_of_attribute(data.get(), "MATLAB_class") == "cell";
  const auto name_of = [&](std::size_t k) {
    const std::string number = std::to_string(k + 1);
    return is_cell ? path_of(name) + "{" + number + "}" : path_ + "(" + number + ")/" + name;
  };
  std::uint64_t references = 0;
  add_referred(data, path_of(name), name_of, 0, references, found);
  return found;
}

Structure Group::structure(const std::string& name) const {
  constexpr int kMostFields = 8;
  Structure found;
  const Id data(H5Dopen2(group_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!data) return found;
  const Id type(H5Dget_type(data.get()), H5Tclose);
  const Id space(H5Dget_space(data.get()), H5Sclose);
  if (H5Tget_class(type.get()) != H5T_COMPOUND || H5Sget_simple_extent_npoints(space.get()) != 1 ||
      H5Tget_nmembers(type.get()) > kMostFields)
    return found;
  (void)checked_storage(data.get(), path_of(name), 1);
  for (unsigned k = 0; k < static_cast<unsigned>(H5Tget_nmembers(type.get())); ++k) {
    const bool is_number = H5Tget_member_class(type.get(), k) == H5T_INTEGER;
    const Id of_field(H5Tget_member_type(type.get(), k), H5Tclose);
    char* const field = H5Tget_member_name(type.get(), k);
    if (field == nullptr) continue;
    const std::string field_name = field;
    H5free_memory(field);
    if (!is_number && H5Tequal(of_field.get(), H5T_STD_REF_OBJ) <= 0) continue;
    const Id alone(H5Tcreate(H5T_COMPOUND, sizeof(std::int64_t)), H5Tclose);
    H5Tinsert(alone.get(), field_name.c_str(), 0, is_number ? H5T_NATIVE_INT64 : H5T_STD_REF_OBJ);
    static_assert(sizeof(hobj_ref_t) == sizeof(std::int64_t));
    std::int64_t element = 0;
    if (H5Dread(data.get(), alone.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &element) < 0) continue;
    if (is_number && element >= 0) found.numbers[field_name] = static_cast<std::uint64_t>(element);
    if (is_number) continue;
    Id array(H5Rdereference2(data.get(), H5P_DEFAULT, H5R_OBJECT, &element), H5Oclose);
    if (array && H5Iget_type(array.get()) == H5I_DATASET)
      found.arrays.emplace(field_name, Array(std::move(array), path_of(name) + "/" + field_name));
  }
  return found;
}

std::string Group::text(const char* attribute) const { return text_of_attribute(group_.get(), attribute); }

std::string Group::text_of_member(const std::string& path, const char* attribute) const {
  const Id member(H5Oopen(group_.get(), path.c_str(), H5P_DEFAULT), H5Oclose);
  return member ? text_of_attribute(member.get(), attribute) : std::string();
}

Id Group::small_array(const std::string& name) const {
  if (!has_array(name)) return {-1, H5Dclose};
  Id opened(H5Dopen2(group_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (opened) (void)checked_storage(opened.get(), path_of(name), 1);
  return opened;
}

std::string Group::text_of(const std::string& name) const {
  const Id opened = small_array(name);
  if (!opened) return {};
  const Id type(H5Dget_type(opened.get()), H5Tclose);
  const Id space(H5Dget_space(opened.get()), H5Sclose);
  return one_text(type.get(), space.get(), [&](hid_t memory, void* to) {
    return H5Dread(opened.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
  });
}

std::vector<std::string> Group::texts(const std::string& name, std::size_t most) const {
  const Id opened = small_array(name);
  if (!opened) return {};
  const Id type(H5Dget_type(opened.get()), H5Tclose);
  const Id space(H5Dget_space(opened.get()), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  constexpr std::size_t kLongest = 256;
  const bool is_text = H5Tget_class(type.get()) == H5T_STRING && H5Tis_variable_str(type.get()) == 0;
  const std::size_t width = is_text ? H5Tget_size(type.get()) : 0;
  if (width == 0 || width > kLongest || count < 1 || static_cast<std::uint64_t>(count) > most) return {};
  std::vector<char> bytes(width * static_cast<std::size_t>(count));
  if (H5Dread(opened.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0) return {};
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < bytes.size(); at += width) {
    const std::string_view text(bytes.data() + at, width);
    texts.emplace_back(text.substr(0, text.find('\0')));
  }
  return texts;
}

namespace {

/// The whole numbers of an attribute or array of this type and extent; empty if there are more than 8, or
/// others. read(memory type, destination) reads them. Throws Refused, which names `what`, for negative ones.
template <class Read>
std::vector<std::uint64_t> few_numbers(hid_t type, hid_t space, const std::string& path,
                                       const std::string& what, const Read& read) {
  constexpr hssize_t kMost = 8;
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (H5Tget_class(type) != H5T_INTEGER || count < 1 || count > kMost) return {};
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  if (read(H5T_NATIVE_INT64, numbers.data()) < 0) return {};
  if (std::ranges::any_of(numbers, [](std::int64_t one) { return one < 0; }))
    refuse(path, "its " + what + " is below 0.");
  return {numbers.begin(), numbers.end()};
}

}  // namespace

std::vector<std::uint64_t> Group::numbers(const char* attribute) const {
  if (H5Aexists(group_.get(), attribute) <= 0) return {};
  const Id opened(H5Aopen(group_.get(), attribute, H5P_DEFAULT), H5Aclose);
  if (!opened) return {};
  const Id type(H5Aget_type(opened.get()), H5Tclose);
  const Id space(H5Aget_space(opened.get()), H5Sclose);
  return few_numbers(type.get(), space.get(), path_, std::string("attribute ") + attribute,
                     [&](hid_t memory, void* to) { return H5Aread(opened.get(), memory, to); });
}

std::vector<std::uint64_t> Group::numbers_of(const std::string& name) const {
  const Id opened = small_array(name);
  if (!opened) return {};
  const Id type(H5Dget_type(opened.get()), H5Tclose);
  const Id space(H5Dget_space(opened.get()), H5Sclose);
  return few_numbers(type.get(), space.get(), path_, name, [&](hid_t memory, void* to) {
    return H5Dread(opened.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
  });
}

std::pair<Id, Group> open_file(int descriptor) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5PLset_loading_state(0);
  register_filters();
  const Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  const Id driver(registered_driver(descriptor), H5FDunregister);
  H5Pset_driver(access.get(), driver.get(), nullptr);
  Id file(H5Fopen("file", H5F_ACC_RDONLY, access.get()), H5Fclose);
  if (!file) throw Refused("the file is not an HDF5 file, or is damaged or cut off.");
  Id root(H5Gopen2(file.get(), "/", H5P_DEFAULT), H5Gclose);
  if (!root) throw Refused("the file has no root group; it is damaged or cut off.");
  return {std::move(file), Group(std::move(root), "")};
}

}  // namespace spyctrum::hdf5
