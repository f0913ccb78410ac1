// SPDX-License-Identifier: Apache-2.0
// Parses an XML document by expat and reports its elements one after the other, while its bytes are read. No
// document is trusted: no other file is opened, a document type that declares entities is refused, and memory
// is limited.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/reader.hpp"

namespace spyctrum {

class XmlAttributes {
 public:
  /// `list`: names and values in turn, ended by null.
  explicit XmlAttributes(const char* const* list) : list_(list) {}
  /// The value of the attribute `name`, or null.
  [[nodiscard]] const char* find(std::string_view name) const {
    for (const char* const* at = list_; *at != nullptr; at += 2)
      if (name == *at) return at[1];
    return nullptr;
  }
  /// The value of the attribute `name`, or an empty text.
  [[nodiscard]] std::string_view text(std::string_view name) const {
    const char* const value = find(name);
    return value != nullptr ? value : "";
  }

 private:
  const char* const* list_;
};

/// Reads a document and calls the virtual functions, which may throw. Names of elements are without the
/// prefix of their namespace.
class XmlReader {
 public:
  /// The most elements that may be nested.
  static constexpr std::size_t kMostDepth = 64;

  /// `file` is the file's name in messages.
  XmlReader(std::string_view file, JobContext& context) : file_(file), context_(context) {}
  virtual ~XmlReader() = default;
  XmlReader(const XmlReader&) = delete;
  XmlReader& operator=(const XmlReader&) = delete;

  /// Reads the document to its end and reports progress. Throws Failure{bad_input} with the line if it is not
  /// well-formed, declares entities or uses unknown ones, has elements nested deeper than kMostDepth, a tag
  /// or comment of more than 1 MiB or too many names; Failure{cancelled}; and what the virtual functions
  /// throw.
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
  struct Calls;  // the functions that expat calls
  [[noreturn]] void fail_of_parser() const;

  std::string file_;
  JobContext& context_;
  void* parser_ = nullptr;         // while read() runs
  std::exception_ptr thrown_;      // by a function that expat called
  std::vector<std::string> open_;  // names of the open elements, with prefixes
};

}  // namespace spyctrum
