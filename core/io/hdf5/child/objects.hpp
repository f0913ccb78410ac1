// SPDX-License-Identifier: Apache-2.0
// Groups, attributes and numeric arrays of an HDF5 file, by its C library (The HDF Group, HDF5 1.10 API).
// Only hard links are followed, data in other files are refused, and no plug-in is loaded to unpack an array.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/io/hdf5/messages.hpp"

namespace spyctrum::hdf5 {

/// An object cannot be read; what() is a sentence for the user that names it: "PATH: REASON".
struct Refused : std::runtime_error {
  explicit Refused(const std::string& about_file) : std::runtime_error(about_file) {}
  Refused(const std::string& of, const std::string& why)
      : std::runtime_error(of + ": " + why), path(of), reason(why) {}
  std::string path;  ///< empty, as `reason`, if what() is about the file
  std::string reason;
};

/// Why an object that is there cannot be opened.
[[nodiscard]] std::string why_unreadable();

/// An identifier of the library, released by `close`.
class Id {
 public:
  Id(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Id& operator=(Id&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Id() {
    if (id_ >= 0) close_(id_);
  }
  [[nodiscard]] hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// An array of numbers of one or two dimensions.
class Array {
 public:
  /// `path`: its name in messages. Throws Refused for other types and shapes, for data in other files,
  /// virtual data sets and compressions that are not part of the library.
  Array(Id data, std::string path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::vector<std::uint64_t>& shape() const { return shape_; }
  [[nodiscard]] std::uint64_t size() const;
  /// Throws Refused if the array has more than `few` elements, and more than the bytes that the file stores
  /// for it can be unpacked to: the others were never written.
  void check_presence(std::uint64_t few) const;
  /// "integer", "real", "complex" or "logical".
  [[nodiscard]] const std::string& field() const { return field_; }
  /// 2 for complex arrays, else 1.
  [[nodiscard]] std::uint32_t numbers_per_value() const { return field_ == "complex" ? 2 : 1; }
  /// The places of the array's pieces in the file; empty if a StoredHead cannot describe how it is stored.
  [[nodiscard]] std::optional<StoredArray> stored() const;
  /// The number of elements (in two dimensions: of rows) that should be read at a time.
  [[nodiscard]] std::uint64_t block() const { return block_; }

  /// Reads elements first … first + count − 1 of a one-dimensional array as whole numbers. Throws Refused if
  /// one is negative or not a whole number.
  [[nodiscard]] std::vector<std::uint64_t> whole(std::uint64_t first, std::uint64_t count) const;
  /// Reads `count` elements (in two dimensions: rows) from `first` on, numbers_per_value() numbers each.
  [[nodiscard]] std::vector<double> values(std::uint64_t first, std::uint64_t count) const;

 private:
  template <class T>
  [[nodiscard]] std::vector<T> read(std::uint64_t first, std::uint64_t count, hid_t type,
                                    std::size_t numbers_per_value) const;

  Id data_;
  std::string path_;
  std::vector<std::uint64_t> shape_;
  std::string field_;
  std::uint64_t block_ = 0;
};

/// The whole numbers of a structure, and the arrays of this file to which its references lead, by name.
struct Structure {
  std::map<std::string, std::uint64_t> numbers;
  std::map<std::string, Array> arrays;
};

/// A group. Its path begins at the root, without a slash; the path of the root is "".
class Group {
 public:
  Group(Id group, std::string path) : group_(std::move(group)), path_(std::move(path)) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  /// The path of a member, for messages.
  [[nodiscard]] std::string path_of(const std::string& name) const {
    return path_.empty() ? name : path_ + "/" + name;
  }
  /// Identifies the group in its file, in which several paths may lead to it.
  [[nodiscard]] std::uint64_t address() const;
  struct Member {
    std::string name;
    bool is_group = false;
    bool is_data = false;
    bool is_elsewhere = false;   ///< a soft, external or user-defined link
    bool is_unreadable = false;  ///< damaged, or stored in a way that this version of HDF5 does not know
  };
  /// Sorted by name.
  [[nodiscard]] std::vector<Member> members() const;
  [[nodiscard]] bool has(const std::string& name) const;
  /// The groups of this file that a member refers to, if it is an array of references to objects, or of
  /// references to such arrays, as MATLAB stores cells and arrays of structures. Their paths are MATLAB's
  /// words: C{2}, C{2}{1}, S(2)/A. None if the member is another array. Throws Refused beyond 100,000
  /// references.
  [[nodiscard]] std::vector<Group> referred(const std::string& name) const;
  /// A member that is one structure of at most 8 fields, as JLD2 stores those of Julia; empty for others.
  /// Throws Refused for arrays that are not numeric.
  [[nodiscard]] Structure structure(const std::string& name) const;
  /// Throws Refused if there is no such group or numeric array.
  [[nodiscard]] Group group(const std::string& name) const;
  [[nodiscard]] Array array(const std::string& name) const;
  /// Throws Refused if the object called so cannot be opened.
  [[nodiscard]] bool has_array(const std::string& name) const;

  /// The text, or the at most 8 whole numbers, of an attribute; empty if there is no such attribute. Throws
  /// Refused for negative numbers.
  [[nodiscard]] std::string text(const char* attribute) const;
  [[nodiscard]] std::vector<std::uint64_t> numbers(const char* attribute) const;
  /// The same of the text of a member's attribute. `path`: the names of groups and of the member, with
  /// slashes.
  [[nodiscard]] std::string text_of_member(const std::string& path, const char* attribute) const;
  /// The text, or the at most 8 whole numbers, in an array; empty if the member has others. Throws Refused
  /// for negative numbers.
  [[nodiscard]] std::string text_of(const std::string& name) const;
  [[nodiscard]] std::vector<std::uint64_t> numbers_of(const std::string& name) const;
  /// The texts of fixed length in an array; empty if the member is none, or has more than `most` texts.
  [[nodiscard]] std::vector<std::string> texts(const std::string& name, std::size_t most) const;

 private:
  [[nodiscard]] Id open(const std::string& name) const;
  /// Opens an array to be read as a whole; an invalid Id if there is none. Throws Refused if it is stored in
  /// another file.
  [[nodiscard]] Id small_array(const std::string& name) const;
  Id group_;
  std::string path_;
};

/// Opens the file `descriptor` and its root group. Throws Refused.
[[nodiscard]] std::pair<Id, Group> open_file(int descriptor);

}  // namespace spyctrum::hdf5
