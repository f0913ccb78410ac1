// SPDX-License-Identifier: Apache-2.0
// A fingerprint as bytes, field by field.
#include "core/collection/fingerprint_bytes.hpp"

namespace spyctrum {

void put_fingerprint(std::vector<std::byte>& bytes, const Fingerprint& fingerprint) {
  put_value(bytes, fingerprint.content);
  put_text(bytes, fingerprint.setting.method);
  put_text(bytes, fingerprint.setting.setting);
  put_value(bytes, fingerprint.version);
  put_value(bytes, fingerprint.rows);
  put_value(bytes, fingerprint.cols);
  put_value(bytes, fingerprint.nonzeros);
  put_value(bytes, fingerprint.symmetric);
  put_value(bytes, fingerprint.features);
  put_value(bytes, fingerprint.errors.has_value());
  if (fingerprint.errors) put_value(bytes, *fingerprint.errors);
  put_list(bytes, fingerprint.thumbnails.pattern);
  put_list(bytes, fingerprint.thumbnails.spectrum);
  put_value(bytes, fingerprint.signature);
}

Fingerprint fingerprint_from(ByteReader& reader) {
  Fingerprint made;
  made.content = reader.value<std::uint64_t>();
  made.setting.method = reader.text();
  made.setting.setting = reader.text();
  made.version = reader.value<int>();
  made.rows = reader.value<std::uint64_t>();
  made.cols = reader.value<std::uint64_t>();
  made.nonzeros = reader.value<std::int64_t>();
  made.symmetric = reader.value<bool>();
  made.features = reader.value<Features>();
  if (reader.value<bool>()) made.errors = reader.value<Features>();
  made.thumbnails.pattern = reader.list<std::vector<std::uint8_t>>();
  made.thumbnails.spectrum = reader.list<std::vector<std::uint8_t>>();
  made.signature = reader.value<Signature>();
  return made;
}

}  // namespace spyctrum
