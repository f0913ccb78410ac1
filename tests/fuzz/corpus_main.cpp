// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target without libFuzzer:
//   test_fuzz_<name> CORPUS FOUND [MUTATIONS]
// on every file of CORPUS/good and CORPUS/bad and on 200 or MUTATIONS mutations of each (bytes changed,
// pieces removed, doubled or replaced by those of another file), the same ones in every run; then once on
// each file of FOUND, which earlier runs of the fuzzer kept because they reached other code. The test passes
// if the target returns from each: no crash, no sanitizer report, no hang.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/require.hpp"

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr int kMutationsPerFile = 200;
constexpr std::size_t kLargestInput = 1 << 16;

using Bytes = std::vector<std::uint8_t>;

std::vector<Bytes> read_files(const std::vector<std::filesystem::path>& folders) {
  std::vector<std::filesystem::path> paths;
  for (const std::filesystem::path& folder : folders) {
    if (!std::filesystem::is_directory(folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.is_regular_file() && entry.file_size() <= kLargestInput) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> corpus;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

std::size_t below(std::mt19937_64& random, std::size_t bound) { return bound == 0 ? 0 : random() % bound; }

Bytes mutate(Bytes bytes, const std::vector<Bytes>& corpus, std::mt19937_64& random) {
  const std::size_t steps = 1 + below(random, 4);
  for (std::size_t step = 0; step < steps; ++step) {
    const std::size_t at = below(random, bytes.size());
    const std::size_t length = 1 + below(random, 16);
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const auto last = bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), at + length));
    switch (below(random, 5)) {
      case 0:
        if (!bytes.empty()) bytes[at] = static_cast<std::uint8_t>(random());
        break;
      case 1:
        bytes.erase(first, last);
        break;
      case 2: {
        const Bytes piece(first, last);
        bytes.insert(first, piece.begin(), piece.end());
        break;
      }
      case 3:
        bytes.resize(at);
        break;
      default: {
        const Bytes& other = corpus[below(random, corpus.size())];
        bytes.resize(at);
        const std::size_t from = below(random, other.size());
        bytes.insert(bytes.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
        break;
      }
    }
    if (bytes.size() > kLargestInput) bytes.resize(kLargestInput);
  }
  return bytes;
}

}  // namespace

int main(int count, char** given) {
  const std::vector<std::string> arguments(given + 1, given + count);
  if (arguments.size() < 2) {
    std::fprintf(stderr, "usage: %s CORPUS FOUND [MUTATIONS]\n", given[0]);
    return 2;
  }
  const std::filesystem::path folder(arguments[0]);
  const int mutations = arguments.size() > 2 ? std::stoi(arguments[2]) : kMutationsPerFile;
  const std::vector<Bytes> corpus = read_files({folder / "good", folder / "bad"});
  if (corpus.empty()) {
    std::fprintf(stderr, "no corpus in %s\n", arguments[0].c_str());
    return 1;
  }
  spyctrum::test::must_accept = true;
  for (const Bytes& bytes : read_files({folder / "good"})) LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  spyctrum::test::must_accept = false;
  std::mt19937_64 random(20240229);
  for (const Bytes& bytes : corpus) {
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    for (int i = 0; i < mutations; ++i) {
      const Bytes changed = mutate(bytes, corpus, random);
      LLVMFuzzerTestOneInput(changed.data(), changed.size());
    }
  }
  const std::vector<Bytes> found = read_files({arguments[1]});
  for (const Bytes& bytes : found) LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  std::printf("%zu files, %d mutations each; %zu files of earlier runs\n", corpus.size(), mutations,
              found.size());
  return 0;
}
