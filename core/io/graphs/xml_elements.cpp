// SPDX-License-Identifier: Apache-2.0
// Exceptions must not pass through expat's functions, which are written in C: an exception is stored, expat
// is stopped, and read() throws it again.
#include "core/io/graphs/xml_elements.hpp"

#include <expat.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include "core/io/binary_file.hpp"
#include "core/io/quote.hpp"

namespace spyctrum {

namespace {

constexpr std::uint64_t kLongestTag = std::uint64_t{1} << 20U;

// The place of the parser in the document. Expat 2.9 deprecates the functions of the versions before it.
#if XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION < 9
std::int64_t byte_of(XML_Parser parser) { return XML_GetCurrentByteIndex(parser); }
std::uint64_t line_of(XML_Parser parser) { return XML_GetCurrentLineNumber(parser); }
#else
std::int64_t byte_of(XML_Parser parser) { return XML_GetCurrentByteIndex64(parser); }
std::uint64_t line_of(XML_Parser parser) { return XML_GetCurrentLineNumber64(parser); }
#endif

// expat keeps the names of all elements and attributes, and the longest tag. Its allocations, each of which
// begins with its size, are counted, so that a document cannot take all memory.
constexpr std::size_t kMostBytes = std::size_t{1} << 24U;
constexpr std::size_t kHead = alignof(std::max_align_t);
thread_local std::size_t allocated = 0;  // by the documents that this thread parses

void* allocate(std::size_t bytes) {
  if (bytes > kMostBytes - allocated) return nullptr;
  auto* const memory = static_cast<std::byte*>(std::malloc(kHead + bytes));
  if (memory == nullptr) return nullptr;
  *reinterpret_cast<std::size_t*>(memory) = bytes;
  allocated += bytes;
  return memory + kHead;
}

std::size_t size_of(void* memory) {
  return *reinterpret_cast<std::size_t*>(static_cast<std::byte*>(memory) - kHead);
}

void deallocate(void* memory) {
  if (memory == nullptr) return;
  allocated -= size_of(memory);
  std::free(static_cast<std::byte*>(memory) - kHead);
}

void* reallocate(void* memory, std::size_t bytes) {
  void* const moved = allocate(bytes);
  if (moved == nullptr || memory == nullptr) return moved;
  std::copy_n(static_cast<std::byte*>(memory), std::min(bytes, size_of(memory)),
              static_cast<std::byte*>(moved));
  deallocate(memory);
  return moved;
}

constexpr XML_Memory_Handling_Suite kMemory{allocate, reallocate, deallocate};

// For encodings that expat does not support: each byte beyond ASCII is one character. Names need only be
// equal if they are equal in the file.
int take_encoding(void* /*data*/, const char* /*name*/, XML_Encoding* encoding) {
  for (int byte = 0; byte < 256; ++byte) encoding->map[byte] = byte;
  encoding->data = nullptr;
  encoding->convert = nullptr;
  encoding->release = nullptr;
  return XML_STATUS_OK;
}

}  // namespace

struct XmlReader::Calls {
  /// Calls work(reader), unless an earlier call threw.
  template <class Work>
  static void guarded(void* data, const Work& work) {
    auto& reader = *static_cast<XmlReader*>(data);
    if (reader.thrown_) return;
    try {
      work(reader);
    } catch (...) {
      reader.thrown_ = std::current_exception();
      XML_StopParser(static_cast<XML_Parser>(reader.parser_), XML_FALSE);
    }
  }
  static void begin(void* data, const char* name, const char** attributes) {
    guarded(data, [&](XmlReader& reader) {
      if (reader.open_.size() == kMostDepth)
        reader.fail("elements are nested deeper than " + std::to_string(kMostDepth) + " levels.",
                    "Check that the file is what its name says.");
      reader.open_.emplace_back(name);
      const std::string_view whole = name;
      reader.begin(whole.substr(whole.find(':') + 1), XmlAttributes(attributes));
    });
  }
  static void end(void* data, const char* /*name*/) {
    guarded(data, [&](XmlReader& reader) {
      reader.end();
      reader.open_.pop_back();
    });
  }
  static void text(void* data, const char* part, int length) {
    guarded(data, [&](XmlReader& reader) { reader.text({part, static_cast<std::size_t>(length)}); });
  }
  static void entity(void* data, const char* name, int /*is_parameter*/, const char* /*value*/,
                     int /*length*/, const char* /*base*/, const char* /*system*/, const char* /*public_id*/,
                     const char* /*notation*/) {
    guarded(data, [&](XmlReader& reader) {
      reader.fail("the document type declares the entity " + in_quotes(name, 40) +
                      "; entities can grow without limit and name files, and are refused.",
                  "Remove the declaration.");
    });
  }
  static void skipped_entity(void* data, const char* name, int /*is_parameter*/) {
    guarded(data, [&](XmlReader& reader) {
      reader.fail(
          "found the entity " + in_quotes(name, 40) + ", which another file defines (undefined entity).",
          "Write the character in its place.");
    });
  }
};

void XmlReader::read(ByteSource& source) {
  const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> owned(
      XML_ParserCreate_MM(nullptr, &kMemory, nullptr), XML_ParserFree);
  if (owned == nullptr) throw std::bad_alloc();
  XML_Parser parser = owned.get();
  parser_ = parser;
  XML_SetUserData(parser, this);
  XML_SetElementHandler(parser, Calls::begin, Calls::end);
  XML_SetCharacterDataHandler(parser, Calls::text);
  XML_SetEntityDeclHandler(parser, Calls::entity);
  XML_SetSkippedEntityHandler(parser, Calls::skipped_entity);
  XML_SetUnknownEncodingHandler(parser, take_encoding, nullptr);
  BinaryFile bytes(source, file_, context_);
  for (bool is_last = false; !is_last;) {
    constexpr int kPiece = 1 << 16;  // bytes that are parsed between two checks for a stop
    auto* const buffer = static_cast<char*>(XML_GetBuffer(parser, kPiece));
    if (buffer == nullptr) fail_of_parser();
    const std::size_t got = bytes.read({buffer, static_cast<std::size_t>(kPiece)});
    is_last = got < static_cast<std::size_t>(kPiece);
    if (XML_ParseBuffer(parser, static_cast<int>(got), is_last ? 1 : 0) != XML_STATUS_OK) {
      if (thrown_) std::rethrow_exception(thrown_);
      fail_of_parser();
    }
    const std::int64_t parsed = byte_of(parser);
    if (parsed >= 0 && bytes.position() - static_cast<std::uint64_t>(parsed) > kLongestTag)
      fail("a tag or comment that begins here is longer than " + grouped(kLongestTag) + " bytes.",
           "Check that the file is what its name says.");
  }
  parser_ = nullptr;
}

std::uint64_t XmlReader::line() const { return line_of(static_cast<XML_Parser>(parser_)); }

void XmlReader::fail_at(std::uint64_t line, const std::string& what, const std::string& advice) const {
  throw Failure(ErrorCode::bad_input, file_ + ", line " + std::to_string(line) + ": " + what, advice);
}

void XmlReader::fail_of_parser() const {
  const XML_Error error = XML_GetErrorCode(static_cast<XML_Parser>(parser_));
  if (error == XML_ERROR_NO_MEMORY)
    fail("the names of elements and attributes up to here take more than " + grouped(kMostBytes) + " bytes.",
         "Check that the file is what its name says.");
  const bool lacks_end = error == XML_ERROR_NO_ELEMENTS || error == XML_ERROR_TAG_MISMATCH;
  std::string expected;
  if (lacks_end && !open_.empty())
    expected = "; expected </" + escaped(std::string_view(open_.back()).substr(0, 40)) + ">";
  fail(std::string("the XML is damaged or cut off here (") + XML_ErrorString(error) + ")" + expected + ".",
       "Get the file again, or check the program that wrote it.");
}

}  // namespace spyctrum
