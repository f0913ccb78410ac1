// SPDX-License-Identifier: Apache-2.0
// index: fingerprints of every matrix below some folders, into a collection. similar: the nearest of a matrix
// in a collection, with the reasons.
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <system_error>

#include "app/cli/commands.hpp"
#include "app/cli/method_run.hpp"
#include "core/base/seconds_text.hpp"
#include "core/base/text.hpp"
#include "core/cluster/communicator.hpp"
#include "core/collection/index.hpp"
#include "core/collection/nearest.hpp"
#include "core/matrix/generators.hpp"

namespace spyctrum::cli {

namespace {

std::string path_or_default(const std::string& typed) {
  return typed.empty() ? default_collection_path() : typed;
}

Json reasons_json(const SignatureDistance& found) {
  Json reasons = Json::array();
  for (std::size_t p = 0; p < kSignatureParts.size(); ++p) {
    const SignaturePart& part = kSignatureParts.at(p);
    if (part.view != SignatureView::common && part.view != found.view) continue;
    reasons.push_back({{"part", part.id},
                       {"label", part.label},
                       {"distance", found.parts.at(p)},
                       {"agrees", found.parts.at(p) <= kAgreement}});
  }
  return reasons;
}

constexpr const char* kWhyPattern =
    "Signatures compare the patterns of matrices: their parts were weighted for patterns, and all matrices "
    "of a collection must be compared alike.";

/// The files, folders and gen: texts that a list names, one per line; empty lines and lines that begin with #
/// are skipped. Throws Failure{bad_input}.
void add_listed(const std::string& list, std::vector<std::string>& sources) {
  std::ifstream file;
  if (list != "-") file.open(list);
  std::istream& lines = list == "-" ? std::cin : file;
  std::error_code problem;
  if (!lines || std::filesystem::is_directory(list, problem))
    throw Failure(ErrorCode::bad_input, "The list " + list + " cannot be read.", "Name a text file, or -.");
  for (std::string line; std::getline(lines, line);) {
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) line.pop_back();
    if (!line.empty() && line.front() != '#') sources.push_back(line);
  }
}

/// Throws Failure{output} if the folder of a path does not exist: only that of the default path is made.
void require_folder(const std::string& typed) {
  const std::filesystem::path folder = std::filesystem::path(typed).parent_path();
  std::error_code problem;
  if (!folder.empty() && !std::filesystem::exists(folder, problem))
    throw Failure(ErrorCode::output, "The folder of " + typed + " does not exist.",
                  "Create the folder first, or choose another one.");
}

}  // namespace

void run_index(Session& session, const IndexOptions& options) {
  session.require_pattern(kWhyPattern);
  const std::string path = path_or_default(options.db);
  std::vector<std::string> sources = options.folders;
  if (sources.empty() && options.list.empty())
    throw Failure(ErrorCode::wrong_use, "Nothing is named that could be indexed.",
                  "Name folders, files or gen: texts, or a list of them with --list.");
  std::optional<Database> database;
  if (session.is_first()) {
    for (const std::string& source : sources) {
      std::error_code problem;
      if (!is_generator_text(source) && !std::filesystem::exists(source, problem))
        throw Failure(ErrorCode::bad_input, source + " does not exist.", "Name folders that exist.");
    }
    if (!options.list.empty()) add_listed(options.list, sources);
    require_folder(options.db);
    database.emplace(Database::open_or_create(path, session.stop()));
  }
  const auto job = session.context("index");
  const IndexResult result = or_throw(index_folders(sources, database ? &*database : nullptr, session.ranks(),
                                                    session.backend(), *job, {.import = session.import()}));
  if (!session.is_first()) return;
  Json failed = Json::array();
  for (const IndexFailure& failure : result.failed)
    failed.push_back({{"file", failure.file}, {"reason", failure.reason}});
  session.print({{"collection", path},
                 {"indexed", result.indexed},
                 {"known", result.known},
                 {"unchanged", result.unchanged},
                 {"failed", failed},
                 {"fingerprints", database->size()},
                 {"received", bytes_received()},
                 {"seconds", result.seconds},
                 {"version", SPYCTRUM_VERSION}});
  session.line(path, ": ", result.indexed, " indexed, ", result.known, " with a known pattern, ",
               result.unchanged, " unchanged, ", result.failed.size(), " failed; ",
               seconds_text(result.seconds));
  for (const IndexFailure& failure : result.failed)
    session.line("  ", failure.reason.starts_with(escaped(failure.file)) ? "" : failure.file + ": ",
                 failure.reason);
}

void run_similar(Session& session, const SimilarOptions& options) {
  session.require_pattern(kWhyPattern);
  const std::string path = path_or_default(options.db);
  std::vector<float> signatures;
  const std::vector<IndexedMatrix> matrices = Database::open(path, session.stop()).matrices(signatures);
  const Matrix matrix = session.load();
  const auto job = session.context("fingerprint");
  const Fingerprint fingerprint = or_throw(fingerprint_of(matrix.pattern, session.backend(), *job));
  const std::vector<Neighbour> list =
      nearest(fingerprint.signature, signatures, options.count, session.pool());
  Json json = Json::array();
  session.line(matrix.report.file, ": the nearest of ", matrices.size(), " in ", path);
  for (const Neighbour& neighbour : list) {
    const IndexedMatrix& other = matrices.at(neighbour.row);
    const SignatureDistance& found = neighbour.found;
    const bool canonical = found.view == SignatureView::canonical;
    json.push_back({{"file", other.files.front()},
                    {"files", other.files},
                    {"distance", found.distance},
                    {"same_pattern", other.content == fingerprint.content},
                    {"transposed", found.transposed},
                    {"order", canonical ? "canonical" : "stored"},
                    {"rows", other.rows},
                    {"cols", other.cols},
                    {"nonzeros", other.nonzeros},
                    {"reasons", reasons_json(found)}});
    session.line(padded(number_text(found.distance, 3), 9), other.files.front(), "  ",
                 sides_text(other.rows, other.cols), ", ", counted(other.nonzeros, "entry", "entries"),
                 other.content == fingerprint.content ? ", the same pattern" : "",
                 found.transposed ? ", transposed" : "", canonical ? ", in a canonical order" : "");
    for (std::size_t k = 1; k < other.files.size(); ++k) session.line("         = ", other.files[k]);
    session.line("         ", reason_text(found));
  }
  session.print(json);
}

}  // namespace spyctrum::cli
