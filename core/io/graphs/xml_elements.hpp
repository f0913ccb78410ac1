// SPDX-License-Identifier: Apache-2.0
// The elements of an XML document one after the other, while its bytes are read: expat parses them, none is
// kept. Untrusted documents: no other file is opened, a document type that declares entities is refused, and
// the memory that a document can take is limited.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/reader.hpp"

namespace spyctrum {

/// The attributes of an element.
class XmlAttributes {
 public:
  /// Names and values in turn, ended by null.
  explicit XmlAttributes(const char* const* list) : list_(list) {}
  /// The value of the attribute `name`, or null.
  [[nodiscard]] const char* find(std::string_view name) const {
    for (const char* const* at = list_; *at != nullptr; at += 2)
      if (name == *at) return at[1];
    return nullptr;
  }
  /// The same, or an empty text.
  [[nodiscard]] std::string_view text(std::string_view name) const {
    const char* const value = find(name);
    return value != nullptr ? value : "";
  }

 private:
  const char* const* list_;
};

/// Reads a document and calls the functions of a class derived from it. Names are without the prefix of their
/// namespace. These functions may throw.
class XmlReader {
 public:
  /// Elements that may be within each other.
  static constexpr std::size_t kMostDepth = 64;

  /// `file` is the file's name in messages.
  XmlReader(std::string_view file, JobContext& context) : file_(file), context_(context) {}
  virtual ~XmlReader() = default;
  XmlReader(const XmlReader&) = delete;
  XmlReader& operator=(const XmlReader&) = delete;

  /// Reads the document to its end and reports progress. Throws Failure{bad_input} with the line if it is no
  /// well-formed XML, declares entities or uses unknown ones, has elements nested deeper than kMostDepth, a
  /// tag or comment beyond 1 MiB or too many names; Failure{cancelled}; and what the functions of the derived
  /// class throw.
  void read(ByteSource& source);

 protected:
  virtual void begin(std::string_view name, const XmlAttributes& attributes) = 0;
  virtual void end() = 0;
  /// A part of the text directly within the innermost element.
  virtual void text(std::string_view part) = 0;

  /// The line of the tag or text that is being read, from 1.
  [[nodiscard]] std::uint64_t line() const;
  /// Throws Failure{bad_input}: "FILE, line LINE: WHAT".
  [[noreturn]] void fail(const std::string& what, const std::string& advice) const {
    fail_at(line(), what, advice);
  }
  [[noreturn]] void fail_at(std::uint64_t line, const std::string& what, const std::string& advice) const;
  [[nodiscard]] JobContext& context() const { return context_; }

 private:
  struct Calls;  // what expat calls
  [[noreturn]] void fail_of_parser() const;

  std::string file_;
  JobContext& context_;
  void* parser_ = nullptr;         // while read() runs
  std::exception_ptr thrown_;      // by a function that expat called
  std::vector<std::string> open_;  // names of the elements around the present place, with prefixes
};

}  // namespace spyctrum
